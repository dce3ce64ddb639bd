/** Sections in their order; the id stands in the address. */
export const SECTIONS = [
  { id: 'appearance', title: 'Appearance' },
  { id: 'data', title: 'Data folder' },
  { id: 'known-hosts', title: 'Known hosts' },
  { id: 'passwords', title: 'Passwords' },
  { id: 'kept', title: 'Kept on hosts' },
  { id: 'demo', title: 'Demo machine' },
  { id: 'engine', title: 'Engine' },
  { id: 'diagnostics', title: 'Diagnostics' },
  { id: 'versions', title: 'Versions' },
] as const
export type SectionId = (typeof SECTIONS)[number]['id']
