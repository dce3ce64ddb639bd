import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** A real account of this machine, made for a test. */
export interface Account {
  name: string
  uid: number
  home: string
  /** Runs a script with sh as that account, and returns what it printed. Throws where it fails. */
  sh(script: string, ...args: string[]): string
  /** The same, going on by itself. */
  start(script: string, ...args: string[]): ChildProcess
  /** Ends its processes and removes it with its home folder and what it has in /tmp. */
  remove(): Promise<void>
}

/** Why accounts can't be made here; undefined where they can. */
export function accountsMissing(): string | undefined {
  if (process.platform !== 'linux') return 'accounts are made on Linux only'
  if (process.getuid?.() !== 0) return 'only root can make a second account'
  return spawnSync('useradd', ['--help']).status === 0 ? undefined : 'useradd is missing'
}

export function createAccount(): Account {
  const name = `sg-${randomBytes(4).toString('hex')}`
  // A password of * can't be entered, and unlike ! it doesn't lock the account for sshd.
  execFileSync('useradd', ['--create-home', '--shell', '/bin/sh', '--password', '*', name])
  const uid = Number(execFileSync('id', ['-u', name]).toString())
  const gid = Number(execFileSync('id', ['-g', name]).toString())
  const home = execFileSync('sh', ['-c', `echo ~${name}`])
    .toString()
    .trim()
  const options = { uid, gid, cwd: '/', env: { HOME: home, PATH: process.env.PATH ?? '/usr/bin:/bin' } }
  return {
    name,
    uid,
    home,
    sh: (script, ...args) => execFileSync('sh', ['-euc', script, 'sh', ...args], options).toString(),
    start: (script, ...args) =>
      spawn('sh', ['-euc', script, 'sh', ...args], { ...options, stdio: ['ignore', 'pipe', 'inherit'] }),
    remove: async () => {
      for (let round = 0; round < 100 && processesOf(uid).length > 0; round += 1) {
        for (const pid of processesOf(uid)) kill(pid)
        await delay(20)
      }
      spawnSync('userdel', ['--remove', name])
      for (const entry of readdirSync('/tmp'))
        if (ownerOf(`/tmp/${entry}`) === uid) rmSync(`/tmp/${entry}`, { recursive: true, force: true })
    },
  }
}

function processesOf(uid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && ownerOf(`/proc/${name}`) === uid)
    .map(Number)
}

function ownerOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.uid
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // it has ended by itself
  }
}
