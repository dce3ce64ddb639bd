import type { ErrorInfo } from '../../shared/model/error.ts'
import { FAILURES, type FailureRule, KILLED_REMEDY } from './failure-table.ts'

interface FailureContext {
  /** Log lines from the start, ANSI removed. */
  lines: readonly string[]
  /** Wait status of the main process, where it could be seen. */
  exit?: { code?: number; signal?: number }
  /** Processes the kernel killed for want of memory since the launch. */
  oomKills?: number
  model?: string
}

const MAX_EVIDENCE = 6
const LEVEL = /\b(ERROR|CRITICAL|INFO|WARNING|DEBUG) \d\d-\d\d \d\d:\d\d/
// The last line of a traceback: `module.SomeError: why`, `SomeException`, and argparse's `prog: error: why`.
const FINAL = /^(?:\S+ )?(?:[\w.]+\.)?\w*(?:Error|Exception|Interrupt|Exit)(?::|$)|^\S+: error: /
const PREFIX = /^(?:\([^()]*pid=\d+\)\s*)+/

/** Why a server did not start: the first line that says so, in the table's words (docs/vllm.md 5.2). */
export function diagnose(context: FailureContext): ErrorInfo {
  const errors = context.lines
    .map((line, index) => ({ line: line.replace(PREFIX, ''), index }))
    .filter(({ line }) => isErrorLine(line) && !isSource(line))
  const found = findRule(errors)
  if (found !== undefined && found.rule.wrapper !== true) return fromRule(context, found)

  const killed = describeKill(context, found === undefined)
  if (killed !== undefined) return killed
  // What comes after the wrapper followed from the failure; the cause came before, or nobody said it.
  const final = errors.find(({ line, index }) => FINAL.test(bare(line)) && (found === undefined || index < found.index))
  if (final !== undefined) {
    return failed(
      `the server ended with: ${bare(final.line).slice(0, 200)}`,
      around(context.lines, final.index),
      'The log has the whole trace.',
    )
  }
  if (found !== undefined) {
    return failed(
      'a process of the engine was killed, or ended without a word',
      around(context.lines, found.index),
      KILLED_REMEDY,
    )
  }
  const code = context.exit?.code
  return failed(
    `the server ended${code === undefined ? '' : ` with exit status ${String(code)}`} without saying why`,
    context.lines.slice(-MAX_EVIDENCE),
    'Run the command by hand on the host to see more.',
  )
}

interface Found {
  rule: FailureRule
  match: RegExpExecArray
  index: number
}

function findRule(errors: readonly { line: string; index: number }[]): Found | undefined {
  let wrapper: Found | undefined
  for (const { line, index } of errors) {
    for (const rule of FAILURES) {
      const match = rule.pattern.exec(bare(line))
      if (match === null) continue
      if (rule.wrapper !== true) return { rule, match, index }
      wrapper ??= { rule, match, index }
      break
    }
  }
  return wrapper
}

function fromRule(context: FailureContext, { rule, match, index }: Found): ErrorInfo {
  const cause = typeof rule.cause === 'string' ? rule.cause : rule.cause(match)
  const about = /model/.test(cause) && /not found|config\.json|not on the host/.test(cause) && context.model !== undefined
  return failed(about ? `${cause} (${context.model ?? ''})` : cause, around(context.lines, index), rule.remedy)
}

/** Neither a warning nor an information: vLLM warns about much that is no failure. */
function isErrorLine(line: string): boolean {
  const level = LEVEL.exec(line)?.[1]
  return level === undefined || level === 'ERROR' || level === 'CRITICAL'
}

/** A line of source code in a trace: it may name an exception that is not the one. */
function isSource(line: string): boolean {
  return /^ {4,}/.test(unprefixed(line))
}

/** The message behind vLLM's own `ERROR 08-20 15:42:49 [file.py:123] `, which is put before every line of a trace too. */
function bare(line: string): string {
  return unprefixed(line).trim()
}

function unprefixed(line: string): string {
  return line.replace(/^(?:ERROR|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d (?:\[[^\]]*\] ?)?/, '')
}

function around(lines: readonly string[], index: number): string[] {
  const line = lines[index] ?? ''
  const later = lines.slice(index + 1).filter((one) => FINAL.test(bare(one.replace(PREFIX, ''))) && bare(one) !== bare(line))
  return [line, ...later.slice(0, MAX_EVIDENCE - 1)].map((one) => one.slice(0, 400))
}

/** A process that ends without a last word was ended by somebody: Python says why when it ends by itself. */
function describeKill(context: FailureContext, nothingKnown: boolean): ErrorInfo | undefined {
  const { exit, oomKills = 0, lines } = context
  const evidence = lines.slice(-3)
  if (exit?.signal !== undefined || exit?.code === 137) {
    const signal = exit.signal ?? 9
    return failed(`the server was killed (signal ${String(signal)}) while it started`, evidence, KILLED_REMEDY)
  }
  if (exit?.code !== undefined) return undefined
  const spoke = lines.some(
    (line) => FINAL.test(bare(line.replace(PREFIX, ''))) || /Traceback \(most recent call last\)/.test(line),
  )
  if (oomKills > 0 && (!spoke || !nothingKnown)) {
    const said = `the kernel of the host killed ${String(oomKills)} process(es) for want of memory meanwhile`
    return failed(
      'the server was killed: the host ran out of memory',
      [said, ...evidence],
      'Free memory on the host, or make the model or the KV cache smaller.',
    )
  }
  if (!spoke && nothingKnown && lines.length > 0) {
    return failed('the server was killed while it started: its log ends without an error', evidence, KILLED_REMEDY)
  }
  return undefined
}

function failed(cause: string, evidence: string[], nextStep: string): ErrorInfo {
  return { code: 'server_failed', cause, evidence, nextStep }
}
