import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createPerson, type Person } from './speedgrid.ts'

interface Ready {
  user: string
  address: string
  port: number
  clientKeyPath: string
  hostKeyFingerprint: string
  launchWords: string[]
}

/** Secrets of every kind, each with letters of its own, so that a find tells which one got out. */
const PLANTED = {
  key: 'Kq4vPlantedApiKey7',
  token: 'Tz8wPlantedToken3',
  pwd: 'Pw5rPlanted@Pwd/9x',
  header: 'Hd2mPlantedHeader6',
  dsn: 'Ds7nPlanted+Dsn1',
  json: 'Js3kPlantedNested8',
  address: 'Ad6jPlanted/Ad+dr4',
}

let person: Person
beforeEach(() => {
  person = createPerson()
})
afterEach(() => {
  person.dispose()
})

/** Every form a planted secret is looked for in. */
const formsOf = (value: string) => [
  value,
  encodeURIComponent(value),
  Buffer.from(value).toString('base64').replace(/=+$/, '').slice(0, -1),
  Buffer.from(value).toString('hex'),
]

function foundIn(text: string): string[] {
  return Object.entries(PLANTED).flatMap(([name, value]) => (formsOf(value).some((form) => text.includes(form)) ? [name] : []))
}

/** Files that hold one: the database with its log, state files, scripts, logs of ours. */
function filesWithSecrets(folder: string, skip: (path: string) => boolean): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    const path = join(folder, name)
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat === undefined || !stat.isFile() || skip(path)) return []
    const found = foundIn(readFileSync(path, 'latin1'))
    return found.length === 0 ? [] : [`${path}: ${found.join(', ')}`]
  })
}

it.runIf(process.platform === 'linux')(
  'secrets of every kind reach the server, and are in no file, no report, no log that is shown and no other process',
  async () => {
    const demo = person.start(['demo-host', '--machine', 'h200', '--json'])
    await demo.saw(/"commands": \[[^\]]*\]\n}/)
    const ready = JSON.parse(demo.stdout()) as Ready
    const outputs: [string, string][] = []
    const run = async (args: string[], expected = 0) => {
      const outcome = await person.run(args)
      outputs.push([args.slice(0, 2).join(' '), outcome.stdout + outcome.stderr])
      expect(outcome.code, outcome.stdout + outcome.stderr).toBe(expected)
      return outcome
    }
    await run(['hosts', 'add', 'lab', `${ready.user}@${ready.address}:${String(ready.port)}`, '--identity', ready.clientKeyPath])
    await run(['hosts', 'trust', 'lab', '--fingerprint', ready.hostKeyFingerprint])

    // A vLLM that talks too much: everything it was given, in forms that nothing gives away, and colours and titles besides.
    const bin = join(person.temporary, 'chatty')
    mkdirSync(bin)
    writeFileSync(
      join(bin, 'vllm'),
      `#!/bin/sh
if [ "$1" = serve ]; then
  printf 'INFO %s and %s\\n' "$DB_PWD" "$HF_TOKEN"
  printf 'INFO key %s\\n' "$(printf %s "$VLLM_API_KEY" | base64)"
  printf 'INFO pair %s\\n' "$(printf 'me:%s' "$DB_PWD" | base64 -w0)"
  printf 'INFO %s %s\\n' "$OTEL_EXPORTER_OTLP_HEADERS" "$SENTRY_DSN"
  printf 'INFO argv %s\\n' "$*"
  printf '\\033]0;owned\\007\\033[2J\\033[31mred\\033[0m\\342\\200\\256live\\n'
fi
# The folder of the program that is started comes first in PATH.
PATH=$(printf %s "$PATH" | sed 's#[^:]*chatty:##g')
exec vllm "$@"
`,
    )
    chmodSync(join(bin, 'vllm'), 0o755)
    const launch = await run([
      'launch',
      'lab',
      '--name',
      'one',
      '--verbose',
      '--json',
      '--',
      'SPEEDGRID_DEMO_START_SECONDS=1',
      `HF_TOKEN=${PLANTED.token}`,
      `DB_PWD=${PLANTED.pwd}`,
      `OTEL_EXPORTER_OTLP_HEADERS=x-auth=${PLANTED.header}`,
      `SENTRY_DSN=https://${PLANTED.dsn}@sentry.example/1`,
      join(bin, 'vllm'),
      ...ready.launchWords.slice(1),
      '--api-k',
      PLANTED.key,
      '--model-loader-extra-config',
      `{"hub": {"accessToken": "${PLANTED.json}"}}`,
      `--otlp-traces-endpoint=http://me:${PLANTED.address}@collector:4317`,
    ])
    expect(launch.stderr).toMatch(/--otlp-traces-endpoint holds a secret.*every user of the host can see it/)
    // oxlint-disable-next-line no-control-regex -- they are what this is about
    expect(launch.stderr).not.toMatch(/[\u001b\u202e]/)

    const prompts = join(person.home, 'mine.txt')
    writeFileSync(prompts, 'A sentence nobody else has written. '.repeat(400))
    const plan = ['--contexts', '1k', '--concurrency', '1,2', '--seconds', '1', '--max-output', '64', '--prompts', prompts]
    await run(['sweep', '--host', 'lab', '--server', 'one', '--name', 'planted', '--json', ...plan])
    for (const args of [
      ['show', 'planted', '--json'],
      ['runs', '--json'],
      ['servers', 'lab', '--json'],
      ['doctor', 'lab', '--json'],
      ...['html', 'md', 'csv', 'json'].map((format) => [
        'report',
        'planted',
        '--format',
        format,
        '-o',
        join(person.home, `r.${format}`),
      ]),
      ['logs', 'lab', 'one'],
      ['logs', 'lab', 'one', '--json'],
      ['servers', 'lab'],
    ]) {
      await run(args)
    }
    const { stdout: log } = await person.run(['logs', 'lab', 'one'])
    expect(log).toContain('INFO <redacted> and <redacted>')
    // oxlint-disable-next-line no-control-regex -- they are what this is about
    expect(log).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/)

    expect(outputs.flatMap(([what, text]) => foundIn(text).map((name) => `${what}: ${name}`))).toEqual([])
    const shown = outputs.map(([, text]) => text).join('') + readFileSync(join(person.home, 'r.html'), 'utf8')
    expect(shown).not.toContain('A sentence nobody else has written. A sentence')
    // The server's own log is the server's: it wrote there what it knows.
    const isServersLog = (path: string) => path.endsWith('/server.log')
    expect(filesWithSecrets(person.dataDir, () => false)).toEqual([])
    expect(filesWithSecrets(person.home, () => false)).toEqual([])
    expect(filesWithSecrets(person.temporary, isServersLog)).toEqual([])

    // What vLLM takes by argument only is seen in the server's own arguments, and nothing else anywhere.
    const seen = new Set(
      readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .flatMap((pid) => {
          try {
            return foundIn(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
          } catch {
            return []
          }
        }),
    )
    expect([...seen].filter((name) => name !== 'json' && name !== 'address')).toEqual([])
    await run(['stop', 'lab', 'one'])
    demo.child.kill('SIGINT')
    await demo.done
    expect(filesWithSecrets(person.temporary, () => false).filter((line) => !line.includes('chatty'))).toEqual([])
  },
)
