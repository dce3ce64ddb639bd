import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createStore } from '../src/main/store/index.ts'
import { sshdMissing, startSshd } from './sshd.ts'

test.skipIf(sshdMissing())(
  'what a callback of one connection throws ends that connection only; anything else settles the runs and ends the engine with 1',
  async () => {
    const root = mkdtempSync(join(tmpdir(), 'speedgrid-bugs-'))
    const dataDir = join(root, 'data')
    const first = await startSshd()
    const second = await startSshd({ folder: first.folder, keepFolder: true })
    const script = join(import.meta.dirname, 'throwing-engine.ts')
    const args = [script, root, dataDir, first.user, first.clientKeyPath, String(first.port), String(second.port)]
    const engine = spawn(process.execPath, ['--no-warnings', ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
    try {
      let said = ''
      let complaints = ''
      engine.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
      engine.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()))
      const ended = new Promise<number | null>((resolve) => engine.once('close', resolve))
      const saw = (pattern: RegExp) => expect.poll(() => `${said}${complaints}`, { timeout: 45_000 }).toMatch(pattern)
      await saw(/^host-0 connected$/m)
      await saw(/^run \S+$/m)
      expect(complaints).toMatch(/went wrong \(id \w{8}\); one connection was ended\. The details are in /)
      expect(said).not.toContain('host-1')
      engine.stdin.write('go\n')
      expect(await ended).toBe(1)
      expect(said).toContain('both work')
      expect(complaints).toMatch(/went wrong \(id \w{8}\); the engine ends\./)
      expect(complaints).not.toContain('TypeError')
      const log = readFileSync(join(dataDir, 'speedgrid.log'), 'utf8')
      expect(log).toContain('thrown in a callback of a connection')
      expect(log).toContain('thrown anywhere')
      const store = createStore({ dataDir })
      expect(store.runs.find(/^run (\S+)$/m.exec(said)?.[1] ?? '').state).toBe('interrupted')
      store.dispose()
    } finally {
      engine.kill('SIGKILL')
      await second.stop()
      await first.stop()
      rmSync(root, { recursive: true, force: true })
    }
  },
)
