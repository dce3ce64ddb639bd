import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestSshd } from '../../../test/sshd.ts'
import type { Host } from '../../shared/model/host.ts'
import type { SshConnectorDeps } from './index.ts'
import type { Prompter } from './types.ts'

/** A home folder of its own with ~/.ssh, removed by `remove`. */
export function temporaryHome(): {
  home: string
  ownKnownHostsPath: string
  writeConfig(text: string): void
  writeKnownHosts(text: string): void
  remove(): void
} {
  const home = mkdtempSync(join(tmpdir(), 'speedgrid-home-'))
  mkdirSync(join(home, '.ssh'))
  return {
    home,
    ownKnownHostsPath: join(home, 'data', 'known_hosts'),
    writeConfig: (text) => writeFileSync(join(home, '.ssh', 'config'), text),
    writeKnownHosts: (text) => writeFileSync(join(home, '.ssh', 'known_hosts'), text),
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
}

/** Answers questions from lists and remembers what was asked. */
export function scriptedPrompter(answers: { secrets?: string[]; trust?: boolean } = {}): Prompter & { asked: string[] } {
  const secrets = [...(answers.secrets ?? [])]
  const asked: string[] = []
  return {
    asked,
    secret(prompt) {
      asked.push(prompt)
      return Promise.resolve(secrets.shift())
    },
    trustHostKey(question) {
      asked.push(`trust ${question.host} ${question.fingerprint}`)
      return Promise.resolve(answers.trust)
    },
  }
}

export function hostAt(sshd: Pick<TestSshd, 'port' | 'user' | 'clientKeyPath'>, extra: Partial<Host> = {}): Host {
  return {
    name: 'lab',
    address: '127.0.0.1',
    user: sshd.user,
    port: sshd.port,
    identityFile: sshd.clientKeyPath,
    demo: false,
    addedAt: '2026-01-01T00:00:00.000Z',
    ...extra,
  }
}

export const FAST: NonNullable<SshConnectorDeps['limits']> = { firstDelayMs: 30, maxDelayMs: 200, giveUpMs: 20_000 }
