/** One SSE event that carried output (content, reasoning, tool text or token ids; the empty role chunk is none). */
export interface OutputEvent {
  /** performance.now() in the socket's data callback, before any parsing. */
  atMs: number
  /** Growth of usage.completion_tokens since the request's last event (never negative); 1 a text chunk where there is no usage. */
  deltaTokens: number
  /** Cumulative completion tokens of the request. */
  completionTokens: number
  /** True for the request's first output event. */
  first: boolean
}

/** Exact repetition found in one channel of one request (measurement.md 5, published-method.md 2.9). */
export interface LoopFinding {
  channel: 'reasoning' | 'content'
  periodChars: number
  cycles: number
  repeatedChars: number
  excerpt: string
}

export interface StreamError {
  kind: 'http' | 'unauthorized' | 'error_event' | 'cut' | 'connect' | 'protocol'
  /** One sentence with status and the server's message, secrets-free, at most 500 characters. */
  message: string
  status?: number
}

/** What is known of one request; grows while it runs, final when `done` has resolved. Times are performance.now() values. */
export interface RequestResult {
  startMs: number
  lastByteSentMs?: number
  roleEventMs?: number
  /** First output event. */
  firstEventMs?: number
  lastEventMs?: number
  /** First event with completion_tokens ≥ 1 or a finish reason: where a prefill's clock stops. */
  firstTokenMs?: number
  endMs?: number
  promptTokens?: number
  cachedTokens?: number
  outputTokens: number
  firstEventTokens?: number
  events: number
  /** `[DONE]` seen, without an error event before it. */
  completed: boolean
  finishReason?: string
  tokenSource: 'usage' | 'events'
  cancelled: boolean
  error?: StreamError
}

export interface StreamRequest {
  path: string
  /** Shared by all requests that send the same text: never copied. */
  body: Buffer
  onEvent?: (event: OutputEvent) => void
  /** Called once, at the first confirmed loop. Absent: no detection. */
  onLoop?: (finding: LoopFinding) => void
}

export interface InFlight {
  readonly result: RequestResult
  /** Never rejects: failures are in result.error. */
  readonly done: Promise<RequestResult>
  /** Closes the connection; vLLM aborts on disconnect. */
  cancel(): void
}

export interface HttpAnswer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  /** From the request's start to the end of the answer. */
  latencyMs: number
  /** performance.now() when the answer ended. */
  endMs: number
}

/** HTTP to one server: its own connections, no-delay, keep-alive, no proxy, no redirect. */
export interface DriverClient {
  stream(request: StreamRequest): InFlight
  /** Rejects with a SpeedgridError (`server_gone` when refused or cut, `http` on a timeout). Any status resolves. */
  request(method: 'GET' | 'POST', path: string, options?: { json?: unknown; timeoutMs?: number; maxBytes?: number }): Promise<HttpAnswer>
  dispose(): void
}

export interface ClientOptions {
  baseUrl: string
  socketPath?: string
  apiKey?: string
}
