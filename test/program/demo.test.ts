import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RunDocument } from '../../src/shared/model/run.ts'
import { createPerson, type Person } from './speedgrid.ts'

const root = resolve(import.meta.dirname, '../..')
/** Processes that live in this person's temporary folder, as everything of a demo machine does. */
const processesOf = ({ temporary }: Person) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(temporary)
      } catch {
        return false
      }
    })

describe.runIf(process.platform === 'linux')('the demo', () => {
  let person: Person
  beforeEach(() => {
    person = createPerson()
  })
  afterEach(() => {
    person.dispose()
  })

  it('does the whole job, says that its figures are simulated, and leaves nothing behind', async () => {
    const outcome = await person.run(['demo', '--json'])
    expect(outcome.code, outcome.stderr).toBe(0)
    const run = JSON.parse(outcome.stdout) as RunDocument
    expect(run.schema).toBe('speedgrid.run/1')
    expect(run.demo).toBe(true)
    expect(run.cells.filter((cell) => cell.status === 'valid').length).toBeGreaterThanOrEqual(8)
    expect(run.cells.every((cell) => cell.promptTokens === cell.contextTokens)).toBe(true)
    expect(run.prefill.length).toBeGreaterThan(0)

    const report = outcome.stderr.match(/Report: (.*\.html)/)?.[1] ?? ''
    expect(existsSync(report), outcome.stderr).toBe(true)
    expect(readFileSync(report, 'utf8')).toContain('simulated')
    expect(processesOf(person)).toEqual([])
    expect(readdirSync(person.temporary)).toEqual([])
    expect((await person.json<{ hosts: unknown[] }>(['hosts', 'list'])).hosts).toEqual([])

    const csv = await person.run(['report', 'last', '--format', 'csv', '-o', 'figures.csv'], {
      cwd: root,
      env: { INIT_CWD: person.home },
    })
    expect(csv.code, csv.stderr).toBe(0)
    expect(readFileSync(join(person.home, 'figures.csv'), 'utf8').split('\n').length).toBeGreaterThan(9)
  })

  it.each([/Starting the demo/, /launch:/, /cell .*tok\/s/])('cleans up when it is interrupted at %s', async (moment) => {
    const demo = person.start(['demo'])
    await demo.saw(moment)
    demo.child.kill('SIGINT')
    const outcome = await demo.done
    expect(outcome.code, outcome.stderr).toBe(130)
    expect(outcome.stderr).not.toMatch(/\n\s+at .*\.js:\d+/)
    expect(processesOf(person)).toEqual([])
    expect(readdirSync(person.temporary)).toEqual([])
  })

  it("starts through whatever Node the system has, and through npm's launcher", () => {
    const systemNode = execFileSync('/usr/bin/env', ['node', '--version'], {
      env: { ...process.env, PATH: withoutOurNode() },
    }).toString()
    expect(systemNode).toMatch(/^v\d+/)
    const version = execFileSync('/usr/bin/env', ['node', 'bin/speedgrid.mjs', '--version'], {
      cwd: root,
      env: { ...person.env, PATH: withoutOurNode() },
    }).toString()
    expect(version.trim()).toMatch(/^\d+\.\d+\.\d+/)
  })
})

/** PATH as a person has it: npm and our launcher put Node 24 in front. */
function withoutOurNode(): string {
  return (process.env.PATH ?? '')
    .split(':')
    .filter((folder) => !folder.includes('node_modules'))
    .join(':')
}
