import type { SFTPWrapper } from 'ssh2'
import { SpeedgridError } from '../../shared/model/error.ts'
import type { Connection } from './connect.ts'
import { isNoRoom, NoRoom } from './patience.ts'
import { linkLost } from './supervisor.ts'

type Callback<T> = (error?: (Error & { code?: number | string }) | null, value?: T) => void

/** A failure of one SFTP request, before its cause is known. */
export class SftpFailure extends Error {
  readonly status: number | undefined

  constructor(message: string, status: number | undefined) {
    super(message)
    this.status = status
  }
}

/** SFTP version 3 status codes. */
export const SFTP_STATUS = { eof: 1, noSuchFile: 2, permissionDenied: 3, failure: 4, unsupported: 8 } as const

/** The kept SFTP session of a connection. */
export interface SftpSession {
  /** Runs one request. Rejects with SftpFailure, or link_lost when the connection goes meanwhile. */
  call<T = void>(request: (sftp: SFTPWrapper, done: Callback<T>) => void): Promise<T>
  readonly isOpen: boolean
  close(): void
}

export function openSftp(connection: Connection, hostName: string): Promise<SftpSession> {
  return new Promise((resolve, reject) => {
    const stopListening = connection.onClose((reason) => reject(linkLost(hostName, reason)))
    const refuse = (error: Error) => {
      stopListening()
      if (/not connected|no response/i.test(error.message)) {
        connection.close()
        return reject(linkLost(hostName, error.message))
      }
      const Refusal = isNoRoom(error) ? NoRoom : SpeedgridError
      reject(
        new Refusal('remote', `${hostName} does not offer SFTP.`, {
          evidence: [error.message],
          nextStep: 'Enable it in the sshd configuration of the host: Subsystem sftp internal-sftp',
          from: error,
        }),
      )
    }
    try {
      connection.client.sftp((error, sftp) => {
        if (error) return refuse(error)
        stopListening()
        resolve(wrap(connection, sftp, hostName))
      })
    } catch (error) {
      refuse(error instanceof Error ? error : new Error(String(error)))
    }
  })
}

function wrap(connection: Connection, sftp: SFTPWrapper, hostName: string): SftpSession {
  const pending = new Set<(error: unknown) => void>()
  let lostBecause: string | undefined
  const lose = (reason: string) => {
    lostBecause ??= reason
    for (const reject of pending) reject(linkLost(hostName, reason))
    pending.clear()
  }
  const stopListening = connection.onClose(lose)
  sftp.on('error', (error: Error) => lose(error.message))
  sftp.on('close', () => lose('the SFTP session ended'))
  sftp.on('end', () => lose('the SFTP session ended'))
  return {
    get isOpen() {
      return lostBecause === undefined
    },
    call<T>(request: (sftp: SFTPWrapper, done: Callback<T>) => void): Promise<T> {
      if (lostBecause !== undefined) return Promise.reject(linkLost(hostName, lostBecause))
      return new Promise<T>((resolve, reject) => {
        pending.add(reject)
        const done: Callback<T> = (error, value) => {
          pending.delete(reject)
          if (!error) return resolve(value as T)
          if (lostBecause !== undefined || /no response/i.test(error.message))
            return reject(linkLost(hostName, lostBecause ?? error.message))
          reject(new SftpFailure(error.message, typeof error.code === 'number' ? error.code : undefined))
        }
        try {
          request(sftp, done)
        } catch (error) {
          // What the server lacks as an extension is thrown, not called back.
          done(Object.assign(error instanceof Error ? error : new Error(String(error)), { code: SFTP_STATUS.unsupported }))
        }
      })
    },
    close() {
      stopListening()
      sftp.end()
      lose('the SFTP session was closed')
    },
  }
}
