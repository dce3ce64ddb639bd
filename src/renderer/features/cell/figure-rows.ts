import { countText, decimalText, fineMsText, msText, percentText, rateText, secondsText } from '../../../shared/format/index.ts'
import type { CellFigures, Flag } from '../../../shared/model/cell.ts'
import type { FigureName } from '../../ui/figures.ts'

/** A line of a table of figures. */
export interface FigureRow {
  label: string
  text: string
  /** Its definition stands in ui/figures.ts. */
  figure?: FigureName
  /** Explains what has no definition there. */
  hint?: string
  doubts: Flag[]
}

interface FigureGroup {
  title: string
  rows: FigureRow[]
}

const TOKEN_SOURCES: Record<NonNullable<CellFigures['tokenSource']>, string> = {
  usage: 'the server’s running count',
  final_usage: 'events, by what finished requests told',
  server_counter: 'events × the server’s counter',
  events: 'events (unit not known)',
}

const CONFIDENCE = { window: 'within the window', repeats: 'from repeats', assumed: 'assumed' } as const

type Draft = readonly [
  label: string,
  text: string | undefined,
  figure: FigureName | undefined,
  names?: readonly string[],
  hint?: string,
]

const known = (value: number | undefined, write: (value: number) => string) => (value === undefined ? undefined : write(value))

/** Everything that was measured, in groups; what was not is left out. `flags` are set beside the figures they name. */
export function figureGroups(figures: CellFigures, flags: readonly Flag[]): FigureGroup[] {
  const groups: [string, Draft[]][] = [
    ['Speed', speedRows(figures)],
    ['Requests', requestRows(figures)],
    ['Energy', energyRows(figures)],
    ['Speculative decoding', speculativeRows(figures)],
    ['Checks', checkRows(figures)],
    ['Path', pathRows(figures)],
  ]
  return groups.flatMap(([title, drafts]): FigureGroup[] => {
    const rows = drafts.flatMap((draft) => toRow(draft, flags))
    return rows.length === 0 ? [] : [{ title, rows }]
  })
}

function toRow([label, text, figure, names = [], hint]: Draft, flags: readonly Flag[]): FigureRow[] {
  if (text === undefined) return []
  const doubts = flags.filter((flag) => flag.figures?.some((name) => names.includes(name)))
  return [{ label, text, doubts, ...(figure && { figure }), ...(hint !== undefined && { hint }) }]
}

function speedRows(f: CellFigures): Draft[] {
  return [
    ['Total tok/s', known(f.totalTokensPerSecond, rateText), 'totalTokensPerSecond', ['totalTokensPerSecond']],
    ['Events per second', known(f.eventsPerSecond, rateText), undefined, [], 'How many tokens an event holds is not known.'],
    [
      'Per request tok/s',
      known(f.perRequestTokensPerSecond, rateText),
      'perRequestTokensPerSecond',
      ['perRequestTokensPerSecond'],
    ],
    ['TTFT', known(f.ttftMs, msText), 'ttftMs', ['ttftMs']],
    [
      'first of the cell',
      known(f.ttftInitialMs, msText),
      undefined,
      [],
      'TTFT of the requests that started together at the beginning.',
    ],
    [
      'following ones',
      known(f.ttftRestartMs, msText),
      undefined,
      [],
      'TTFT of requests that followed another one on the same stream.',
    ],
    [
      'from last byte sent',
      known(f.ttftFromLastByteMs, msText),
      undefined,
      [],
      'TTFT counted from when the request was completely sent.',
    ],
    [
      'Time between tokens',
      known(f.timeBetweenTokensMs, (value) => fineMsText(value, 2)),
      'timeBetweenTokensMs',
      ['timeBetweenTokensMs'],
    ],
    [
      'Confidence',
      known(
        f.confidence95Percent,
        (value) => `± ${percentText(value)}${f.confidenceSource ? `, ${CONFIDENCE[f.confidenceSource]}` : ''}`,
      ),
      'confidence95Percent',
    ],
  ]
}

