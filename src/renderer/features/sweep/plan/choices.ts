import type { Plan } from '../../../../shared/model/plan.ts'

export interface Choice<Value extends string> {
  value: Value
  label: string
  hint: string
}

export const PROMPT_MODE_CHOICES: readonly Choice<Plan['promptMode']>[] = [
  {
    value: 'shared',
    label: 'Shared',
    hint: 'As published: all requests of a cell are byte-identical and the prompt is in the cache. TTFT has hardly any prefill in it.',
  },
  {
    value: 'shared-prefix',
    label: 'Shared document',
    hint: 'One document in the cache, a different task for each stream. Hybrid models may lose the last cached block.',
  },
  {
    value: 'distinct',
    label: 'Distinct',
    hint: 'A different prompt for each stream, each warmed before: as many prefills as requests at once.',
  },
  { value: 'cold', label: 'Cold', hint: 'No prompt was ever seen before: every TTFT holds the whole prefill.' },
]

export const CAPACITY_CHOICES: readonly Choice<Plan['capacity']>[] = [
  {
    value: 'published',
    label: 'As published',
    hint: 'A cell is left out when requests × (context + max output) exceeds the KV cache.',
  },
  {
    value: 'shared',
    label: 'Prompt counted once',
    hint: 'A cell is left out when context + requests × max output exceeds the KV cache: right for a shared prompt.',
  },
  {
    value: 'none',
    label: 'Run it and see',
    hint: 'Nothing is left out; the server queues or preempts, and the cell is flagged.',
  },
]

export const ORDER_CHOICES: readonly Choice<Plan['order']>[] = [
  { value: 'published', label: 'As published', hint: 'First column, first row, then row by row.' },
  { value: 'ascending', label: 'Cheapest first', hint: 'By the KV tokens a cell needs: the grid fills from its small corner.' },
]

export const DRIVER_CHOICES: readonly Choice<'auto' | NonNullable<Plan['driver']>>[] = [
  {
    value: 'auto',
    label: 'Where it is best',
    hint: 'On the host where there is a Node, else through the tunnel; a URL directly. The dry run says which.',
  },
  {
    value: 'host',
    label: 'On the host',
    hint: 'The network is out of the numbers, and the sweep goes on when this machine sleeps.',
  },
  { value: 'tunnel', label: 'Through the tunnel', hint: 'From this machine over SSH; the path is part of the numbers.' },
  { value: 'local', label: 'Directly', hint: 'From this machine straight to the address.' },
]

export const ENDPOINT_CHOICES: readonly Choice<Plan['endpoint']>[] = [
  { value: 'chat', label: 'Chat', hint: '/v1/chat/completions, as published.' },
  {
    value: 'completions',
    label: 'Completions',
    hint: '/v1/completions with token ids: exact lengths, no tokenization inside TTFT.',
  },
]

export const COUNT_TOKENS_CHOICES: readonly Choice<Plan['countTokens']>[] = [
  {
    value: 'auto',
    label: 'Chosen by the warm-up',
    hint: 'At the end where each event is one token and the server has a counter, else with every event.',
  },
  { value: 'with-events', label: 'With every event', hint: 'Exact, and work for the server at every token.' },
  { value: 'at-end', label: 'At the end', hint: 'Events, by each request’s last word and the server’s counter.' },
]

export const ON_LOOP_CHOICES: readonly Choice<Plan['onLoop']>[] = [
  { value: 'discard', label: 'Discard the cell', hint: 'As published: one stream that repeats itself spoils the cell.' },
  {
    value: 'replace',
    label: 'Replace the stream',
    hint: 'Restarted with another task; the cell counts, flagged, when less than 5 % of its tokens are affected.',
  },
]

export const FOREIGN_LOAD_CHOICES: readonly Choice<Plan['foreignLoad']>[] = [
  { value: 'wait', label: 'Wait', hint: 'Wait until nobody else uses the server, then give the cell up.' },
  { value: 'error', label: 'Give the cell up', hint: 'The cell becomes an error at once.' },
  { value: 'measure', label: 'Measure anyway', hint: 'The cell is measured and flagged.' },
]

export const SERVER_GONE_CHOICES: readonly Choice<Plan['onServerGone']>[] = [
  { value: 'stop', label: 'End the run', hint: 'What is measured is kept, and the run can be gone on with.' },
  {
    value: 'wait',
    label: 'Wait for it',
    hint: 'The run goes on when the server answers again; the cell at hand is measured again.',
  },
]
