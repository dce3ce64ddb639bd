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

/** Exact repetition found in one channel of one request (docs/measurement.md 5, docs/published-method.md 4). */
export interface LoopFinding {
  channel: 'reasoning' | 'content'
  periodChars: number
  cycles: number
  repeatedChars: number
  excerpt: string
}

export interface StreamError {
  /** limit: our own machine's, of open files. */
  kind: 'http' | 'unauthorized' | 'error_event' | 'cut' | 'connect' | 'protocol' | 'limit'
  /** One sentence with status and the server's message, secrets-free, at most 500 characters. */
  message: string
  status?: number
}

/** What is known of one request; grows while it runs, final when `done` has resolved. Times are performance.now() values. */
export interface RequestResult {
  /** When the request was really begun: of many that are asked for at once, one begins in each turn of the event loop. */
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
  /** Some event told completion tokens: with `completed`, outputTokens is the server's own last word. */
  usageTold?: boolean
  cancelled: boolean
  error?: StreamError
}

export interface StreamRequest {
  path: string
  /** Shared by all requests that send the same text: never copied. */
  body: Buffer
  /** What the request asks for: a stream that goes on beyond twice of it is cut. Absent: there is no such limit. */
  maxTokens?: number
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
  /** Rejects with a SpeedgridError (`server_gone` when refused or cut, `file_limit`, `http` on a timeout). Any status resolves. */
  request(
    method: 'GET' | 'POST',
    path: string,
    options?: { json?: unknown; timeoutMs?: number; maxBytes?: number },
  ): Promise<HttpAnswer>
  dispose(): void
}

export interface ClientOptions {
  baseUrl: string
  socketPath?: string
  apiKey?: string
  /** Asked before each new connection, and told when one has ended: a `problem` fails it before anything is sent. */
  portOwner?: { problem(): Error | undefined; doubt(): void }
  /** How long a stream may be silent, besides what its prompt and those before it may take; default 30 minutes. */
  silenceMs?: number
}

interface ChatMessage {
  role: 'user' | 'assistant' | 'system'
  content: string
}

/** What a request says: chat messages, or the prompt of /v1/completions as token ids (text only where ids can't be had). */
export type PromptContent = { messages: ChatMessage[] } | { prompt: string | number[] }

/** Which prompt is wanted. promptSpec() of prompt-modes.ts makes it from the plan's mode. */
export interface PromptSpec {
  /** Exact length as the server counts it; 0 is the task alone (its own length, no nonce). */
  contextTokens: number
  /** First text of the prompt (promptNonce()); equal nonces share cache blocks, different ones never do. */
  nonce: string
  /** Number of the task at the end; 0 where absent. Different numbers are different tasks. */
  task?: number
  /** Another document from the same seed; 0 where absent. */
  textVariant?: number
  /**
   * Keeps this prompt's document and exchanges nonce and task only, padded to the same length by counting just those parts: a few
   * short count calls in place of whole ones. The whole isn't counted again: usage.prompt_tokens of the request verifies it.
   */
  like?: BuiltPrompt
}

type PromptMethod = 'tokenize' | 'token-ids' | 'usage'

export interface BuiltPrompt {
  contextTokens: number
  content: PromptContent
  /** What the server counts (chat template included). */
  countedTokens: number
  /** countedTokens equals contextTokens (always true at 0). */
  exact: boolean
  method: PromptMethod
  /** Of the content as JSON, hex. */
  sha256: string
  countCalls: number
  /** How it is put together, for `like`. */
  parts: { nonce: string; document: string; task: string; documentIds?: number[] }
}

export interface PromptSource {
  /** Throws a SpeedgridError `plan` where the length can't be reached (own text too short, context shorter than a task). */
  build(spec: PromptSpec): Promise<BuiltPrompt>
}

/** How prompts are counted. The functions reject with what the client rejects with. */
export interface TokenCounter {
  method: 'tokenize' | 'usage'
  /** Tokens of the whole content, template included. */
  count: (content: PromptContent) => Promise<number>
  /** Ids of the whole content, template included; undefined where the server counts without telling them. */
  contentIds?: (content: PromptContent) => Promise<number[] | undefined>
  /** Ids of a text; only where the server tells them. */
  tokenIds?: (text: string, addSpecialTokens: boolean) => Promise<number[]>
}

export interface PromptSourceOptions {
  seed: number
  endpoint: 'chat' | 'completions'
  counter: TokenCounter
  /** The person's own texts instead of the seeded one. */
  texts?: readonly string[]
}

/** What the body says beside the prompt (docs/measurement.md 1, docs/published-method.md 1). */
export interface BodyOptions {
  model: string
  maxTokens: number
  temperature?: number
  /** Default true; a prefill as published leaves it out. */
  ignoreEos?: boolean
  /** Default true: the running count of output tokens with every event. */
  continuousUsage?: boolean
}
