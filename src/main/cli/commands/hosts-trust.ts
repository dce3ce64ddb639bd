import { SpeedgridError } from '../../../shared/model/error.ts'
import type { CommandContext } from '../context.ts'
import { EXIT } from '../exit-codes.ts'

interface HostKey {
  hop: string
  keyType: string
  fingerprint: string
  state: 'known' | 'unknown' | 'changed' | 'revoked'
  knownFingerprints: string[]
}

/** More jumps than anybody makes; a host that shows a new key at each look must not be asked for ever. */
const MAX_HOPS = 16

/**
 * Shows the key's fingerprint and records it: after a question at a terminal, or when it is one that a script expects. Behind a
 * jump host the next machine's key is seen only once the one before is trusted, so it goes on until the host itself is known.
 */
export async function trustHost(context: CommandContext, name: string, expected: string[]): Promise<number> {
  const { output } = context
  const engine = await context.engine()
  const keys: { hop: string; keyType: string; fingerprint: string; already: boolean }[] = []
  for (let looks = 0; looks < MAX_HOPS; looks += 1) {
    const key = await engine.hosts.readHostKey(name)
    const last = keys.at(-1)
    if (key.state === 'known' && last?.hop === key.hop) break
    checkKey(name, key, expected)
    const already = key.state === 'known'
    if (!already) {
      await confirm(context, name, key, expected)
      await engine.hosts.trust(name, key.fingerprint)
    }
    keys.push({ hop: key.hop, keyType: key.keyType, fingerprint: key.fingerprint, already })
    if (already) break
  }
  const last = keys.at(-1)
  if (last === undefined) throw new Error('no key was looked at')
  const lines = keys.map(({ hop, keyType, fingerprint, already }) =>
    already ? `${hop}: ${keyType} ${fingerprint} is trusted already.` : `Trusted ${hop}: ${keyType} ${fingerprint}.`,
  )
  output.both(lines.join('\n'), { host: name, ...last, trusted: true, hops: keys })
  return EXIT.done
}

const shownOf = (key: HostKey) => `${key.hop}: ${key.keyType} ${key.fingerprint}`
const commandFor = (name: string, key: HostKey, expected: string[]) =>
  `speedgrid hosts trust ${name} ${[...expected, key.fingerprint].map((each) => `--fingerprint ${each}`).join(' ')}`

/** Throws for a key that may not be trusted whatever the person says now. */
function checkKey(name: string, key: HostKey, expected: string[]): void {
  if (key.state === 'revoked') {
    throw new SpeedgridError('host_key_changed', `The key of ${name} is marked as revoked.`, {
      evidence: [shownOf(key)],
      nextStep: 'Ask its administrator; nothing was recorded.',
    })
  }
  if (expected.length > 0 && !expected.map(withPrefix).includes(key.fingerprint)) {
    throw new SpeedgridError(
      key.state === 'unknown' ? 'host_key_unknown' : 'host_key_changed',
      `The key of ${key.hop} is not the one you expect.`,
      {
        evidence: [...expected.map((each) => `expected ${withPrefix(each)}`), `offered  ${shownOf(key)}`],
        nextStep: `Ask its administrator which one is right; it was not recorded. A host behind another one needs both: ${commandFor(name, key, expected)}`,
      },
    )
  }
  if (key.state === 'changed' && expected.length === 0) {
    throw new SpeedgridError(
      'host_key_changed',
      `The key of ${name} has changed since it was trusted. That may be an attack, or a new installation.`,
      {
        evidence: [...key.knownFingerprints.map((known) => `known   ${known}`), `offered ${shownOf(key)}`],
        nextStep: `Ask its administrator; if the new key is right: ${commandFor(name, key, expected)}`,
      },
    )
  }
}

async function confirm({ prompter }: CommandContext, name: string, key: HostKey, expected: string[]): Promise<void> {
  if (expected.length > 0) return
  const { hop, keyType, fingerprint } = key
  const trusted = await prompter.trustHostKey({ host: hop, keyType, fingerprint })
  if (trusted) return
  const cause =
    trusted === undefined
      ? `The key of ${name} is not known, and there is no terminal to ask at.`
      : `The key of ${name} was not trusted.`
  throw new SpeedgridError('host_key_unknown', cause, {
    evidence: [shownOf(key)],
    nextStep: `If it is the right one: ${commandFor(name, key, expected)}`,
  })
}

const withPrefix = (fingerprint: string) => (fingerprint.startsWith('SHA256:') ? fingerprint : `SHA256:${fingerprint}`)
