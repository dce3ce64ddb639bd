import type { SFTPWrapper } from 'ssh2'

interface Protocol {
  channelData(channel: number, data: Buffer): void
}

function sshString(text: string): Buffer {
  const bytes = Buffer.from(text)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/**
 * ssh2's server answers INIT with a constant that names no extensions, and a client that isn't told of them never asks. The answer is
 * the first thing it sends on the channel, so that one packet is replaced. (ssh2 1.17, lib/protocol/SFTP.js, SERVER_VERSION_BUFFER.)
 */
export function advertiseExtensions(sftp: SFTPWrapper, extensions: Record<string, string>): void {
  const protocol = Reflect.get(sftp, '_protocol') as Protocol
  const strings = Object.entries(extensions).flatMap(([name, value]) => [sshString(name), sshString(value)])
  const body = Buffer.concat([Buffer.from([2, 0, 0, 0, 3]), ...strings])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length)
  const version = Buffer.concat([length, body])
  const answerOnce = (channel: number) => {
    Reflect.set(sftp, '_protocol', protocol)
    protocol.channelData(channel, version)
  }
  Reflect.set(sftp, '_protocol', Object.create(protocol, { channelData: { value: answerOnce } }))
}
