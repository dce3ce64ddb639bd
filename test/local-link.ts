import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import fs from 'node:fs/promises'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import type { Duplex } from 'node:stream'
import { SpeedgridError } from '../src/shared/model/error.ts'
import type { ExecOptions, ExecResult, HostLink, LinkState, RemoteFiles, Tunnel } from '../src/main/ssh/types.ts'

export interface LocalLinkOptions {
  hostName?: string
  /** The home folder of the "account": relative paths, the working folder and $HOME. Default: a new temporary folder, removed by dispose. */
  homeDir?: string
  /** Environment of every command, instead of this process's (HOME is set in any case). */
  env?: Record<string, string>
}

export interface LocalLink extends HostLink {
  readonly homeDir: string
  /** Pretends that the connection changed; listeners are told. */
  announce(state: LinkState): void
}

/** A HostLink whose host is this machine: real sh, real files, real sockets, no SSH. For tests. */
export async function createLocalLink(options: LocalLinkOptions = {}): Promise<LocalLink> {
  const ownHome = options.homeDir === undefined
  const homeDir = options.homeDir ?? (await fs.mkdtemp(path.join(os.tmpdir(), 'speedgrid-link-')))
  const env = { ...(options.env ?? inheritedEnv()), HOME: homeDir }
  const place: Place = { homeDir, env }
  const listeners = new Set<(state: LinkState) => void>()
  const running = new Set<() => void>()
  const tunnels = new Set<Tunnel>()

  const run = async (argv: readonly string[], execOptions: ExecOptions = {}) => {
    const job = start(place, argv, execOptions)
    running.add(job.kill)
    return await job.done.finally(() => running.delete(job.kill))
  }

  return {
    hostName: options.hostName ?? 'local',
    homeDir,
    exec: run,
    script: (script, args = [], execOptions = {}) => run(['sh', '-s', '--', ...args], { ...execOptions, stdin: script }),
    stream: async (argv, onStdout) => {
      const job = start(place, argv, {}, onStdout)
      running.add(job.kill)
      return { done: job.done.finally(() => running.delete(job.kill)), dispose: job.kill }
    },
    files: localFiles(homeDir),
    connect: (port, address = '127.0.0.1') => connectTo(port, address),
    tunnel: async (port) => {
      const tunnel = await openTunnel(port)
      tunnels.add(tunnel)
      return tunnel
    },
    onStateChange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    announce: (state) => {
      for (const listener of listeners) listener(state)
    },
    dispose: async () => {
      for (const kill of running) kill()
      await Promise.all([...tunnels].map((tunnel) => tunnel.dispose()))
      if (ownHome) await fs.rm(homeDir, { recursive: true, force: true })
    },
  }
}

interface Place {
  homeDir: string
  env: Record<string, string>
}

function inheritedEnv(): Record<string, string> {
  const entries = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return Object.fromEntries(entries)
}

/** As over SSH: started by a shell in the home folder, so that an unknown command is exit status 127 and not an exception. */
function start(place: Place, argv: readonly string[], options: ExecOptions, onStdout?: (chunk: Buffer) => void) {
  const child = spawn('/bin/sh', ['-c', 'exec "$@"', 'sh', ...argv], {
    cwd: place.homeDir,
    env: place.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // it has ended by itself
    }
  }
  const limit = options.maxOutputBytes ?? 4 * 1024 * 1024
  const stdout = collect(limit)
  const stderr = collect(limit)
  child.stdout.on('data', (chunk: Buffer) => (onStdout === undefined ? stdout.add(chunk) : onStdout(chunk)))
  child.stderr.on('data', stderr.add)
  child.stdin.on('error', () => undefined)
  child.stdin.end(options.stdin ?? '')

  const done = new Promise<ExecResult>((resolve, reject) => {
    const timer =
      options.timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            kill()
            reject(new SpeedgridError('remote', `${argv[0] ?? ''} did not end within ${String(options.timeoutMs)} ms`))
          }, options.timeoutMs)
    const abort = () => {
      kill()
      reject(new SpeedgridError('interrupted', `${argv[0] ?? ''} was interrupted`))
    }
    if (options.signal?.aborted === true) abort()
    options.signal?.addEventListener('abort', abort, { once: true })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      options.signal?.removeEventListener('abort', abort)
      resolve({ code, ...(signal === null ? {} : { signal }), stdout: stdout.text(), stderr: stderr.text() })
    })
  })
  done.catch(() => undefined)
  return { done, kill }
}

