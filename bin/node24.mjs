// Which Node runs Speedgrid: `node:sqlite` needs 22.13, and machines that build and test may carry 20. The Node 24 that npm
// brought is started by its path, because the `node` on PATH silently stays the system's under `--ignore-scripts`.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const OLDEST = [22, 13]

export function isNewEnough(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number)
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
}

/** Path of a Node that is new enough: this one, else the one npm brought; undefined where there is none. */
export function findNode() {
  if (isNewEnough()) return process.execPath
  const brought = fileURLToPath(new URL(`../node_modules/node-${process.platform}-${process.arch}/bin/node`, import.meta.url))
  return existsSync(brought) ? brought : undefined
}

/** Runs `node ARGUMENTS` with that Node as a child, passing signals on and its exit status back. Never returns. */
export function runWithNode(args) {
  const node = findNode()
  if (!node) {
    console.error(
      `Speedgrid needs Node ${OLDEST.join('.')} or newer; this is ${process.versions.node} and the copy that npm brings is missing.\n` +
        'Next step: run `npm ci` without --omit=optional, or install a newer Node.',
    )
    process.exit(1)
  }
  const child = spawn(node, args, { stdio: 'inherit' })
  // On a terminal Ctrl-C reaches the child by itself; the parent only has to outlive it. `kill` reaches the parent alone.
  process.on('SIGINT', () => {
    if (!process.stdin.isTTY) child.kill('SIGINT')
  })
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    console.error(`Could not start ${node}: ${error.message}`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
