import type { ClientChannel } from 'ssh2'
import { SpeedgridError } from '../../shared/model/error.ts'
import type { Connection } from './connect.ts'
import { linkLost } from './supervisor.ts'

/** A raw connection from the host to address:port. Throws link_lost, or remote where the host refuses. */
export function openForward(
  connection: Connection,
  hostName: string,
  port: number,
  address = '127.0.0.1',
): Promise<ClientChannel> {
  return new Promise((resolve, reject) => {
    const stopListening = connection.onClose((reason) => reject(linkLost(hostName, reason)))
    const refuse = (error: Error & { reason?: unknown }) => {
      stopListening()
      if (/not connected|no response/i.test(error.message)) return reject(linkLost(hostName, error.message))
      const prohibited = /prohibited/i.test(error.message)
      reject(
        new SpeedgridError('remote', `${hostName} could not connect to ${address}:${port}.`, {
          evidence: [error.message],
          nextStep: prohibited
            ? 'sshd forbids forwarding (AllowTcpForwarding): let the driver run on the host instead.'
            : 'Check that something listens there.',
          from: error,
        }),
      )
    }
    try {
      connection.client.forwardOut('127.0.0.1', 0, address, port, (error, channel) => {
        if (error) return refuse(error)
        stopListening()
        // An error event without a listener would end the whole program.
        channel.on('error', () => undefined)
        resolve(channel)
      })
    } catch (error) {
      refuse(error instanceof Error ? error : new Error(String(error)))
    }
  })
}
