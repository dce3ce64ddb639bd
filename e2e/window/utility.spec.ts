import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@playwright/test'
import { build } from 'vite'
import { electronPath } from '../support/window.ts'

// The oldest Electron's Node is too old for the engine itself; that its utility process speaks our protocol is shown with a stand-in.
test('a utility process is started, spoken with, started again when it dies, and ended', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'speedgrid-utility-'))
  try {
    await build({
      configFile: false,
      logLevel: 'error',
      publicDir: false,
      build: {
        ssr: join(import.meta.dirname, 'utility/main.ts'),
        outDir: folder,
        target: 'node18',
        rollupOptions: { external: ['electron'], output: { format: 'cjs', entryFileNames: 'main.cjs', codeSplitting: false } },
      },
      ssr: { noExternal: true, external: ['electron'] },
    })
    copyFileSync(join(import.meta.dirname, 'utility/stand-in.cjs'), join(folder, 'stand-in.cjs'))
    const args = [join(folder, 'main.cjs'), `--user-data-dir=${join(folder, 'user-data')}`, '--no-sandbox']
    const { stdout } = await promisify(execFile)(electronPath() ?? '', args, { timeout: 60_000 })
    const [, seen = ''] = /SEEN (.*)/.exec(stdout) ?? []
    expect(JSON.parse(seen)).toEqual(['up', '1 hello', 'restarting', 'up', '1 again', 'down'])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
