import { appendFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLocalLink, type LocalLink } from '../../../test/local-link.ts'
import { SpeedgridError } from '../../shared/model/error.ts'
import { systemClock } from './clock.ts'
import { tailFile } from './log-tail.ts'

describe('tailFile', () => {
  let link: LocalLink
  let path: string
  let text = ''
  const take = (chunk: string) => (text += chunk)
  beforeEach(async () => {
    link = await createLocalLink()
    path = join(link.homeDir, 'log')
    text = ''
  })
  afterEach(() => link.dispose())
  const until = async (wanted: string) => {
    for (let round = 0; round < 400 && !text.endsWith(wanted); round += 1) await new Promise((resolve) => setTimeout(resolve, 10))
    expect(text.endsWith(wanted)).toBe(true)
  }

  it('gives all, or the end', async () => {
    await writeFile(path, `${'x'.repeat(600_000)}end ä`)
    await tailFile(() => Promise.resolve(link), path, take, systemClock)
    expect(text.length).toBe(600_005)
    text = ''
    await tailFile(() => Promise.resolve(link), path, take, systemClock, { tailBytes: 6 })
    expect(text).toBe('end ä'.slice(-5))
    await expect(tailFile(() => Promise.resolve(link), `${path}x`, take, systemClock)).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it('follows over a broken link without losing or repeating a byte, until it is told to stop', async () => {
    await writeFile(path, 'one ')
    const abort = new AbortController()
    let breaks = 0
    const connect = () => {
      if (text === 'one two ' && breaks < 2) {
        breaks += 1
        return Promise.reject(new SpeedgridError('link_lost', 'gone'))
      }
      return Promise.resolve(link)
    }
    const clock = { ...systemClock, sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(Math.min(ms, 10), signal) }
    const tail = tailFile(connect, path, take, clock, { follow: true, signal: abort.signal })
    await until('one ')
    await appendFile(path, 'two ')
    await until('two ')
    await appendFile(path, Buffer.from('dreißig').subarray(0, 5))
    await appendFile(path, Buffer.from('dreißig').subarray(5))
    await until('dreißig')
    expect(text).toBe('one two dreißig')
    expect(breaks).toBe(2)
    abort.abort()
    await tail
  })

  it('ends when the file is gone', async () => {
    await writeFile(path, 'x')
    const tail = tailFile(() => Promise.resolve(link), path, take, systemClock, { follow: true, pollMs: 5 })
    await until('x')
    await rm(path)
    await tail
  })
})
