import { request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { PAGE_KEY_HEADER } from '../../../shared/contract/page-key.ts'
import type { AttachAddress } from './attach-address.ts'

const LIMIT_MS = 10_000

/** What every later socket is opened with. */
export interface Admission {
  /** The cookie header. */
  cookie: string
  /** The key of the page's origin. */
  key: string
}

/** The one-time link → what lets us in. Throws what to tell the person. */
export function exchangeToken({ link }: AttachAddress): Promise<Admission> {
  const request = link.startsWith('https:') ? requestSecure : requestPlain
  return new Promise((resolve, reject) => {
    const asked = request(link, { method: 'GET', timeout: LIMIT_MS, headers: { accept: 'text/html' } }, (answer) => {
      answer.resume()
      const cookies = (answer.headers['set-cookie'] ?? [])
        .map((cookie) => cookie.split(';')[0] ?? '')
        .filter((it) => it.includes('='))
      const status = answer.statusCode ?? 0
      const key = answer.headers[PAGE_KEY_HEADER]
      if (status < 400 && cookies.length > 0 && typeof key === 'string') resolve({ cookie: cookies.join('; '), key })
      else if (status === 401 || status === 403) reject(new Error('That link was used already or is not valid any more.'))
      else reject(new Error(`That address did not answer as Speedgrid does (HTTP ${String(status)}).`))
    })
    asked.once('timeout', () => asked.destroy(new Error('timeout')))
    asked.once('error', (error) => {
      const code = 'code' in error && typeof error.code === 'string' ? error.code : error.message
      reject(new Error(`Nothing answers at that address (${code}).`))
    })
    asked.end()
  })
}
