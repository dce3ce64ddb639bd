import fs from 'node:fs'
import path from 'node:path'
import type { LocalLink } from './local-link.ts'
import { createLocalLink } from './local-link.ts'

/** A host made of this machine's sh and a temporary home; `bin` stands first on its PATH. */
export interface TestHost {
  link: LocalLink
  home: string
  /** Puts an executable sh script (or any text with its own first line) below the home folder; returns its path. */
  program(relativePath: string, text: string): string
}

export async function createTestHost(): Promise<TestHost> {
  const link = await createLocalLink()
  const home = link.homeDir
  await link.dispose()
  fs.mkdirSync(path.join(home, 'path'), { recursive: true })
  const placed = await createLocalLink({
    hostName: 'lab1',
    homeDir: home,
    env: { PATH: `${home}/path:/usr/bin:/bin`, SHELL: '/bin/sh' },
  })
  return {
    link: { ...placed, dispose: async () => placed.dispose().finally(() => fs.rmSync(home, { recursive: true, force: true })) },
    home,
    program(relativePath, text) {
      const file = path.join(home, relativePath)
      fs.mkdirSync(path.dirname(file), { recursive: true })
      fs.writeFileSync(file, text.startsWith('#!') ? text : `#!/bin/sh\n${text}\n`, { mode: 0o755 })
      return file
    },
  }
}
