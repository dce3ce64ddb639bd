import { expect, test } from 'vitest'
import { reachedBy } from './listening-socket.ts'

const socket = (address: string, uid = 1) => ({ address, uid, inode: address })
const loopback = socket('0100007F')
const every = socket('00000000')
const every6 = socket('0'.repeat(32))
const mapped = socket('0000000000000000FFFF00000100007F')
const loopback6 = socket('00000000000000000000000001000000')
const lan = socket('0500A8C0')

test('a connection reaches the socket that is bound most closely to its address', () => {
  const all = [every6, every, lan, loopback6, loopback]
  expect(reachedBy(all, '127.0.0.1')).toEqual([loopback])
  expect(reachedBy([every6, every, lan], '127.0.0.1')).toEqual([every])
  expect(reachedBy([every6, lan], '127.0.0.1')).toEqual([every6])
  expect(reachedBy([loopback6, lan], '127.0.0.1')).toEqual([])
  expect(reachedBy([mapped, every], '127.0.0.1')).toEqual([mapped])
  expect(reachedBy(all, '192.168.0.5')).toEqual([lan])
  expect(reachedBy(all, '::1')).toEqual([loopback6])
  expect(reachedBy(all, '[::1]')).toEqual([loopback6])
  expect(reachedBy([every6, loopback], 'fe80::1%eth0')).toEqual([every6])
  expect(reachedBy([mapped, every6], '::ffff:127.0.0.1')).toEqual([mapped])
  expect(reachedBy(all, 'gpu-lab-1')).toEqual(all)
})
