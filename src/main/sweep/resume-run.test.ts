import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLab } from '../../../test/sweep-lab.ts'
import { isProcessAlive } from '../store/index.ts'

test.concurrent.each(['host', 'tunnel'] as const)(
  'an engine is killed in the middle of a sweep (%s); another resumes it',
  async (driver) => {
    const lab = await createLab()
    const script = join(import.meta.dirname, '../../../test/watching-engine.ts')
    const engine = spawn(process.execPath, [script, lab.homeDir, lab.dataDir, driver], {
      stdio: ['ignore', 'pipe', 'inherit'],
      // Whatever the killed engine leaves in there goes with the lab.
      env: { ...process.env, TMPDIR: lab.root },
    })
    try {
      const runId = await new Promise<string>((resolve, reject) => {
        engine.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString().trim().slice(0, 10)))
        engine.once('exit', (code) => reject(new Error(`the engine ended with ${String(code)}`)))
      })
      const folder = lab.store.runs.location(runId)?.folder ?? ''
      const { pid } = JSON.parse(readFileSync(join(folder, 'driver.json'), 'utf8')) as { pid: number }
      expect(lab.store.runs.leaseHolder(runId)?.pid).toBe(engine.pid)
      await expect(lab.sweeps.resume(runId)).rejects.toThrow(`process ${String(engine.pid)}`)

      const gone = new Promise((resolve) => engine.once('exit', resolve))
      engine.removeAllListeners('exit')
      const ended = new Promise((resolve) => engine.once('exit', resolve))
      engine.kill('SIGKILL')
      await Promise.race([gone, ended])
      const handle = await lab.sweeps.resume(runId)
      expect(handle.place).toBe(driver)
      // On the host the sweep ran on and is the same driver; beside the engine it ended with it.
      if (driver === 'host') expect(isProcessAlive(pid, '')).toBe(true)
      const numbers: number[] = []
      handle.onLine((line) => numbers.push(line.n))
      expect(await handle.finished).toMatchObject({ state: 'finished' })

      const document = lab.store.runs.document(runId)
      expect(document.cells.map((cell) => [cell.status, cell.attempts])).toEqual(Array.from({ length: 4 }, () => ['valid', 1]))
      expect(new Set(numbers).size).toBe(numbers.length)
      const hellos = [...lab.store.runs.lines(runId)].filter((line) => line.kind === 'hello')
      expect(hellos.map((line) => line.epoch)).toEqual(driver === 'host' ? [1] : [1, 2])
      expect(lab.leftFolders()).toEqual([])
      expect(isProcessAlive(pid, '')).toBe(false)
    } finally {
      engine.kill('SIGKILL')
      await lab.dispose()
    }
  },
)
