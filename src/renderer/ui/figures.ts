/** What every figure means (docs/measurement.md 4), for tooltips. One name and one definition a figure, everywhere. */
export const FIGURES = {
  totalTokensPerSecond: {
    name: 'Total tok/s',
    definition:
      'Output tokens of all simultaneous requests together in the window, divided by the seconds from its opening to its last token.',
  },
  perRequestTokensPerSecond: {
    name: 'Per request tok/s',
    definition: 'Median over requests of one divided by the time between tokens: what one user sees.',
  },
  ttftMs: {
    name: 'TTFT',
    definition:
      'Time to first token: median over requests, from the start of the request to its first output event. An empty role message does not count.',
  },
  timeBetweenTokensMs: {
    name: 'Time between tokens',
    definition:
      'Median over requests: time from the first to the last output event, divided by the tokens after the first event.',
  },
  activeRequestsMean: {
    name: 'Average active requests',
    definition: 'Mean of the server’s own count of running requests in the window.',
  },
  decodingStreamsMean: {
    name: 'Decoding streams',
    definition: 'Our own time-weighted count of streams between their first and last event.',
  },
  completedRequests: { name: 'Completed requests', definition: 'Requests of this attempt that reached their end.' },
  outputTokens: { name: 'Output tokens', definition: 'Tokens counted inside the window.' },
  measuredSeconds: { name: 'Measured for', definition: 'Seconds from the window’s opening to its last counted token.' },
  promptTokens: {
    name: 'Real prompt length',
    definition: 'Median prompt length as the server counted it, chat template included.',
  },
  confidence95Percent: {
    name: 'Confidence',
    definition:
      'Half-width at 95 % of the total rate, in percent of it. From the spread of repeats where there are some, else from one-second buckets, else assumed.',
  },
  energy: {
    name: 'Energy',
    definition: 'Joules of the server’s own GPUs for each output token, from power samples inside the window.',
  },
  power: { name: 'Power', definition: 'Sum over the server’s GPUs as the driver reports it.' },
  temperature: { name: 'Temperature', definition: 'The hottest GPU.' },
  smClock: { name: 'SM clock', definition: 'Clock of the streaming multiprocessors; a fall under load is throttling.' },
  gpuMemory: { name: 'GPU memory', definition: 'Memory in use on the server’s GPUs, by all processes.' },
  kvUsage: { name: 'KV cache fill', definition: 'Share of the KV cache in use, as the server reports it.' },
  running: { name: 'Running', definition: 'Requests the server is generating for right now.' },
  waiting: { name: 'Waiting', definition: 'Requests in the server’s queue.' },
  acceptance: { name: 'Acceptance', definition: 'With speculative decoding: tokens accepted for each draft.' },
  prefillTokensPerSecond: {
    name: 'Prefill tok/s',
    definition: 'Real prompt tokens divided by TTFT of a cold request for one token; median over samples.',
  },
  percentiles: { name: 'Percentiles', definition: '50, 90 and 99 of 100 values lie at or below these.' },
  eventGapMs: {
    name: 'Gap between events',
    definition:
      'Time from one message of a stream to the next. With several tokens a message it is longer than the time between tokens.',
  },
  serverCheck: {
    name: 'Server cross-check',
    definition: 'Growth of the server’s own token counter against our count between the same two moments.',
  },
  latenessP99Ms: {
    name: 'Lateness p99',
    definition: 'How late our program noticed what had arrived. Above 10 ms the cell is flagged.',
  },
  context: { name: 'Context', definition: 'Prompt length in tokens. 8K is 8,192.' },
  concurrency: { name: 'Requests at once', definition: 'Streams that keep a request in flight all the time.' },
  window: { name: 'Window', definition: 'The measured seconds: they open when every stream produces output.' },
  eta: {
    name: 'Remaining',
    definition: 'From the plan and what the cells took so far; a first guess gets better with every cell.',
  },
} as const satisfies Record<string, { name: string; definition: string }>

export type FigureName = keyof typeof FIGURES
