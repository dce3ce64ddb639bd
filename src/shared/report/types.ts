import type { CellStatus } from '../model/cell.ts'

export const REPORT_FORMATS = ['html', 'md', 'csv', 'json'] as const
export type ReportFormat = (typeof REPORT_FORMATS)[number]
/** What a person can get: pdf and png are the HTML, printed by a browser. */
export type ExportFormat = ReportFormat | 'pdf' | 'png'

/** A label and its text. */
export interface Pair {
  label: string
  text: string
}

/** A table of plain texts; how it is drawn and escaped is each format's business. */
export interface ReportTable {
  title: string
  note?: string
  columns: { label: string; numeric: boolean }[]
  rows: string[][]
  /** Cells that only few samples are behind; formats that can mark them do, beside the text. */
  marked?: boolean[][]
}

/** One bar of the prefill section. */
export interface PrefillEntry {
  contextTokens: number
  context: string
  status: CellStatus
  rate: string
  ttft: string
  tokensPerSecond?: number
  ttftMs?: number
  /** What is doubtful about it, one sentence each. */
  doubts: string[]
}

/** One cell of the matrix. `rate` and `ttft` are only there for a valid cell; `label` is what a cell of any other status says. */
export interface MatrixCell {
  contextTokens: number
  concurrency: number
  /** undefined where the plan had no such cell. */
  status?: CellStatus
  label: string
  rate?: string
  ttft?: string
  tokensPerSecond?: number
  ttftMs?: number
  /** 0 (slowest valid cell) … 1 (fastest), on a logarithmic scale. */
  heat?: number
  reason?: string
  doubts: string[]
}

export interface Matrix {
  contexts: number[]
  levels: number[]
  /** One row a context, one cell a level. */
  rows: MatrixCell[][]
}

/** Log lines and messages that explain why a cell has no figures. */
export interface LogExcerpt {
  title: string
  lines: string[]
}

/** Everything a report shows, as texts, before any format. The first part has the shape of the published pages. */
export interface ReportModel {
  title: string
  /** "MODEL on HARDWARE" */
  heading: string
  /** Set for runs of the demo lab machine; every format shows it. */
  demoLabel?: string
  /** Set while the run is not finished, or ended otherwise than finished. */
  stateLabel?: string
  engineLine: string
  gridLine: string
  hardware: Pair[]
  engine: Pair[]
  run: Pair[]
  launchCommand?: string
  prefill: PrefillEntry[]
  matrix: Matrix
  /** Explanations of the statuses that occur, then of TTFT. */
  statusNotes: Pair[]
  ttftNote: string
  measurementsNote: string
  measurements: ReportTable
  /** What we add to the published shape. */
  doubts: ReportTable | undefined
  reasons: ReportTable | undefined
  logs: LogExcerpt[]
  tables: ReportTable[]
  conduct: Pair[]
  moreHardware: Pair[]
  startedCommand?: string
  requestTemplate?: string
  note?: string
}
