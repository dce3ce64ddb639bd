import type { CliDeps } from './deps.ts'
import { harmless, jsonText } from '../../shared/format/index.ts'
import { type Style, createStyle } from './live/style.ts'

export interface OutputOptions {
  json?: boolean
  events?: boolean
  quiet?: boolean
  color?: boolean
}

/** Results to stdout, progress to stderr; with --json exactly one document on stdout. */
export interface Output {
  readonly json: boolean
  readonly events: boolean
  readonly quiet: boolean
  /** True where a grid can be drawn in place: a terminal, and nobody asked for machine output. */
  readonly live: boolean
  readonly style: Style
  readonly resultStyle: Style
  /** A result for people; nothing with --json. */
  result(text: string): void
  /** The document of --json; nothing without it. */
  document(value: unknown): void
  /** A result that is `text` for people and `value` for machines. */
  both(text: string, value: unknown): void
  /** A line of --events. */
  event(value: unknown): void
  progress(text: string): void
  /** Shown also with --quiet: the person must know. */
  warn(text: string): void
}

export function createOutput(deps: Pick<CliDeps, 'stdout' | 'stderr' | 'env' | 'stdin'>, options: OutputOptions): Output {
  const { stdout, stderr, env } = deps
  const json = options.json === true
  const events = options.events === true
  const quiet = options.quiet === true
  // https://no-color.org: present and not empty.
  const colorAllowed = options.color !== false && !env.NO_COLOR && env.TERM !== 'dumb'
  const style = createStyle(colorAllowed && stderr.isTTY === true)
  const resultStyle = createStyle(colorAllowed && stdout.isTTY === true)
  const line = (text: string) => (text.endsWith('\n') ? text : `${text}\n`)
  // With both, stdout is JSON lines throughout.
  const document = (value: unknown) => {
    if (json) stdout.write(`${jsonText(value, events ? undefined : 2)}\n`)
  }
  const result = (text: string) => {
    if (!json && !events) stdout.write(line(harmless(text, { colours: resultStyle.color })))
  }
  return {
    json,
    events,
    quiet,
    live: stderr.isTTY === true && !json && !events && !quiet && env.TERM !== 'dumb',
    style,
    resultStyle,
    result,
    document,
    both(text, value) {
      result(text)
      document(value)
    },
    event(value) {
      if (events) stdout.write(`${jsonText(value)}\n`)
    },
    progress(text) {
      if (!quiet) stderr.write(line(harmless(text, { colours: style.color })))
    },
    warn(text) {
      stderr.write(line(harmless(text, { colours: style.color })))
    },
  }
}