function collect(limit: number) {
  const chunks: Buffer[] = []
  let size = 0
  return {
    add: (chunk: Buffer) => {
      const kept = chunk.subarray(0, Math.max(0, limit - size))
      size += kept.length
      chunks.push(kept)
    },
    text: () => Buffer.concat(chunks).toString('utf8'),
  }
}

async function connectTo(port: number, host: string): Promise<Duplex> {
  return await new Promise((resolve, reject) => {
    const socket = net.connect({ port, host, noDelay: true }, () => resolve(socket))
    socket.once('error', (error) => reject(new SpeedgridError('unreachable', error.message, { from: error })))
  })
}

async function openTunnel(port: number): Promise<Tunnel> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'speedgrid-tunnel-'))
  const socketPath = path.join(folder, 'tunnel.sock')
  const open = new Set<net.Socket>()
  const server = net.createServer({ noDelay: true }, (client) => {
    const upstream = net.connect({ port, host: '127.0.0.1', noDelay: true })
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('close', () => open.delete(socket))
      socket.on('error', () => {
        client.destroy()
        upstream.destroy()
      })
    }
    client.pipe(upstream).pipe(client)
  })
  await new Promise<void>((resolve, reject) => server.listen(socketPath, resolve).once('error', reject))
  return {
    socketPath,
    state: { state: 'up' },
    onStateChange: () => () => undefined,
    onFull: () => () => undefined,
    dispose: async () => {
      for (const socket of open) socket.destroy()
      if (server.listening) await new Promise((resolve) => server.close(resolve))
      await fs.rm(folder, { recursive: true, force: true })
    },
  }
}

function localFiles(homeDir: string): RemoteFiles {
  const at = (name: string) => path.resolve(homeDir, name)
  const replace = async (name: string, mode: number, fill: (temporary: string) => Promise<void>) => {
    const temporary = `${at(name)}.tmp-${String(process.pid)}-${Math.random().toString(36).slice(2)}`
    try {
      await fill(temporary)
      await fs.chmod(temporary, mode)
      await fs.rename(temporary, at(name))
    } catch (error) {
      await fs.rm(temporary, { force: true })
      throw error
    }
  }
  return {
    write: (name, data, mode) =>
      told(
        name,
        replace(name, mode, (to) => fs.writeFile(to, data, { mode })),
      ),
    send: (from, name, mode) =>
      told(
        name,
        replace(name, mode, (to) => fs.copyFile(from, to)),
      ),
    append: (name, data) => told(name, appendTo(at(name), data)),
    read: (name, offset = 0, maxBytes = 1024 * 1024) => told(name, readFrom(at(name), offset, maxBytes)),
    stat: async (name) => {
      const found = await fs.stat(at(name)).catch(() => undefined)
      return found && { size: found.size, mode: found.mode, mtimeMs: found.mtimeMs, isDirectory: found.isDirectory() }
    },
    list: (name) => told(name, fs.readdir(at(name))),
    makeFolder: async (name, mode) => {
      await told(name, fs.mkdir(at(name), { mode, recursive: true }))
    },
    remove: (name) => told(name, fs.rm(at(name), { recursive: true, force: true })),
  }
}

async function appendTo(name: string, data: string): Promise<void> {
  const stream = createWriteStream(name, { flags: 'a' })
  await new Promise<void>((resolve, reject) => {
    stream.on('error', reject)
    stream.end(data, () => resolve())
  })
}

async function readFrom(name: string, offset: number, maxBytes: number): Promise<Buffer> {
  const file = await fs.open(name, 'r')
  try {
    const { size } = await file.stat()
    const buffer = Buffer.alloc(Math.max(0, Math.min(maxBytes, size - offset)))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, offset)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

const CODES: Record<string, 'not_found' | 'disk_full' | 'read_only'> = {
  ENOENT: 'not_found',
  ENOTDIR: 'not_found',
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EROFS: 'read_only',
  EACCES: 'read_only',
  EPERM: 'read_only',
}

async function told<T>(name: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const cause = error as NodeJS.ErrnoException
    throw new SpeedgridError(CODES[cause.code ?? ''] ?? 'remote', `${name}: ${cause.message}`, { from: error })
  }
}
