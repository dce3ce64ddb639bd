import { SpeedgridError } from '../../../shared/model/error.ts'
import type { CommandContext } from '../context.ts'
import { EXIT } from '../exit-codes.ts'

/** Shows the key's fingerprint and records it: after a question at a terminal, or when it is the one a script expects. */
export async function trustHost(context: CommandContext, name: string, expected: string | undefined): Promise<number> {
  const { output, prompter } = context
  const engine = await context.engine()
  const key = await engine.hosts.readHostKey(name)
  const shown = `${key.hop}: ${key.keyType} ${key.fingerprint}`
  const command = `speedgrid hosts trust ${name} --fingerprint ${key.fingerprint}`
  if (key.state === 'revoked') {
    throw new SpeedgridError('host_key_changed', `The key of ${name} is marked as revoked.`, {
      evidence: [shown],
      nextStep: 'Ask its administrator; nothing was recorded.',
    })
  }
  if (expected !== undefined && withPrefix(expected) !== key.fingerprint) {
    throw new SpeedgridError(
      key.state === 'unknown' ? 'host_key_unknown' : 'host_key_changed',
      `The key of ${name} is not the one you expect.`,
      {
        evidence: [`expected ${withPrefix(expected)}`, `offered  ${shown}`],
        nextStep: 'Ask its administrator which one is right; nothing was recorded.',
      },
    )
  }
  const report = (already: boolean) => {
    output.both(already ? `${shown} is trusted already.` : `Trusted ${shown}.`, {
      host: name,
      ...pick(key),
      trusted: true,
      already,
    })
    return EXIT.done
  }
  if (key.state === 'known') return report(true)
  if (key.state === 'changed' && expected === undefined) {
    throw new SpeedgridError(
      'host_key_changed',
      `The key of ${name} has changed since it was trusted. That may be an attack, or a new installation.`,
      {
        evidence: [...key.knownFingerprints.map((known) => `known   ${known}`), `offered ${shown}`],
        nextStep: `Ask its administrator; if the new key is right: ${command}`,
      },
    )
  }
  const trusted =
    expected !== undefined || (await prompter.trustHostKey({ host: key.hop, keyType: key.keyType, fingerprint: key.fingerprint }))
  if (!trusted) {
    const cause =
      trusted === undefined
        ? `The key of ${name} is not known, and there is no terminal to ask at.`
        : `The key of ${name} was not trusted.`
    throw new SpeedgridError('host_key_unknown', cause, { evidence: [shown], nextStep: `If it is the right one: ${command}` })
  }
  await engine.hosts.trust(name, key.fingerprint)
  return report(false)
}

const withPrefix = (fingerprint: string) => (fingerprint.startsWith('SHA256:') ? fingerprint : `SHA256:${fingerprint}`)

const pick = (key: { hop: string; keyType: string; fingerprint: string }) => ({
  hop: key.hop,
  keyType: key.keyType,
  fingerprint: key.fingerprint,
})
