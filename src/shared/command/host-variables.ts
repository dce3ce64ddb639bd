/** Variables that every account on a host has of its own: only the host knows what they say. */
const NAMES = [
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'HOSTNAME',
  'PATH',
  'LD_LIBRARY_PATH',
  'PYTHONPATH',
  'TMPDIR',
  'CUDA_HOME',
  'XDG_CACHE_HOME',
]
const OWN = new Set(NAMES)

export const isHostVariable = (name: string): boolean => OWN.has(name)

/** How a reference to one stands in the words of a reading, whatever way it was written: `${NAME}`; the home folder as `$HOME`. */
export const keptReference = (name: string): string => (name === 'HOME' ? '$HOME' : `\${${name}}`)

/** Finds such references; the name is the first group. */
export const hostReference = (flags = ''): RegExp => new RegExp(`\\$\\{(${NAMES.join('|')})\\}`, flags)