function requestRows(f: CellFigures): Draft[] {
  const share = f.cache?.cachedShare
  return [
    ['Real prompt length', known(f.promptTokens, (value) => `${countText(value)} tokens`), 'promptTokens'],
    ['Average active requests', known(f.activeRequestsMean, decimalText), 'activeRequestsMean'],
    ['Decoding streams', known(f.decodingStreamsMean, decimalText), 'decodingStreamsMean'],
    ['Completed requests', known(f.completedRequests, countText), 'completedRequests'],
    ['Requests behind the medians', known(f.requestSamples, countText), undefined],
    ['Output tokens', known(f.outputTokens, countText), 'outputTokens'],
    ['Measured for', known(f.measuredSeconds, secondsText), 'measuredSeconds'],
    ['Window', known(f.windowSeconds, secondsText), 'window'],
    [
      'From the prompt cache',
      known(share, (value) => percentText(100 * value)),
      undefined,
      [],
      'Share of the prompt tokens that came from the server’s cache.',
    ],
    [
      'Preemptions',
      known(f.cache?.preemptions, countText),
      undefined,
      [],
      'How often the server put a request aside for lack of KV cache.',
    ],
  ]
}

function energyRows(f: CellFigures): Draft[] {
  const energy = f.energy
  if (!energy) return []
  const gpus = `${countText(energy.gpuCount)} GPU${energy.gpuCount === 1 ? '' : 's'}`
  return [
    [
      'Energy',
      known(energy.joulesPerOutputToken, (value) => `${decimalText(value, value < 1 ? 3 : 2)} J per output token`),
      'energy',
    ],
    ['Mean power', `${countText(energy.meanWatts)} W, ${gpus}`, 'power'],
    ['SM clock', known(energy.smClockMhz, (value) => `${countText(value)} MHz`), 'smClock'],
    ['Temperature', known(energy.temperatureC, (value) => `${countText(value)} °C`), 'temperature'],
    [
      'Held back by',
      energy.throttleReasons.length === 0 ? undefined : energy.throttleReasons.join(', '),
      undefined,
      [],
      'Reasons the GPUs gave for running slower.',
    ],
    ['Samples', countText(energy.samples), undefined],
  ]
}

function speculativeRows(f: CellFigures): Draft[] {
  const spec = f.speculative
  if (!spec) return []
  return [
    ['Acceptance', spec.draftTokens > 0 ? percentText((100 * spec.acceptedTokens) / spec.draftTokens) : undefined, 'acceptance'],
    [
      'Tokens per step',
      decimalText(spec.acceptanceLength, 2),
      undefined,
      [],
      'Accepted tokens and the model’s own one, per step.',
    ],
    ['Steps per second', decimalText(spec.stepsPerSecond), undefined],
    ['Drafted, accepted', `${countText(spec.draftTokens)}, ${countText(spec.acceptedTokens)}`, undefined],
  ]
}

function checkRows(f: CellFigures): Draft[] {
  const check = f.serverCheck
  const sign = (value: number) => (value > 0 ? '+' : value < 0 ? '−' : '')
  return [
    [
      'Server cross-check',
      check &&
        `${sign(check.differencePercent)}${decimalText(Math.abs(check.differencePercent), 2)} % over ${secondsText(check.seconds)}`,
      'serverCheck',
    ],
    ['Server’s count, ours', check && `${countText(check.serverTokens)}, ${countText(check.ourTokens)}`, undefined],
    ['Tokens from', f.tokenSource && TOKEN_SOURCES[f.tokenSource], undefined],
  ]
}

function pathRows(f: CellFigures): Draft[] {
  const path = f.path
  return [
    ['Lateness p99', known(path?.latenessP99Ms, (value) => fineMsText(value, 2)), 'latenessP99Ms'],
    [
      'Event-loop delay p99',
      known(path?.loopDelayP99Ms, (value) => fineMsText(value, 2)),
      undefined,
      [],
      'How long our program’s own loop was held up.',
    ],
    ['CPU of the driver', known(path?.cpuShare, (value) => percentText(100 * value)), undefined, [], 'Share of one core.'],
    ['Events', known(path?.events, countText), undefined, [], 'Messages of all streams in the window.'],
  ]
}

interface PercentileRow {
  label: string
  figure: FigureName
  p50: string
  p90: string
  p99: string
}

export function percentileRows({ percentiles }: CellFigures): PercentileRow[] {
  if (!percentiles) return []
  const rows = [
    ['TTFT', 'ttftMs', percentiles.ttftMs, 0],
    ['Time between tokens', 'timeBetweenTokensMs', percentiles.timeBetweenTokensMs, 2],
    ['Gap between events', 'eventGapMs', percentiles.eventGapMs, 2],
  ] as const
  return rows.flatMap(([label, figure, spread, decimals]) => {
    if (!spread) return []
    const text = (value: number) => fineMsText(value, decimals)
    return [{ label, figure, p50: text(spread.p50), p90: text(spread.p90), p99: text(spread.p99) }]
  })
}
