import { readJson } from '../../../shared/bytes/index.ts'
import { errorMessageOf } from './event-facts.ts'
import { excerpt } from './stream-reader.ts'
import type { StreamError } from './types.ts'

const looksLikeHtml = (text: string, contentType: string): boolean =>
  contentType.includes('text/html') || /^\s*<(!doctype\s+html|html|head|body)\b/i.test(text)

/** What the server said, from an error body of any shape (a string in `error` is vLLM's way of refusing a key). */
export function serverMessage(text: string, contentType: string): string {
  if (looksLikeHtml(text, contentType)) return 'an HTML page, so this is not an OpenAI-style server'
  try {
    const message = errorMessageOf(readJson(text))
    if (message !== undefined) return excerpt(message, 400)
  } catch {
    // not JSON: its text will do
  }
  return excerpt(text, 400)
}

/** The error of an answer that should have been an event stream; `text` is its beginning. */
export function answerError(status: number, contentType: string, text: string): StreamError {
  const said = serverMessage(text, contentType)
  if (status === 401 || status === 403) {
    return {
      kind: 'unauthorized',
      status,
      message: `HTTP ${status}: the server refused the API key${said === '' ? '' : ` (${said})`}`,
    }
  }
  if (status !== 200)
    return { kind: 'http', status, message: `HTTP ${status}${said === '' ? ' without a message' : `: ${said}`}` }
  if (looksLikeHtml(text, contentType)) return { kind: 'http', status, message: `HTTP 200, but ${said}` }
  return { kind: 'protocol', status, message: `HTTP 200, but no event stream: ${said === '' ? 'an empty body' : said}` }
}

const CONNECT_CODES: Record<string, string> = {
  ECONNREFUSED: 'refused the connection',
  ENOENT: 'is not there (its socket file is missing)',
  ENOTFOUND: 'has a name that cannot be resolved',
  EAI_AGAIN: 'has a name that cannot be resolved just now',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  ETIMEDOUT: 'did not answer the connection attempt',
}

/** What a limit of open files keeps from being done. */
export const NO_CONNECTION = 'no further connection to the server can be opened'

export function errorCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** One sentence about a connection that failed; `where` names the server. */
export function connectionMessage(where: string, error: unknown, connected: boolean): string {
  const code = errorCodeOf(error)
  const known = CONNECT_CODES[code]
  if (known !== undefined && !connected) return `${where} ${known}${code === '' ? '' : ` (${code})`}`
  if (connected) return `${where} closed the connection before the answer was complete${code === '' ? '' : ` (${code})`}`
  const said = error instanceof Error ? error.message : String(error)
  return `connecting to ${where} failed: ${excerpt(said, 200)}${code === '' || said.includes(code) ? '' : ` (${code})`}`
}
