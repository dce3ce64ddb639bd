import { SpeedgridError } from '../../shared/model/error.ts'
import { type Hop, nameOf } from './hops.ts'
import { type KeyVerdict, judgeKey, keyTypeOf, knownHostsName, knownKeyTypes, readKnownHosts } from './known-hosts.ts'
import { recordKey } from './own-known-hosts.ts'
import type { SecretMemory } from './secrets.ts'

/** Host keys against the person's and the system's known_hosts (read only) and our own file. */
export interface HostKeys {
  /** Key types to ask for first, because a key of that type is recorded. */
  knownTypes(hop: Hop): string[]
  judge(hop: Hop, key: Buffer): KeyVerdict
  /** Resolves for a key that may be used; asks for an unknown one, as `secrets` asks. Throws host_key_unknown or host_key_changed. */
  verify(hop: Hop, key: Buffer, secrets: SecretMemory): Promise<void>
  record(hop: Hop, key: Buffer, options: { replace: boolean }): void
}

export function createHostKeys(ownPath: string, onNote: (note: string) => void): HostKeys {
  const read = (hop: Hop) => {
    const hosts = readKnownHosts([...hop.target.knownHostsFiles, ownPath])
    hosts.notes.forEach(onNote)
    return hosts
  }
  const judge = (hop: Hop, key: Buffer) => judgeKey(read(hop), namesOf(hop), key)
  const record: HostKeys['record'] = (hop, key, options) =>
    recordKey(ownPath, namesOf(hop)[0] ?? hop.target.hostName, key, options)
  return {
    knownTypes: (hop) => knownKeyTypes(read(hop), namesOf(hop)),
    judge,
    record,
    async verify(hop, key, secrets) {
      // A host that is known doesn't wait behind a question about another one.
      if (judge(hop, key).state === 'known') return
      await secrets.oneAtATime(async () => {
        const verdict = judge(hop, key)
        if (verdict.state === 'known') return
        if (verdict.state !== 'unknown') throw changedKeyError(hop, verdict, keyTypeOf(key))
        const question = { host: nameOf(hop), keyType: keyTypeOf(key), fingerprint: verdict.fingerprint }
        const trusted = hop.target.refuseUnknownKeys ? undefined : await secrets.prompter.trustHostKey(question)
        if (trusted !== true) throw unknownKeyError(hop, question, trusted === false)
        record(hop, key, { replace: false })
      })
    },
  }
}

/** The name a key is recorded under first; for a host on another port the bare name may make it known too, as in OpenSSH. */
function namesOf(hop: Hop): string[] {
  const { hostKeyAlias, hostName, port } = hop.target
  if (hostKeyAlias) return [hostKeyAlias.toLowerCase()]
  return port === 22 ? [knownHostsName(hostName, port)] : [knownHostsName(hostName, port), hostName.toLowerCase()]
}

function unknownKeyError(hop: Hop, seen: { keyType: string; fingerprint: string }, declined: boolean): SpeedgridError {
  const evidence = [`${seen.keyType} ${seen.fingerprint}`]
  if (hop.target.refuseUnknownKeys) evidence.push('StrictHostKeyChecking yes in the SSH configuration')
  return new SpeedgridError(
    'host_key_unknown',
    declined ? `The host key of ${nameOf(hop)} was not accepted.` : `The host key of ${nameOf(hop)} is not known.`,
    { evidence, nextStep: `Compare the fingerprint with the host's own, then: speedgrid hosts trust ${hop.hostName}` },
  )
}

function changedKeyError(
  hop: Hop,
  verdict: Exclude<KeyVerdict, { state: 'known' | 'unknown' }>,
  keyType: string,
): SpeedgridError {
  const cause =
    verdict.state === 'revoked'
      ? `${nameOf(hop)} shows a host key that is marked as revoked.`
      : `${nameOf(hop)} shows another host key than the one that is recorded. Somebody may be listening in, or the host was reinstalled.`
  return new SpeedgridError('host_key_changed', cause, {
    evidence: [
      `shown: ${keyType} ${verdict.fingerprint}`,
      ...verdict.known.map(
        (known) =>
          `${verdict.state === 'revoked' ? 'revoked' : 'recorded'}: ${known.keyType} ${known.fingerprint} (${known.source})`,
      ),
    ],
    nextStep:
      verdict.state === 'revoked'
        ? 'Do not use this host until its administrator has given it a new key.'
        : `Ask the host's administrator. Only if the new fingerprint is right: speedgrid hosts trust ${hop.hostName} --fingerprint ${verdict.fingerprint}`,
  })
}
