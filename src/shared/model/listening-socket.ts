/** A listening TCP socket as a Linux host lists it. */
export interface ListeningSocket {
  /** As /proc/net/tcp (8 digits) and tcp6 (32 digits) write it. */
  address: string
  uid: number
  inode: string
}

/**
 * Of the listening sockets of a port, those that a connection to an address may reach: the kernel prefers one bound to that very address,
 * then one bound to every address of the family, then one for both families. For a host's name: all of them.
 */
export function reachedBy(sockets: readonly ListeningSocket[], address: string): ListeningSocket[] {
  const wanted = digitsOf(address)
  if (wanted === undefined) return [...sockets]
  const tiers = wanted.length === 8 ? [[wanted, MAPPED + wanted], [ANY_4], [ANY_6, MAPPED + ANY_4]] : [[wanted], [ANY_6]]
  for (const tier of tiers) {
    const found = sockets.filter((socket) => tier.includes(fromProc(socket.address)))
    if (found.length > 0) return found
  }
  return []
}

const ANY_4 = '0'.repeat(8)
const ANY_6 = '0'.repeat(32)
/** Before an IPv4 address in an IPv6 one. */
const MAPPED = `${'0'.repeat(20)}ffff`
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/

/** /proc writes each 32 bits in the machine's own order: little-endian on all that vLLM runs on. */
function fromProc(hex: string): string {
  return hex.toLowerCase().replaceAll(/.{8}/g, (word) => (word.match(/../g) ?? []).reverse().join(''))
}

/** An address as hexadecimal digits in network order; undefined for a name. */
function digitsOf(address: string): string | undefined {
  const bare = address.replace(/^\[(.*)\]$/, '$1').replace(/%.*/, '')
  if (IPV4.test(bare)) return bytesOf(bare)
  if (!/^[0-9a-f:.]+$/i.test(bare) || !/^[^.:]*:/.test(bare)) return undefined
  // An IPv4 address at the end stands for two groups.
  const text = bare.replace(/(?<![0-9.])[0-9.]+$/, (last) =>
    last.includes('.') ? bytesOf(last).replace(/^(.{4})/, '$1:') : last,
  )
  const [head = '', tail] = text.split('::')
  const groups = (part: string) => part.split(':').filter((group) => group !== '')
  const before = groups(head)
  const after = tail === undefined ? [] : groups(tail)
  const middle = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  return [...before, ...middle, ...after].map((group) => group.toLowerCase().padStart(4, '0')).join('')
}

function bytesOf(address: string): string {
  const bytes = address.split('.').map((byte) => Number(byte).toString(16).padStart(2, '0'))
  return bytes.join('')
}
