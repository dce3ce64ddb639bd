import { readFile, realpath, stat } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
}

interface StaticFile {
  data: Buffer
  mediaType: string
  /** Its name changes with its content. */
  immutable: boolean
}

/**
 * A file of the built page. `path` is the path of the address, still encoded. undefined for everything that isn't a plain file below
 * the folder: `..` in any spelling, backslashes, hidden files, links that lead out, types that the page has none of.
 */
export async function readStatic(folder: string, path: string): Promise<StaticFile | undefined> {
  const parts = decode(path)
  if (parts === undefined) return undefined
  const mediaType = TYPES[extname(parts.at(-1) ?? '').toLowerCase()]
  if (mediaType === undefined) return undefined
  try {
    const root = await realpath(folder)
    const file = await realpath(join(root, ...parts))
    if (!file.startsWith(root + sep) || !(await stat(file)).isFile()) return undefined
    return { data: await readFile(file), mediaType, immutable: parts[0] === 'assets' }
  } catch {
    return undefined
  }
}

function decode(path: string): string[] | undefined {
  let text: string
  try {
    text = decodeURIComponent(path)
  } catch {
    return undefined
  }
  // oxlint-disable-next-line no-control-regex -- a NUL ends a path for the system
  if (!text.startsWith('/') || /[\\\u0000]/.test(text)) return undefined
  const parts = text.slice(1).split('/')
  return parts.some((part) => part === '' || part.startsWith('.')) ? undefined : parts
}

/** The page itself, with the nonce of its policy where it looks for it. */
export async function readPage(folder: string, nonce: string): Promise<string | undefined> {
  try {
    const page = await readFile(join(folder, 'index.html'), 'utf8')
    return page.replaceAll('__CSP_NONCE__', nonce)
  } catch {
    return undefined
  }
}
