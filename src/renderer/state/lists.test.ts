import { describe, expect, it } from 'vitest'
import { richHosts } from '../testing/fake/hosts-data.ts'
import { runRows } from '../testing/fake/runs-data.ts'
import { reduceHosts, reduceRuns } from './lists.ts'

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

  it('puts new runs first, changes known ones in place and removes', () => {
    const runs = runRows(4)
    const [first, second] = runs
    if (first === undefined || second === undefined) throw new Error('too few runs')
    const next = reduceRuns(runs, {
      upsert: [
        { ...second, name: 'renamed' },
        { ...first, id: 'new' },
      ],
    })
    expect(next.map((run) => run.id)).toEqual(['new', ...runs.map((run) => run.id)])
    expect(next[2]?.name).toBe('renamed')
    expect(reduceRuns(next, { remove: ['new', first.id] }).map((run) => run.id)).toEqual(runs.slice(1).map((run) => run.id))
  })
})
