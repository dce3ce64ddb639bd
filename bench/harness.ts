import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const HERE = import.meta.dirname

export interface ServerSettings {
  port?: number
  slots: number
  eventsPerSecond: number
  tokensPerEvent?: number
  ttftMs?: number
  phase?: 'step' | 'spread'
  usage?: 'continuous' | 'final' | 'none'
}

export interface Truth {
  startedWallMs: number
  wallToMonotonicNs: number
  request: number[]
  scheduledNs: number[]
  /** When the event's tokens began to be made. */
  sinceNs: number[]
  actualNs: number[]
  tokens: number[]
  requests: { user: string; receivedNs: number; firstNs?: number; lastNs?: number; tokens: number; endNs?: number }[]
}

export interface Reading {
  openNs: number
  closeNs: number
  events: number
  tokens: number
  cpuSeconds: number
  loopDelayP99Ms?: number
  rssMiB: number
  requests: {
    user: string
    startNs: number
    firstNs?: number
    lastNs?: number
    tokens: number
    firstTokens?: number
    completed: boolean
  }[]
  /** Request, cumulative tokens, time (ns), one after the other. */
  records: Float64Array
}

function outputOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (part: string) => (text += part))
    child.on('error', reject)
    child.on('close', (code) => (code === 0 ? resolve(text) : reject(new Error(`a bench process ended with ${code}`))))
  })
}

export interface TruthServer {
  port: number
  pid: number
  truth(): Promise<Truth>
  stop(): void
}

export async function startTruthServer(settings: ServerSettings): Promise<TruthServer> {
  const child = spawn(process.execPath, [join(HERE, 'truth-server.ts'), JSON.stringify(settings)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', resolve)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the stand-in ended with ${code}`)))
  })
  const { port } = JSON.parse(line) as { port: number }
  return {
    port,
    pid: child.pid ?? -1,
    truth: async () => (await (await fetch(`http://127.0.0.1:${port}/truth`)).json()) as Truth,
    stop: () => child.kill(),
  }
}

export interface ReaderKind {
  name: string
  command: string
  args: string[]
}

export const DRIVER_READER: ReaderKind = { name: 'driver', command: process.execPath, args: [join(HERE, 'reader.ts')] }

export async function read(
  kind: ReaderKind,
  options: { port: number; streams: number; windowSeconds: number; maxTokens: number },
): Promise<Reading> {
  const folder = mkdtempSync(join(tmpdir(), 'speedgrid-bench-'))
  try {
    const out = join(folder, 'records')
    const child = spawn(kind.command, [...kind.args, JSON.stringify({ ...options, out })], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const reading = JSON.parse(await outputOf(child)) as Omit<Reading, 'records'>
    const bytes = readFileSync(out)
    return { ...reading, records: new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Tokens that the stand-in sent inside a span. */
export function tokensSent(truth: Truth, { openNs, closeNs }: { openNs: number; closeNs: number }): number {
  let tokens = 0
  truth.actualNs.forEach((atNs, index) => {
    if (atNs > openNs && atNs <= closeNs) tokens += truth.tokens[index] as number
  })
  return tokens
}

/** Tokens that the stand-in made inside a span: those of an event evenly from the stream's last event to this one. */
export function tokensMade(truth: Truth, { openNs, closeNs }: { openNs: number; closeNs: number }): number {
  let tokens = 0
  truth.actualNs.forEach((atNs, index) => {
    const sinceNs = truth.sinceNs[index] as number
    const inside = Math.min(atNs, closeNs) - Math.max(sinceNs, openNs)
    if (inside > 0) tokens += ((truth.tokens[index] as number) * inside) / Math.max(1, atNs - sinceNs)
  })
  return tokens
}

/** Processes that do nothing but use up the CPU. */
export function startEaters(count: number): () => void {
  const eaters = Array.from({ length: count }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }))
  return () => {
    for (const eater of eaters) eater.kill('SIGKILL')
  }
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (sorted.length - 1) * share
  const low = Math.floor(at)
  const below = sorted[low] ?? Number.NaN
  return below + ((sorted[low + 1] ?? below) - below) * (at - low)
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)

/** How late each event of the window was read after it was sent, in ms. */
export function latenessMs(truth: Truth, reading: Reading): number[] {
  const sentAt = new Map<string, number>()
  const totals = new Map<number, number>()
  truth.request.forEach((request, index) => {
    const total = (totals.get(request) ?? 0) + (truth.tokens[index] as number)
    totals.set(request, total)
    sentAt.set(`${truth.requests[request]?.user}/${total}`, truth.actualNs[index] as number)
  })
  const late: number[] = []
  for (let at = 0; at < reading.records.length; at += 3) {
    const [request, total, atNs] = reading.records.subarray(at, at + 3) as unknown as [number, number, number]
    if (atNs < reading.openNs || atNs >= reading.closeNs) continue
    const sentNs = sentAt.get(`${reading.requests[request]?.user}/${total}`)
    if (sentNs !== undefined) late.push((atNs - sentNs) / 1e6)
  }
  return late
}

/** Columns of text under each other. */
export function table(rows: readonly (readonly (string | number)[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)))
  return rows.map((row) => row.map((cell, column) => String(cell).padStart(widths[column] as number)).join('  ')).join('\n')
}

export function seconds(fallback: number): number {
  const given = process.argv.find((argument) => argument.startsWith('--seconds='))
  return given ? Number(given.slice('--seconds='.length)) : fallback
}
