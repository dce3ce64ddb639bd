import { fork } from 'node:child_process'
import type { ErrorInfo } from '../../../shared/model/error.ts'
import type { StartEngineChild } from './engine-child.ts'

export interface ChildOptions {
  entry: string
  args: string[]
  env: Record<string, string | undefined>
}

const NO_NODE: ErrorInfo = {
  code: 'no_node',
  cause: 'The engine needs Node 22.13 or newer, and none was found.',
  evidence: [],
  nextStep: 'Run “npm ci” without --omit=optional, install Node, or name one in SPEEDGRID_NODE; then start Speedgrid again.',
}

/** The engine as a child of a Node that is new enough, where Electron's own is not. */
export function childStarter({ node, entry, args, env }: ChildOptions & { node: string | undefined }): StartEngineChild {
  return (events) => {
    if (node === undefined) {
      setImmediate(() => {
        events.message({ kind: 'failed', error: NO_NODE })
        events.exit('not started')
      })
      return { send: () => {}, kill: () => {} }
    }
    // Its own group: a terminal's Ctrl-C is for the window, which then ends the engine in good order.
    const child = fork(entry, args, {
      execPath: node,
      execArgv: [],
      env: withoutElectron(env),
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    let over = false
    const end = (how: string) => {
      if (over) return
      over = true
      events.exit(how)
    }
    child.on('message', events.message)
    child.stderr?.on('data', (chunk: Buffer) => {
      events.complaint(chunk.toString())
    })
    child.once('error', (error) => {
      events.complaint(error.message)
      if (child.pid === undefined) end('not started')
    })
    child.once('exit', (code, signal) => {
      end(signal ?? `exit status ${String(code)}`)
    })
    return {
      // A message to a process that has just died is nobody's; its exit says so.
      send: (message) => {
        if (child.connected) child.send(message, () => {})
      },
      kill: () => {
        child.kill('SIGKILL')
      },
    }
  }
}

function withoutElectron(env: Record<string, string | undefined>): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(ELECTRON_|NODE_OPTIONS$|CHROME_DESKTOP$)/.test(name)))
}
