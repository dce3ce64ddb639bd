import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'ssh2'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { nodeArguments } from './node-command.ts'
import { markedProcesses } from './processes.ts'
import { startDemoHost } from './start-demo-host.ts'
import type { DemoHost } from './start-demo-host.ts'
import { connectTo, run } from './test-ssh.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'demo lifecycle '))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}

const answers = (port: number) =>
  fetch(`http://127.0.0.1:${port}/health`).then(
    (response) => response.status,
    () => 0,
  )

async function launched(host: DemoHost, client: Client) {
  const port = await freePort()
  const started = await run(
    client,
    `SPEEDGRID_DEMO_START_SECONDS=0.4 VLLM_API_KEY=k setsid sh -c 'echo $$ > pid; exec vllm serve Qwen/Qwen3.5-2B --served-model-name qwen --host 127.0.0.1 --port ${port}' > log 2>&1 < /dev/null &`,
  )
  expect(started.code).toBe(0)
  expect(await answers(port)).toBe(0)
  await expect.poll(() => answers(port), { timeout: 20_000 }).toBe(200)
  const pid = Number(readFileSync(join(host.home, 'pid'), 'utf8'))
  const session = async () => {
    const { stdout } = await run(client, `ps -o pid=,stat=,comm= -s ${pid}`)
    // What has ended and waits for its parent is no process any more.
    return stdout.split('\n').filter((line) => line.trim() !== '' && !/^\s*\d+\s+Z/.test(line))
  }
  return { port, pid, session }
}

/** The marker's value, from the executables the machine has. */
const markerOf = (host: DemoHost) =>
  /SPEEDGRID_DEMO_HOST='([0-9a-f]+)'/.exec(readFileSync(join(host.home, '..', 'bin', 'vllm'), 'utf8'))?.[1] ?? ''

describe('a server on the demo machine', () => {
  it('starts with vLLM’s milestones, holds GPU memory, ends on SIGTERM with everything', async () => {
    const host = await startDemoHost({ machine: 'h200', folder })
    const client = await connectTo(host)
    const server = await launched(host, client)
    const log = readFileSync(join(host.home, 'log'), 'utf8')
    expect(log).toMatch(/GPU KV cache size: 6,\d{3},\d{3} tokens, Maximum concurrency for 262,144 tokens per request: /)
    expect(log).toMatch(/\rLoading safetensors checkpoint shards: 100% Completed/)
    expect(log).toMatch(/Application startup complete/)
    const processes = await server.session()
    expect(processes.some((line) => line.includes('VLLM::EngineCor'))).toBe(true)
    expect(readFileSync(`/proc/${server.pid}/cmdline`, 'utf8')).toMatch(/\/bin\/vllm\0serve\0Qwen/)
    const used = async () =>
      Number((await run(client, 'nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits')).stdout)
    expect(await used()).toBeGreaterThan(100_000)
    process.kill(server.pid, 'SIGTERM')
    await expect.poll(server.session, { timeout: 10_000 }).toEqual([])
    expect(await answers(server.port)).toBe(0)
    expect(await used()).toBeLessThan(100)
    client.end()
    await host.dispose()
    expect(readdirSync(folder)).toEqual([])
  })

  it('leaves its engine behind when it is killed hard; the machine’s end takes that and every other process', async () => {
    const host = await startDemoHost({ machine: 'h200', folder })
    const marker = markerOf(host)
    const client = await connectTo(host)
    const server = await launched(host, client)
    process.kill(server.pid, 'SIGKILL')
    await expect
      .poll(() => existsSync(`/proc/${server.pid}/environ`) && readFileSync(`/proc/${server.pid}/cmdline`).length > 0)
      .toBe(false)
    await delay(300)
    const left = await server.session()
    expect(left).toHaveLength(1)
    expect(left[0]).toContain('VLLM::EngineCor')
    expect((await run(client, 'nvidia-smi --query-compute-apps=pid --format=csv,noheader')).stdout.trim()).toBe(
      left[0]?.trim().split(' ')[0],
    )
    await run(client, 'setsid sh -c \'trap "" TERM; while :; do sleep 1; done\' > /dev/null 2>&1 < /dev/null &')
    expect(markedProcesses(marker).length).toBeGreaterThan(1)
    client.end()
    await host.dispose()
    expect(markedProcesses(marker)).toEqual([])
    expect(readdirSync(folder)).toEqual([])
    await host.dispose()
  })

  it('refuses what vLLM refuses, with its status and its words', async () => {
    const host = await startDemoHost({ machine: 'h200', folder })
    const client = await connectTo(host)
    const port = await freePort()
    const model = 'Qwen/Qwen3.5-2B'
    const cases: [words: string, code: number, message: RegExp][] = [
      [`${model} --no-such-flag`, 2, /vllm: error: unrecognized arguments: --no-such-flag/],
      [`${model} --max-model-len 300000`, 1, /max_model_len \(300000\) is greater than the derived max_model_len/],
      [`${model} --gpu-memory-utilization 0.06`, 1, /estimated maximum model length is \d+[^]*Engine core initialization failed/],
      [`${model} --tensor-parallel-size 4`, 1, /World size \(4\) is larger than the number of available GPUs \(1\)/],
      [`${model} --port ${host.port}`, 1, /OSError: \[Errno 98\] Address already in use/],
      ['./nowhere', 1, /HFValidationError: Repo id must be in the form 'repo_name'/],
      ['Some/Model', 1, /Some\/Model is not a local folder and is not a valid model identifier/],
    ]
    const ran = await Promise.all(
      cases.map(([words]) =>
        run(client, `SPEEDGRID_DEMO_START_SECONDS=0.1 vllm serve --host 127.0.0.1 --port ${port} ${words} 2>&1`),
      ),
    )
    cases.forEach(([words, code, message], index) => {
      expect(ran[index]?.code, words).toBe(code)
      expect(ran[index]?.stdout).toMatch(message)
    })
    client.end()
    await host.dispose()
  })
})

