import { join } from 'node:path'
import type { Host } from '../src/shared/model/host.ts'
import { createSshConnector, type SshConnector } from '../src/main/ssh/index.ts'
import type { TestSshd } from './sshd.ts'

/** Connects as the product does, with keys and known hosts in a folder of the test. */
export function sshConnector(home: string): SshConnector {
  return createSshConnector({
    homeDir: home,
    ownKnownHostsPath: join(home, 'known_hosts'),
    prompter: { secret: () => Promise.resolve(undefined), trustHostKey: () => Promise.resolve(true) },
    env: {},
  })
}

export const sshHost = (sshd: Pick<TestSshd, 'port' | 'user' | 'clientKeyPath'>): Host => ({
  name: 'lab',
  address: '127.0.0.1',
  port: sshd.port,
  user: sshd.user,
  identityFile: sshd.clientKeyPath,
  demo: false,
  addedAt: '2026-03-01T10:00:00.000Z',
})
