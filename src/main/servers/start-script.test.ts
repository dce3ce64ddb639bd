import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLocalLink, type LocalLink } from '../../../test/local-link.ts'
import { hiddenWords, secretLines, startCommand, startScript } from './start-script.ts'
import { readIdentity } from './state-file.ts'

/** What arrives in a process that the real start script started with a real sh. */
interface Arrived {
  argv: string[]
  env: Record<string, string>
  cwd: string
  umask: number
  input: string
  session: number
}

describe('the start script', () => {
  let link: LocalLink
  let parent: string
  let program: string
  let count = 0

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), "speedgrid start 'script' $x-"))
    link = await createLocalLink({ env: { PATH: '/usr/bin:/bin' } })
    program = join(parent, 'show "args".mjs')
    await writeFile(
      program,
      `import { readFileSync, writeFileSync, renameSync } from 'node:fs'
       const session = Number(readFileSync('/proc/self/stat', 'utf8').replace(/^.*\\) /s, '').split(' ')[3])
       const [, , ...argv] = process.argv
       const out = process.env.SHOW_TO
       writeFileSync(out + '.part', JSON.stringify({ argv, env: process.env, cwd: process.cwd(), umask: process.umask(), input: readFileSync(0, 'utf8'), session }))
       renameSync(out + '.part', out)`,
    )
  })
  afterAll(async () => {
    await link.dispose()
    await rm(parent, { recursive: true, force: true })
  })

  async function start(
    argv: string[],
    environment: { name: string; value: string }[],
    secrets: Record<string, string>,
    stdin?: string,
    hidden: number[] = [],
  ) {
    count += 1
    const folder = join(parent, 'base', 'servers', `folder ${String(count)}`)
    const out = join(folder, 'arrived.json')
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const script = startScript({
      id: `srv-${String(count)}`,
      binFolders: ["/first 'bin'", '/second'],
      environment: [{ name: 'SHOW_TO', value: out }, ...environment],
      argv: [process.execPath, program, ...argv],
      hidden,
    })
    await writeFile(join(folder, 'start.sh'), script)
    const result = await link.exec(startCommand(folder, script), {
      stdin: stdin ?? secretLines(new Map(Object.entries(secrets))),
    })
    return { result, folder, out, script, identity: readIdentity(result.stdout.trim()) }
  }

  async function arrived(out: string): Promise<Arrived> {
    for (let round = 0; round < 400; round += 1) {
      const text = await readFile(out, 'utf8').catch(() => undefined)
      if (text !== undefined) return JSON.parse(text) as Arrived
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    throw new Error('the program did not start')
  }

  it('gives the process exactly the words, environment and secrets it was told', async () => {
    const nasty = fc.oneof(
      fc.constantFrom(
        '',
        ' ',
        "'",
        '"',
        '`id`',
        '$(id)',
        '$HOME',
        '\\',
        '\\n',
        '-',
        '--',
        '*',
        '~',
        '!!',
        '#x',
        'a\nb',
        '\t',
        '=',
        ';',
        '&',
        'ä→🙂',
        '%s',
        '\r',
      ),
      fc.string({ unit: fc.constantFrom(...`'"\\\`$ \n\t*?[]{}()<>|&;#~=%!-aé`.split('')), maxLength: 12 }),
    )
    const line = nasty.map((text) => text.replaceAll(/[\r\n]/g, ''))
    await fc.assert(
      fc.asyncProperty(fc.array(nasty, { maxLength: 15 }), nasty, line, async (argv, value, secret) => {
        const { out } = await start(argv, [{ name: 'OPEN', value }], { HIDDEN_KEY: secret, OTHER: 'x' })
        const seen = await arrived(out)
        expect(seen.argv).toEqual(argv)
        expect(seen.env['OPEN']).toBe(value)
        expect(seen.env['HIDDEN_KEY']).toBe(secret)
        expect(seen.env['OTHER']).toBe('x')
      }),
      { numRuns: 8 },
    )
  })

  it('runs in a session of its own, with the account’s umask, home folder and an empty input', async () => {
    const { out, identity, folder } = await start(['x'], [], { K: 'v' })
    const seen = await arrived(out)
    expect(identity).toMatchObject({ pid: seen.session, session: seen.session })
    expect(seen).toMatchObject({ cwd: link.homeDir, input: '', umask: process.umask() })
    expect(seen.env).toMatchObject({ PATH: "/first 'bin':/second:/usr/bin:/bin", SPEEDGRID_SERVER: `srv-${String(count)}` })
    expect(readIdentity((await readFile(join(folder, 'identity'), 'utf8')).trim())).toEqual(identity)
  })

  it('does not start a server whose secrets did not arrive whole', async () => {
    const { identity, folder } = await start([], [], {}, 'HIDDEN_KEY=cut off in the mid')
    expect(identity).toBeUndefined()
    expect(await readFile(join(folder, 'server.log'), 'utf8')).toContain('the secrets did not arrive')
  })

  it('brings arguments that hold a secret, line breaks and all, without writing them anywhere', async () => {
    const json = `{"api_key":\n "it's $HOME \`id\`",\n"n":1}\n`
    const argv = ['serve', '--x', json, '--y', 's3://ID:se/cret+x@bucket']
    const hidden = [4, 6]
    const { out, script, folder } = await start(
      argv,
      [],
      { K: 'v', ...Object.fromEntries(hiddenWords(['', '', ...argv], hidden)) },
      undefined,
      hidden,
    )
    const seen = await arrived(out)
    expect(seen.argv).toEqual(argv)
    expect(Object.keys(seen.env).filter((name) => name.startsWith('SPEEDGRID_WORD'))).toEqual([])
    expect(script).not.toMatch(/se\/cret|api_key/)
    expect(await readFile(join(folder, 'server.log'), 'utf8')).toBe('')
  })

  it('holds no secret itself', async () => {
    const { script } = await start([], [], { HIDDEN_KEY: 'very hidden value' })
    expect(script).not.toContain('very hidden value')
    expect(script).not.toContain('HIDDEN_KEY')
  })
})
