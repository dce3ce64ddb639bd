import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { configAliases, parseJump, resolveTarget } from './config.ts'
import { planHops } from './hops.ts'
import { temporaryHome } from './test-support.ts'

const place = temporaryHome()
const source = { homeDir: place.home, env: { KEYS: '/keys' }, systemConfigPath: join(place.home, 'none'), localUser: 'me' }
const resolve = (alias: string, overrides = {}) => resolveTarget(alias, source, overrides)
const hasSsh = spawnSync('ssh', ['-V']).error === undefined

beforeEach(() => place.writeConfig(''))
afterAll(() => place.remove())

describe('ssh_config', () => {
  it('gives the defaults of ssh where nothing is said', () => {
    expect(resolve('gpu-1')).toMatchObject({
      hostName: 'gpu-1',
      user: 'me',
      port: 22,
      identityFiles: [],
      jumps: [],
      identitiesOnly: false,
    })
    expect(resolve('gpu-1').knownHostsFiles).toContain(join(place.home, '.ssh/known_hosts'))
  })

  it('takes the first value, with wildcards, negation and what was typed before all', () => {
    place.writeConfig(`
User before
Host gpu-* !gpu-9
  HostName %h.lab.example
  Port 2201
  IdentityFile ~/.ssh/lab_%h_%r
  IdentityFile "\${KEYS}/%n %u"
Host *
  Port=2202
  IdentitiesOnly yes
  IdentityFile %d/last
`)
    expect(resolve('gpu-1')).toMatchObject({ hostName: 'gpu-1.lab.example', user: 'before', port: 2201, identitiesOnly: true })
    expect(resolve('gpu-1').identityFiles).toEqual([
      join(place.home, '.ssh/lab_gpu-1.lab.example_before'),
      '/keys/gpu-1 me',
      join(place.home, 'last'),
    ])
    expect(resolve('gpu-9')).toMatchObject({ hostName: 'gpu-9', port: 2202 })
    const typed = resolve('gpu-1', { user: 'her', port: 7, identityFile: '~/k' })
    expect(typed).toMatchObject({ user: 'her', port: 7 })
    expect(typed.identityFiles[0]).toBe(join(place.home, 'k'))
  })

  it('follows Include with globs, only where its block matches', () => {
    mkdirSync(join(place.home, '.ssh/conf.d'), { recursive: true })
    writeFileSync(join(place.home, '.ssh/conf.d/20-b'), 'Host gpu-1\n  Port 20\n  User b\n')
    writeFileSync(join(place.home, '.ssh/conf.d/10-a'), 'Host gpu-1\n  Port 10\n')
    writeFileSync(join(place.home, '.ssh/only'), 'User included\nHost inner\n  Port 33\n')
    place.writeConfig('Include conf.d/*\nHost gpu-2\n  Include ~/.ssh/only\nHost gpu-1 gpu-2\n  User late\n')
    expect(resolve('gpu-1')).toMatchObject({ port: 10, user: 'b' })
    expect(resolve('gpu-2')).toMatchObject({ user: 'included', port: 22 })
    expect(resolve('inner').port).toBe(22)
    expect(configAliases(source)).toEqual(['gpu-1', 'gpu-2', 'inner'])
  })

  it('follows the Match criteria it knows and notes the others, which never match', () => {
    place.writeConfig(`
Match exec "true"
  Port 1
Match originalhost gpu-* !user root
  Port 2
Match host *.lab,!bad.lab
  User labuser
Match all
  HostKeyAlias everybody
`)
    expect(resolve('gpu-1', { user: 'x' }).port).toBe(2)
    const root = resolve('gpu-1', { user: 'root' })
    expect(root.port).toBe(22)
    expect(root.hostKeyAlias).toBe('everybody')
    expect(root.notes.join()).toMatch(/Match exec.*exec is not supported/)
    expect(resolve('good.lab').user).toBe('labuser')
    expect(resolve('bad.lab').user).toBe('me')
  })

  it('does not let the configuration weaken the check of host keys', () => {
    place.writeConfig('Host a\n  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\nHost b\n  StrictHostKeyChecking yes\n')
    expect(resolve('a').refuseUnknownKeys).toBe(false)
    expect(resolve('a').notes.join()).toMatch(/StrictHostKeyChecking no is not followed/)
    expect(resolve('a').knownHostsFiles[0]).toBe('/dev/null')
    expect(resolve('b').refuseUnknownKeys).toBe(true)
  })

  it('knows which agent to ask', () => {
    place.writeConfig(
      'Host a\n  IdentityAgent none\nHost b\n  IdentityAgent ~/agent-%r\nHost c\n  IdentityAgent $KEYS\nHost d\n  IdentityAgent SSH_AUTH_SOCK\n',
    )
    expect(['a', 'b', 'c', 'd', 'e'].map((alias) => resolve(alias).identityAgent)).toEqual([
      'none',
      join(place.home, 'agent-me'),
      '/keys',
      undefined,
      undefined,
    ])
  })

  it('says what is wrong with a file or a value', () => {
    place.writeConfig('Host a\n  User "open\n')
    expect(() => resolve('a')).toThrow(/can't be understood/)
    place.writeConfig('Host a\n  Port ninety\n')
    expect(() => resolve('a')).toThrow(/not a port/)
    place.writeConfig('Include config\n')
    expect(() => resolve('a')).toThrow(/levels deep/)
  })

  it('reads jump specifications', () => {
    expect(parseJump('me@bastion:2222')).toEqual({ alias: 'bastion', user: 'me', port: 2222 })
    expect(parseJump('a@b@host')).toEqual({ alias: 'host', user: 'a@b', port: undefined })
    expect(parseJump('[fe80::1]:22')).toEqual({ alias: 'fe80::1', user: undefined, port: 22 })
    expect(parseJump('ssh://bastion:1')).toMatchObject({ alias: 'bastion', port: 1 })
    expect(() => parseJump('host:port')).toThrow(/not a jump host/)
  })
})

describe('the way to a host', () => {
  const way = (alias: string) => planHops('lab', alias, {}, source).map((hop) => hop.label)

  it('passes every jump in order; only the first of a list follows its own ProxyJump', () => {
    place.writeConfig(`
Host target
  ProxyJump u1@a:2201,b
Host a
  HostName a.example
  ProxyJump outer
Host b
  Port 2202
  ProxyJump never
Host direct
  ProxyJump none
`)
    expect(way('target')).toEqual(['me@outer', 'u1@a.example:2201', 'me@b:2202', 'me@target'])
    expect(way('direct')).toEqual(['me@direct'])
    expect(planHops('lab', 'target', {}, source)[1]?.place).toBe('hop 2 of 4')
  })

  it('does not reach a machine through itself, and ends where it would go in a circle', () => {
    place.writeConfig('Host *\n  ProxyJump bastion\n')
    expect(way('gpu-1')).toEqual(['me@bastion', 'me@gpu-1'])
    place.writeConfig('Host a\n  ProxyJump b\nHost b\n  ProxyJump a\n')
    expect(() => way('a')).toThrow(/circle/)
  })

  it('refuses ProxyCommand instead of going another way', () => {
    place.writeConfig('Host a\n  ProxyCommand nc %h %p\n  ProxyJump b\nHost c\n  ProxyJump b\n  ProxyCommand nc\n')
    expect(() => way('a')).toThrow(/ProxyCommand/)
    expect(way('c')).toEqual(['me@b', 'me@c'])
  })
})

describe.skipIf(!hasSsh)('compared with ssh -G', () => {
  const name = fc.constantFrom('gpu-1', 'gpu-2', 'bastion', '*', 'gpu-*', '!gpu-2', '?pu-1', '*-1')
  const option = fc.oneof(
    fc.integer({ min: 1, max: 65_535 }).map((port) => `Port ${port}`),
    fc
      .constantFrom('User', 'user=', 'USER "')
      .chain((key) =>
        fc.constantFrom('alice', 'bob').map((who) => `${key} ${who}${key.endsWith('"') ? '"' : ''}`.replace('" ', '"')),
      ),
    fc.constantFrom('%h.lab', '10.0.0.1', '%h').map((host) => `HostName ${host}`),
    fc.constantFrom('/k/one', '/k/%h', '/k/%r-%p', '"/k/with space"').map((path) => `IdentityFile ${path}`),
    fc.constantFrom('yes', 'no').map((value) => `IdentitiesOnly ${value}`),
    fc.constantFrom('none', 'outer', 'x@a:1,b').map((jump) => `ProxyJump ${jump}`),
    fc.constantFrom('one', 'two').map((alias) => `HostKeyAlias ${alias}`),
  )
  const block = fc.oneof(
    fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => `Host ${names.join(' ')}`),
    fc.constantFrom(
      'Match all',
      'Match originalhost gpu-*',
      'Match user alice',
      'Match host *.lab',
      'Match !originalhost gpu-1 user bob',
    ),
  )
  const file = fc.array(fc.oneof({ weight: 1, arbitrary: block }, { weight: 3, arbitrary: option }), { maxLength: 14 })

  it('gives what ssh itself would use', () => {
    const me = userInfo().username
    fc.assert(
      fc.property(file, fc.constantFrom('gpu-1', 'gpu-2', 'bastion', 'other'), (lines, alias) => {
        const text = `${lines.join('\n')}\n`
        place.writeConfig(text)
        const said = execFileSync('ssh', ['-G', '-F', join(place.home, '.ssh/config'), alias], {
          stdio: ['ignore', 'pipe', 'ignore'],
        }).toString()
        const all = (key: string) =>
          said
            .split('\n')
            .filter((line) => line.startsWith(`${key} `))
            .map((line) => line.slice(key.length + 1))
        const ours = resolveTarget(alias, { ...source, localUser: me })
        expect({
          host: ours.hostName,
          user: ours.user,
          port: String(ours.port),
          only: ours.identitiesOnly,
          alias: ours.hostKeyAlias,
        }).toEqual({
          host: all('hostname')[0],
          user: all('user')[0],
          port: all('port')[0],
          only: all('identitiesonly')[0] === 'yes',
          alias: all('hostkeyalias')[0],
        })
        const jumps = ours.jumps
          .map(({ alias, user, port }) => `${user ? `${user}@` : ''}${alias}${port ? `:${port}` : ''}`)
          .join(',')
        expect(jumps).toBe(all('proxyjump')[0] ?? '')
      }),
      { numRuns: 60 },
    )
  })
})