describe('the demo host', () => {
  it('refuses unknown machines and ports in use, and leaves no folder', async () => {
    await expect(startDemoHost({ machine: 'h100', folder })).rejects.toMatchObject({
      code: 'usage',
      evidence: [expect.stringContaining('h200')],
    })
    const taken = createServer()
    await new Promise<void>((done) => taken.listen(0, '127.0.0.1', done))
    const { port } = taken.address() as AddressInfo
    await expect(startDemoHost({ machine: 'h200', port, folder })).rejects.toMatchObject({ code: 'usage' })
    taken.close()
    expect(readdirSync(folder)).toEqual([])
  })

  it('removes what a killed one has left, and nothing of a living one', async () => {
    const dead = join(folder, 'speedgrid-demo-4194303-abc')
    mkdirSync(dead)
    const id = randomBytes(8).toString('hex')
    writeFileSync(join(dead, 'id'), id)
    const left = spawn('sleep', ['60'], { env: { PATH: process.env.PATH, SPEEDGRID_DEMO_HOST: id } })
    const ended = new Promise((done) => left.once('exit', (_code, signal) => done(signal)))
    await expect.poll(() => markedProcesses(id)).toEqual([left.pid])
    const first = await startDemoHost({ machine: 'h200', folder })
    expect(existsSync(dead)).toBe(false)
    expect(await ended).toBe('SIGKILL')
    const second = await startDemoHost({ machine: 'rtx-pro-6000', folder })
    expect(existsSync(first.home)).toBe(true)
    await first.dispose()
    await second.dispose()
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('the demo host’s own process', () => {
  const program = resolve(import.meta.dirname, 'main.ts')
  async function started(...args: string[]) {
    const child = spawn(process.execPath, [...nodeArguments(program), program, '--folder', folder, ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    let out = ''
    let err = ''
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
    const exited = new Promise<number | null>((done) => child.on('close', done))
    const ready = new Promise<void>((done) => {
      child.stdout.on('data', (chunk: Buffer) => {
        out += chunk.toString()
        if (out.endsWith('\n')) done()
      })
    })
    await Promise.race([ready, exited])
    return { child, exited, facts: out === '' ? undefined : (JSON.parse(out) as DemoHost), complaints: () => err }
  }

  it('prints one line of facts that let a client in, and goes with everything on SIGTERM', async () => {
    const running = await started('--machine', 'h200')
    if (!running.facts) throw new Error(running.complaints())
    const client = await connectTo(running.facts)
    await run(client, 'sleep 100 > /dev/null 2>&1 < /dev/null &')
    const marker = markerOf(running.facts)
    expect(markedProcesses(marker)).toHaveLength(1)
    running.child.kill('SIGTERM')
    expect(await running.exited).toBe(0)
    expect(markedProcesses(marker)).toEqual([])
    expect(readdirSync(folder)).toEqual([])
  })

  it('goes when its standard input ends', async () => {
    const running = await started('--machine', '4x-rtx-pro-6000', '--until-stdin-ends')
    expect(running.facts?.machine).toBe('4x-rtx-pro-6000')
    running.child.stdin.end()
    expect(await running.exited).toBe(0)
    expect(readdirSync(folder)).toEqual([])
  })

  it.each([[['--machine', 'nope']], [[]], [['--machine', 'h200', '--port', 'x']]])(
    'ends with status 2 and a sentence for %j',
    async (args) => {
      const running = await started(...args)
      expect(await running.exited).toBe(2)
      expect(running.complaints()).not.toMatch(/\n\s+at /)
      expect(running.complaints().length).toBeGreaterThan(20)
    },
  )
})
