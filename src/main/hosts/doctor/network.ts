import { lookup } from 'node:dns/promises'
import net from 'node:net'

export interface Network {
  /** Addresses of a name, as the system resolves it. */
  resolve(hostName: string): Promise<string[]>
  /** Connects and waits for the server's first line; undefined where it says nothing within the time. */
  greeting(hostName: string, port: number): Promise<string | undefined>
}

const CONNECT_MS = 10_000
const GREETING_MS = 5000

export const systemNetwork: Network = {
  resolve: async (hostName) => (await lookup(hostName, { all: true })).map(({ address }) => address),
  greeting: (hostName, port) =>
    new Promise((resolve, reject) => {
      const socket = net.connect({ host: hostName, port })
      const end = (act: () => void) => {
        clearTimeout(timer)
        socket.destroy()
        act()
      }
      let timer = setTimeout(() => end(() => reject(new Error(`no answer within ${String(CONNECT_MS / 1000)} s`))), CONNECT_MS)
      socket.once('connect', () => {
        clearTimeout(timer)
        timer = setTimeout(() => end(() => resolve(undefined)), GREETING_MS)
      })
      socket.once('data', (data: Buffer) => end(() => resolve(data.toString('latin1').split(/\r?\n/)[0]?.slice(0, 120))))
      socket.once('close', () => end(() => resolve(undefined)))
      socket.once('error', (error) => end(() => reject(error)))
    }),
}
