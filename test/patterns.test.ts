import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Fault } from './patterns/measure.ts'
import { collectPatterns, type Pattern, patternsOf } from './patterns/collect-patterns.ts'

/** Only a pattern that hangs needs so long. */
const HANGS_AFTER_MS = 30_000

interface Answer {
  ready?: true
  trying?: unknown
  fault?: Fault | null
}

/** Tries patterns one after another in a process that is ended and begun anew when one hangs. */
function createProbe(hangsAfterMs: number) {
  let child: ChildProcess | undefined
  let trying: unknown

  async function start(): Promise<ChildProcess> {
    const started = fork(join(import.meta.dirname, 'patterns/measure.ts'), {
      execArgv: ['--experimental-strip-types', '--no-warnings'],
    })
    await new Promise<void>((resolve, reject) => {
      started.once('message', () => resolve())
      started.once('error', reject)
      started.once('exit', (code) => reject(new Error(`the probe ended with ${String(code)}`)))
    })
    return started
  }

  return {
    /** What is wrong with the pattern; undefined where it is quick whatever comes. */
    async findFault(pattern: Pattern): Promise<string | undefined> {
      const running = (child ??= await start())
      const answer = await new Promise<Answer | undefined>((resolve) => {
        const timer = setTimeout(() => resolve(undefined), hangsAfterMs)
        const listen = (message: Answer) => {
          if ('trying' in message) trying = message.trying
          if (!('fault' in message)) return
          clearTimeout(timer)
          running.off('message', listen)
          resolve(message)
        }
        running.on('message', listen)
        running.send(pattern)
      })
      const name = `${pattern.at} /${pattern.source.slice(0, 120)}/${pattern.flags}`
      if (answer === undefined) {
        running.kill('SIGKILL')
        child = undefined
        return `${name} hangs: ${JSON.stringify(trying).slice(0, 200)}`
      }
      if (!answer.fault) return undefined
      const { ms, beforeMs, length, input } = answer.fault
      return `${name} takes ${ms.toFixed(0)} ms for ${String(length)} characters (half: ${beforeMs.toFixed(0)}): ${JSON.stringify(input).slice(0, 200)}`
    },
    dispose: () => child?.kill('SIGKILL'),
  }
}

async function findFaults(patterns: readonly Pattern[], hangsAfterMs = HANGS_AFTER_MS): Promise<string[]> {
  const probe = createProbe(hangsAfterMs)
  const faults: string[] = []
  for (const pattern of patterns) {
    const fault = await probe.findFault(pattern)
    if (fault !== undefined) faults.push(fault)
  }
  probe.dispose()
  return faults
}

describe('the patterns of the product', () => {
  it('all are found: literals, and what RegExp is given', () => {
    const text = 'const A = `x+`; const f = (n: string) => [/a|b/gi, new RegExp(`^${A} ${n}$`, "m"), RegExp("c")] as const'
    expect(patternsOf('/src/x.ts', text).map(({ source, flags }) => [source, flags])).toEqual([
      ['a|b', 'gi'],
      ['^x+ word$', 'm'],
      ['c', ''],
    ])
    expect(() => patternsOf('/src/x.ts', 'new RegExp(f())')).toThrow("can't tell")
    expect(collectPatterns().length).toBeGreaterThan(250)
  })

  it('slow ones are noticed', async () => {
    const slow = ['max seq len \\((\\d+)\\).*?(?:about (\\d+)|$)', '\\s+$', '(a+)+b', 'x.*y', '\\w+Error: ']
    const faults = await findFaults(
      slow.map((source) => ({ at: 'here', source, flags: '' })),
      6000,
    )
    expect(faults).toHaveLength(slow.length)
  }, 300_000)

  it('each is quick on 200 KB of the worst that can be made for it', async () => {
    expect(await findFaults(collectPatterns())).toEqual([])
  }, 600_000)
})
