import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { spawnDemoHost } from './demo-host-process.ts'

// The real machine, from its source: Node strips the types itself.
const entry = resolve(import.meta.dirname, '../../demo-host/main.ts')

describe.runIf(process.platform === 'linux')('spawnDemoHost', () => {
  it('starts the machine and takes it away, folder and all', async () => {
    const machine = await spawnDemoHost({ entry, machine: 'h200' })
    expect(machine.ready).toMatchObject({ machine: 'h200', address: '127.0.0.1' })
    expect(machine.ready.launchWords.slice(0, 2)).toEqual(['vllm', 'serve'])
    expect(existsSync(machine.ready.clientKeyPath)).toBe(true)
    await machine.dispose()
    expect(existsSync(machine.ready.clientKeyPath)).toBe(false)
    await machine.dispose()
  })

  it('refuses an unknown machine as wrong usage, naming those there are', async () => {
    await expect(spawnDemoHost({ entry, machine: 'h300' })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('h300') as string,
      evidence: [expect.stringContaining('h200')],
    })
  })

  it('says why it could not start', async () => {
    const missing = join(import.meta.dirname, 'no-such-entry.js')
    await expect(spawnDemoHost({ entry: missing, machine: 'h200' })).rejects.toMatchObject({ code: 'remote' })
  })
})
