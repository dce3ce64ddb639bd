import { utilityProcess } from 'electron'
import type { StartEngineChild } from './engine-child.ts'
import type { ChildOptions } from './start-child.ts'

/** The engine as Electron's utility process: the same bundle on Electron's own Node. */
export function utilityStarter({ entry, args, env }: ChildOptions): StartEngineChild {
  return (events) => {
    const child = utilityProcess.fork(entry, args, {
      serviceName: 'Speedgrid engine',
      stdio: ['ignore', 'ignore', 'pipe'],
      env: Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined)),
    })
    child.on('message', events.message)
    child.stderr?.on('data', (chunk: Buffer) => {
      events.complaint(chunk.toString())
    })
    child.once('exit', (code) => {
      events.exit(`exit status ${String(code)}`)
    })
    return {
      send: (message) => {
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a process, not a window
        child.postMessage(message)
      },
      // `kill` is a polite TERM there; an engine that hangs needs the other one.
      kill: () => {
        const { pid } = child
        if (pid !== undefined) process.kill(pid, 'SIGKILL')
      },
    }
  }
}
