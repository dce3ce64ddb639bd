import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { COMMON_HEADERS, noticePolicy } from './headers.ts'
import { noticePage } from './notice.ts'

/** A page of a few words that says no. */
export function refuse(response: ServerResponse, status: number, title: string, paragraphs: string[]): void {
  const nonce = randomBytes(16).toString('base64')
  const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }
  const page = noticePage({ title, paragraphs, nonce })
  send(response, status, { ...headers, 'content-security-policy': noticePolicy(nonce) }, page)
}

export function send(response: ServerResponse, status: number, headers: Record<string, string>, data: string | Buffer): void {
  response.writeHead(status, {
    ...COMMON_HEADERS,
    ...headers,
    ...(status === 204 ? {} : { 'content-length': Buffer.byteLength(data) }),
  })
  // A HEAD has no body; node leaves it out by itself.
  response.end(data)
}
