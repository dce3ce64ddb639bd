import { describe, expect, it } from 'vitest'
import { richHosts } from '../testing/fake/hosts-data.ts'
import { reduceHosts } from './lists.ts'

describe('lists that follow their feed', () => {
  it('replaces a host where it stands and keeps the others the same objects', () => {
    const hosts = richHosts()
    const second = hosts[1]
    if (second === undefined) throw new Error('no second host')
    const next = reduceHosts(hosts, { upsert: { ...second, connection: 'closed' } })
    expect(next.map((view) => view.host.name)).toEqual(hosts.map((view) => view.host.name))
    expect(next[1]?.connection).toBe('closed')
    expect(next[0]).toBe(hosts[0])
    expect(reduceHosts(next, { remove: second.host.name })).toHaveLength(hosts.length - 1)
  })
})
