import { createHash } from 'node:crypto'
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createPerson, type Person } from './speedgrid.ts'

let person: Person
let file: string
beforeAll(async () => {
  person = createPerson()
  file = join(person.dataDir, 'history.db')
  // Enough pages that half of them are missed.
  for (const name of ['one', 'two']) await person.run(['hosts', 'add', name, `ann@${name}.example`])
})
afterAll(() => {
  person.dispose()
})

const digest = () => createHash('sha256').update(readFileSync(file)).digest('hex')

it('every front door says that the history is damaged, what was seen and what to do, and writes nothing', async () => {
  const whole = readFileSync(file)
  const damages: [RegExp, () => void][] = [
    [/cut short/, () => truncateSync(file, whole.length - 4096)],
    [/not a database/, () => writeFileSync(file, 'some text of somebody else\n'.repeat(50))],
    [
      /quick_check|malformed/,
      () => writeFileSync(file, Buffer.concat([whole.subarray(0, 4096), Buffer.alloc(whole.length - 4096, 0xa5)])),
    ],
  ]
  for (const [says, damage] of damages) {
    damage()
    const before = digest()
    for (const command of [
      'runs',
      'hosts',
      'show last',
      'serve',
      'sweep --url http://127.0.0.1:9 --contexts 0 --concurrency 1',
    ]) {
      const outcome = await person.run(command.split(' '))
      expect(outcome.code, `${command}: ${outcome.stderr}`).toBe(1)
      expect(outcome.stderr).toMatch(says)
      expect(outcome.stderr).toContain(file)
      expect(outcome.stderr).toContain('--data-dir')
    }
    const said = await person.json<{ error: { code: string } }>(['runs'], 1)
    expect(said.error.code).toBe('conflict')
    expect(digest()).toBe(before)
    writeFileSync(file, whole)
  }
  expect((await person.json<{ hosts: unknown[] }>(['hosts'])).hosts).toHaveLength(2)
})
