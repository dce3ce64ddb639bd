import { Socket, isIP } from 'node:net'
import { SpeedgridError } from '../../shared/model/error.ts'
import { fileLimit, isFileLimit } from '../../shared/model/file-limit.ts'
import { type Hop, nameOf } from './hops.ts'

/** What went wrong on the way to a hop, in which phase. `unreachable`, or `file_limit` where it is our own. */
export function unreachable(hop: Hop, phase: string, error: unknown, via?: string): SpeedgridError {
  if (isFileLimit(error)) return fileLimit(error, `no connection to ${nameOf(hop)} can be opened`)
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
  const message = error instanceof Error ? error.message : String(error)
  const { hostName, port } = hop.target
  const [cause, nextStep] = explain(code, message, hop)
  const evidence = [`phase: ${phase}`, `${hostName} port ${port}${via ? `, through ${via}` : ''}: ${message}`]
  return new SpeedgridError('unreachable', cause, { evidence, nextStep, from: error })
}

function explain(code: string | undefined, message: string, hop: Hop): [cause: string, nextStep: string] {
  const name = nameOf(hop)
  const { hostName, port } = hop.target
  if (
    code === 'ENOTFOUND' ||
    code === 'EAI_AGAIN' ||
    code === 'EAI_FAIL' ||
    /name or service not known|could not resolve/i.test(message)
  ) {
    return [`The name ${hostName} of ${name} could not be resolved.`, 'Check the address, the VPN and the DNS of this machine.']
  }
  if (code === 'ECONNREFUSED' || /connection refused|connect failed/i.test(message)) {
    return [`${name} refuses connections on port ${port}.`, 'Check that sshd runs there, and the port.']
  }
  if (code === 'ETIMEDOUT' || /timed? ?out/i.test(message)) {
    return [`${name} does not answer.`, 'Check that the host is on and reachable from here (VPN, firewall).']
  }
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH' || /no route|unreachable/i.test(message)) {
    return [`There is no way to ${name} from here.`, 'Check the network and the VPN.']
  }
  if (/no matching/i.test(message)) {
    return [`${name} offers only SSH algorithms that we do not use.`, 'Update sshd on the host; SHA-1 and CBC are not offered.']
  }
  return [`The connection to ${name} failed.`, `Try: ssh -p ${port} ${hop.target.user}@${hostName}`]
}

/** A TCP connection with no delay. The time limit covers the name lookup too. */
export function dialTcp(hop: Hop, timeoutMs: number): Promise<Socket> {
  const { hostName, port } = hop.target
  return new Promise((resolve, reject) => {
    const socket = new Socket()
    let phase = isIP(hostName) ? 'TCP connection' : 'name lookup'
    const timer = setTimeout(() => fail(new Error(`timed out after ${Math.round(timeoutMs / 1000)} s`)), timeoutMs)
    const fail = (error: unknown) => {
      clearTimeout(timer)
      socket.destroy()
      reject(unreachable(hop, phase, error))
    }
    socket.once('lookup', (error) => {
      if (!error) phase = 'TCP connection'
    })
    socket.once('error', fail)
    socket.connect({ host: hostName, port }, () => {
      clearTimeout(timer)
      socket.off('error', fail)
      socket.setNoDelay(true)
      resolve(socket)
    })
  })
}
