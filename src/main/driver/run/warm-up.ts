import { abortable } from './abortable.ts'
import type { DriverClient, RequestResult } from '../stream/types.ts'
import { sendOne } from './probe-request.ts'
import type { PromptBook } from './prompt-book.ts'

const KERNEL_TOKENS = 32
const BATCH_TOKENS = 4
const PREFILL_CONTEXT_TOKENS = 8192

/** Kernels by a short request, then the prefill path by the plan's smallest context up to 8K; nothing of it is recorded. Returns the first requests: what their streams show of the server's abilities counts. */
export async function warmUp(options: {
  client: DriverClient
  book: PromptBook
  contexts: number[]
  signal: AbortSignal
}): Promise<[RequestResult, ...RequestResult[]]> {
  const { client, book, signal } = options
  const kernels = await abortable(book.short(KERNEL_TOKENS), signal)
  const cold = await sendOne(client, kernels, signal)
  // The first one ever may wait for kernels to be compiled, and get its first tokens together.
  const shown: [RequestResult, ...RequestResult[]] = [await sendOne(client, kernels, signal), cold]
  const candidates = options.contexts.filter((context) => context > 0 && context <= PREFILL_CONTEXT_TOKENS)
  if (candidates.length === 0) return shown
  await sendOne(client, await abortable(book.coldPrefill(Math.min(...candidates), 'warm-up'), signal), signal)
  return shown
}

/** A batch size is warmed before its first cell: the first one ever run may be compiled for (docs/published-method.md 5). */
export async function warmBatchSize(options: {
  client: DriverClient
  book: PromptBook
  concurrency: number
  signal: AbortSignal
}): Promise<void> {
  const request = await abortable(options.book.short(BATCH_TOKENS), options.signal)
  await Promise.all(
    Array.from({ length: options.concurrency }, (_, stream) => sendOne(options.client, request, options.signal, stream)),
  )
}
