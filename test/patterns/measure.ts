import { type Pattern } from './collect-patterns.ts'
import { inputOf, worstInputs, type WorstInput } from './worst-inputs.ts'

/** Runs in a process of its own, which its parent ends when it hangs: for each pattern, its worst inputs at their full length. */
const FULL = 200_000
const SCREEN = 3000
const SLOWEST = 5
/** What a linear pattern needs for 200 KB is a few milliseconds; one that looks back needs seconds to minutes. */
const LIMIT_MS = 50
/** Twice the text: twice the work where it is linear, four times where it is not. A slow machine alone changes nothing here. */
const LIMIT_GROWTH = 2.8
const HOPELESS_MS = 1000

function use({ source, flags }: Pattern, text: string): void {
  const pattern = new RegExp(source, flags)
  if (flags.includes('g')) {
    text.replace(pattern, '')
    pattern.lastIndex = 0
  }
  pattern.exec(text)
}

/** CPU time of this process, in ms: what else the machine does is not in it. */
function cost(pattern: Pattern, text: string, tries: number): number {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const before = process.cpuUsage()
    use(pattern, text)
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
    if (least < 5) break
  }
  return least
}

/** Work that is too much at a part of the length is more at the whole: nobody needs to wait for that. */
function look(pattern: Pattern, input: WorstInput): Fault | undefined {
  let beforeMs = 0
  for (let length = FULL / 32; length <= FULL; length *= 2) {
    const ms = cost(pattern, inputOf(input, length), 3)
    if (ms > LIMIT_MS && (ms > LIMIT_GROWTH * beforeMs || ms > HOPELESS_MS)) return { ms, beforeMs, length, input }
    beforeMs = ms
  }
  return undefined
}

export interface Fault {
  ms: number
  /** At half the length. */
  beforeMs: number
  length: number
  input: WorstInput
}

process.on('message', (pattern: Pattern) => process.send?.({ fault: findFault(pattern) ?? null }))

function findFault(pattern: Pattern): Fault | undefined {
  const screened = worstInputs(pattern.source)
    .map((input) => ({ input, ms: cost(pattern, inputOf(input, SCREEN), 1) }))
    .sort((a, b) => b.ms - a.ms)
    .slice(0, SLOWEST)
  for (const { input } of screened) {
    process.send?.({ trying: input })
    const fault = look(pattern, input)
    if (fault !== undefined) return fault
  }
  return undefined
}
process.send?.({ ready: true })
