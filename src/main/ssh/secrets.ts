import type { ParsedKey } from 'ssh2'
import type { Prompter } from './types.ts'

/**
 * What the person has typed, kept in this process only, so that reconnects and data connections need not ask again. A secret is
 * kept once the host has accepted it, and forgotten when it is refused. Questions come one at a time.
 */
export interface SecretMemory {
  password(who: string): string | undefined
  keepPassword(who: string, password: string): void
  forgetPassword(who: string): void
  key(path: string): ParsedKey | undefined
  keepKey(path: string, key: ParsedKey): void
  /** Runs one question after another, across all connections. */
  oneAtATime<T>(ask: () => Promise<T>): Promise<T>
  readonly prompter: Prompter
  clear(): void
}

export function createSecretMemory(prompter: Prompter): SecretMemory {
  const passwords = new Map<string, string>()
  const keys = new Map<string, ParsedKey>()
  let last: Promise<unknown> = Promise.resolve()
  return {
    prompter,
    password: (who) => passwords.get(who),
    keepPassword: (who, password) => void passwords.set(who, password),
    forgetPassword: (who) => void passwords.delete(who),
    key: (path) => keys.get(path),
    keepKey: (path, key) => void keys.set(path, key),
    oneAtATime(ask) {
      const answer = last.then(ask)
      last = answer.catch(() => undefined)
      return answer
    },
    clear() {
      passwords.clear()
      keys.clear()
    },
  }
}
