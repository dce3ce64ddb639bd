import net from 'node:net'
import { SpeedgridError } from '../../../shared/model/error.ts'
import type { HostKey, Verdict } from './types.ts'
import type { Network } from './network.ts'

/** Where the way to the host begins: the first machine, and how many there are. */
export interface FirstHop {
  label: string
  hostName: string
  port: number
  hops: number
}

const along = (hop: FirstHop) => (hop.hops > 1 ? ` (first of ${String(hop.hops)} machines on the way)` : '')

export async function checkDns(hop: FirstHop, network: Network): Promise<Verdict> {
  if (net.isIP(hop.hostName) !== 0) return { outcome: 'pass', evidence: `${hop.hostName} is an address already${along(hop)}` }
  try {
    const addresses = await network.resolve(hop.hostName)
    if (addresses.length === 0) throw new Error('no address')
    return { outcome: 'pass', evidence: `${hop.hostName} is ${addresses.slice(0, 4).join(', ')}${along(hop)}` }
  } catch (error) {
    return {
      outcome: 'fail',
      evidence: `${hop.hostName} has no address: ${message(error)}${along(hop)}`,
      remedy: 'Check the spelling, HostName in ~/.ssh/config, and that the VPN is up; or use the IP address.',
    }
  }
}

export async function checkTcp(hop: FirstHop, network: Network): Promise<Verdict> {
  const place = `${hop.hostName}, port ${String(hop.port)}`
  try {
    const greeting = await network.greeting(hop.hostName, hop.port)
    if (greeting?.startsWith('SSH-') === true) return { outcome: 'pass', evidence: `${place} answers: ${greeting}${along(hop)}` }
    return {
      outcome: 'fail',
      evidence:
        greeting === undefined
          ? `${place} is open but says nothing${along(hop)}`
          : `${place} is not an SSH server; it says: ${greeting}`,
      remedy: `Check the port (speedgrid hosts add NAME user@address:port), and MaxStartups of the server if it is busy.`,
    }
  } catch (error) {
    const refused = message(error).includes('ECONNREFUSED')
    return {
      outcome: 'fail',
      evidence: `${place}: ${message(error)}${along(hop)}`,
      remedy: refused
        ? 'The machine is there but no SSH server listens at that port: start sshd, or correct the port.'
        : 'Check that the machine is on, that the VPN is up, and that no firewall is in between.',
    }
  }
}

export async function checkHostKey(name: string, read: () => Promise<HostKey>): Promise<Verdict> {
  try {
    const key = await read()
    const shown = `${key.hop}: ${key.keyType} ${key.fingerprint}`
    if (key.state === 'known') return { outcome: 'pass', evidence: `${shown} is known` }
    if (key.state === 'unknown') {
      return {
        outcome: 'fail',
        evidence: `${shown} has never been seen`,
        remedy: `Compare the fingerprint with the one its administrator gives, then: speedgrid hosts trust ${name}`,
      }
    }
    return {
      outcome: 'fail',
      evidence: `${shown} is ${key.state === 'revoked' ? 'marked as revoked' : `not the known one (${key.knownFingerprints.join(', ')})`}`,
      remedy: 'Somebody may be in between, or the machine was installed anew. Ask its administrator before trusting the new key.',
    }
  } catch (error) {
    return failedBy(error, 'Try `ssh-keyscan` against it to see what the server offers.')
  }
}

const message = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** A domain error as a failed check: cause and evidence, with its own next step before the general one. */
export function failedBy(error: unknown, remedy: string): Verdict {
  if (!(error instanceof SpeedgridError)) return { outcome: 'fail', evidence: message(error), remedy }
  const evidence = [error.message, ...error.evidence].join('\n')
  return { outcome: 'fail', evidence, remedy: error.nextStep ?? remedy }
}
