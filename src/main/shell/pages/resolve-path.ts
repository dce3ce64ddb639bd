import { join, normalize, relative, sep } from 'node:path'
import { isAppUrl } from '../bridge/sender.ts'

export type PageRoot = 'renderer' | 'shell'

/** `app://speedgrid/<path>` → a file below one of the folders; undefined for every address that leads elsewhere. */
export function resolvePage(url: string, folders: Record<PageRoot, string>): string | undefined {
  if (!isAppUrl(url)) return undefined
  let path: string
  try {
    path = decodeURIComponent(new URL(url).pathname)
  } catch {
    return undefined
  }
  // A backslash is a separator on Windows, a colon a drive or a stream there; no page of ours has either.
  if (/[\\:\0]/.test(path)) return undefined
  const parts = path.split('/').filter((part) => part !== '')
  if (parts.some((part) => part === '..' || part === '.' || part.startsWith('.'))) return undefined
  // The shell's own small pages (attach) are beside the renderer's under a name of their own.
  const [first, ...rest] = parts
  const folder = first === 'shell' ? folders.shell : folders.renderer
  const file = join(folder, ...(first === 'shell' ? rest : parts))
  const below = relative(normalize(folder), file)
  if (below.startsWith('..') || below.split(sep).includes('..')) return undefined
  return below === '' ? join(folder, 'index.html') : file
}

const MEDIA_TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  ico: 'image/x-icon',
  woff: 'font/woff',
  woff2: 'font/woff2',
}

/** Undefined for files that are no part of a page (source maps, whatever else lies there). */
export const mediaTypeOf = (file: string): string | undefined => MEDIA_TYPES[/\.([a-z0-9]+)$/.exec(file)?.[1] ?? '']
