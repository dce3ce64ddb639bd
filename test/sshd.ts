import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

/** A real OpenSSH server on a loopback port, for this account only, with keys made for it. */
export interface TestSshd {
  port: number
  user: string
  /** SHA256:… of its host key. */
  hostKeyFingerprint: string
  /** The line for known_hosts, without the host's name: `ssh-ed25519 AAAA…`. */
  hostKeyLine: string
  clientKeyPath: string
  /** Folder with keys and configuration, removed by stop. */
  folder: string
  /** Kills the server processes of the connections that are open now, as a broken network would. Returns how many. */
  cutConnections(): number
  /** Stops the server processes of the connections that are open now, as a network that lets nothing through; returns how to let them go on. */
  freezeConnections(): () => void
  stop(): Promise<void>
}

export interface TestSshdOptions {
  /** Default: a free one. Give one to come back on the same port, with another host key or the same. */
  port?: number
  /** Folder of an earlier server (its `folder`, kept by `keepFolder`) whose host key and client key are used again. */
  folder?: string
  /** Leave the folder when stopping. */
  keepFolder?: boolean
  hostKeyType?: 'ed25519' | 'ecdsa' | 'rsa'
  /** Makes the client's key encrypted. */
  clientKeyPassphrase?: string
  /** HOME (and its XDG_CACHE_HOME) of sessions, and where SFTP starts; default `home` in `folder`: the account's real one is left alone. */
  home?: string
  /** Further lines for sshd_config. */
  config?: string[]
}

const SSHD = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/usr/bin/sshd'].find((path) => existsSync(path))

/** Why no sshd can be started here; undefined where it can. */
export function sshdMissing(): string | undefined {
  if (process.platform === 'win32') return 'no sshd on Windows'
  if (!SSHD) return 'sshd is not installed'
  try {
    execFileSync('ssh-keygen', ['-?'], { stdio: 'ignore' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'ssh-keygen is not installed'
  }
  return undefined
}

/** Starts a server and waits until it answers. Throws with its log when it doesn't. Call sshdMissing first. */
export async function startSshd(options: TestSshdOptions = {}): Promise<TestSshd> {
  const missing = sshdMissing()
  if (missing || !SSHD) throw new Error(missing ?? 'no sshd')
  // As root sshd wants its privilege separation folder.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const folder = options.folder ?? mkdtempSync(join(plainTemporaryFolder(), 'speedgrid-sshd-'))
  const hostKey = join(folder, 'host_key')
  const clientKeyPath = join(folder, 'client_key')
  if (!existsSync(hostKey)) makeKey(hostKey, options.hostKeyType ?? 'ed25519', '')
  if (!existsSync(clientKeyPath)) makeKey(clientKeyPath, 'ed25519', options.clientKeyPassphrase ?? '')
  const authorized = join(folder, 'authorized_keys')
  if (!existsSync(authorized)) writeFileSync(authorized, readFileSync(`${clientKeyPath}.pub`), { mode: 0o600 })
  const port = options.port ?? (await freePort())
  const home = options.home ?? join(folder, 'home')
  mkdirSync(home, { recursive: true })
  const config = join(folder, 'sshd_config')
  writeFileSync(config, configLines({ port, hostKey, authorized, home, more: options.config ?? [] }).join('\n') + '\n')

  let log = ''
  const server = spawn(SSHD, ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] })
  server.stderr.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-20_000)
  })
  const exited = new Promise<void>((resolve) => server.once('exit', () => resolve()))
  const hostKeyLine = readFileSync(`${hostKey}.pub`, 'utf8').trim().split(' ').slice(0, 2).join(' ')
  const shown = execFileSync('ssh-keygen', ['-l', '-f', `${hostKey}.pub`]).toString()
  const cutConnections = () => killTree(server.pid ?? -1, false)
  const freezeConnections = () => {
    const { pids } = connectionsOf(server.pid ?? -1)
    for (const pid of pids) signal(pid, 'SIGSTOP')
    return () => {
      for (const pid of pids) signal(pid, 'SIGCONT')
    }
  }
  // A test run that is stopped in the middle leaves no server behind.
  const killAtExit = () => void killTree(server.pid ?? -1, true)
  process.once('exit', killAtExit)
  const stop = async () => {
    killTree(server.pid ?? -1, true)
    await exited
    process.off('exit', killAtExit)
    if (!options.keepFolder) rmSync(folder, { recursive: true, force: true })
  }
  const started = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`sshd did not start:\n${log}`)), 15_000)
    server.once('exit', () => reject(new Error(`sshd ended:\n${log}`)))
    server.stderr.on('data', () => {
      if (!/Server listening on/.test(log)) return
      clearTimeout(timer)
      resolve()
    })
  })
  await started.catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return {
    port,
    user: userInfo().username,
    hostKeyFingerprint: shown.split(' ')[1] ?? '',
    hostKeyLine,
    clientKeyPath,
    folder,
    cutConnections,
    freezeConnections,
    stop,
  }
}

function configLines(server: { port: number; hostKey: string; authorized: string; home: string; more: string[] }): string[] {
  return [
    ...server.more,
    `Port ${server.port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${server.hostKey}`,
    `AuthorizedKeysFile ${server.authorized}`,
    'PidFile none',
    'UsePAM no',
    'StrictModes no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
    'MaxStartups 100',
    'PrintMotd no',
    'LogLevel VERBOSE',
    `Subsystem sftp internal-sftp -d ${server.home}`,
    `SetEnv HOME=${server.home} XDG_CACHE_HOME=${join(server.home, '.cache')}`,
  ]
}

/** internal-sftp splits its arguments at spaces, whatever the quotes. */
function plainTemporaryFolder(): string {
  return /\s/.test(tmpdir()) ? '/tmp' : tmpdir()
}

function makeKey(path: string, type: string, passphrase: string): void {
  execFileSync('ssh-keygen', [
    '-q',
    '-t',
    type,
    ...(type === 'rsa' ? ['-b', '2048'] : []),
    '-a',
    '1',
    '-N',
    passphrase,
    '-C',
    'speedgrid-test',
    '-f',
    path,
  ])
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      const port = typeof address === 'object' && address ? address.port : 0
      probe.close(() => resolve(port))
    })
  })
}

/** Kills the descendants that are sshd's own (not the commands they run, which a cut network leaves alone too). */
function killTree(root: number, withRoot: boolean): number {
  const { count, pids } = connectionsOf(root)
  for (const pid of withRoot ? [...pids, root] : pids) signal(pid, 'SIGKILL')
  return count
}

function connectionsOf(root: number): { count: number; pids: number[] } {
  const parents = processTable()
  const connections = [...parents].filter(([, { parent, name }]) => parent === root && name.startsWith('sshd'))
  const found = new Set(connections.map(([pid]) => pid))
  for (const [pid, { parent, name }] of parents) if (found.has(parent) && name.startsWith('sshd')) found.add(pid)
  return { count: connections.length, pids: [...found] }
}

function signal(pid: number, name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name)
  } catch {
    // Gone by itself.
  }
}

function processTable(): Map<number, { parent: number; name: string }> {
  const table = new Map<number, { parent: number; name: string }>()
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8')
      const close = stat.lastIndexOf(')')
      table.set(Number(entry), {
        name: stat.slice(stat.indexOf('(') + 1, close),
        parent: Number(stat.slice(close + 2).split(' ')[1]),
      })
    } catch {
      // Ended while we looked.
    }
  }
  return table
}
