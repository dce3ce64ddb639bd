import { harmless } from '../../shared/format/index.ts'
import { StringDecoder } from 'node:string_decoder'
import { SpeedgridError } from '../../shared/model/error.ts'
import type { Prompter } from '../ssh/types.ts'
import type { InputStream, OutputStream } from './deps.ts'

interface PrompterDeps {
  stdin: InputStream
  stderr: OutputStream
  /** Ctrl-C while a question is open. */
  onInterrupt(): void
  /** Clears a live grid out of the way while the question is open; returns how to bring it back. */
  pauseScreen?(): () => void
}

export interface TerminalPrompter extends Prompter {
  /** undefined without a terminal. */
  confirm(question: string): Promise<boolean | undefined>
}

/** Asks at the terminal: secrets without echo, host keys with their fingerprint. Without a terminal every answer is undefined. */
export function createPrompter(deps: PrompterDeps): TerminalPrompter {
  const { stdin, stderr } = deps
  const interactive = stdin.isTTY === true && stderr.isTTY === true && stdin.setRawMode !== undefined
  // One question at a time: two hops may ask at once.
  let queue: Promise<unknown> = Promise.resolve()
  const ask = (question: string, echo: boolean, signal?: AbortSignal): Promise<string | undefined> => {
    if (!interactive) return Promise.resolve(undefined)
    const answer = queue.then(async () => {
      if (signal?.aborted === true) return undefined
      const resume = deps.pauseScreen?.()
      try {
        return await readLine(deps, question, { echo, signal })
      } finally {
        resume?.()
      }
    })
    queue = answer.catch(() => undefined)
    return answer
  }
  const confirm = async (question: string, signal?: AbortSignal) => {
    const answer = await ask(`${question} [y/N] `, true, signal)
    return answer === undefined ? undefined : /^y(es)?$/i.test(answer.trim())
  }
  return {
    secret: (prompt, options) =>
      ask(/[:?]\s*$/.test(prompt) ? `${prompt.trimEnd()} ` : `${prompt}: `, options?.echo ?? false, options?.signal),
    confirm: (question) => confirm(question),
    trustHostKey: ({ host, keyType, fingerprint }, options) =>
      confirm(
        `The host key of ${host} is not known.\n  ${keyType} ${fingerprint}\nCompare it with the one its administrator gave you. Trust it from now on?`,
        options?.signal,
      ),
  }
}

/** One line in raw mode, so that nothing is echoed that we don't echo ourselves. undefined at Ctrl-D on an empty line, and when what asked is gone. */
function readLine(
  deps: PrompterDeps,
  question: string,
  { echo, signal }: { echo: boolean; signal: AbortSignal | undefined },
): Promise<string | undefined> {
  const { stdin, stderr } = deps
  const decoder = new StringDecoder('utf8')
  return new Promise((resolve, reject) => {
    let typed: string[] = []
    const finish = (settle: () => void) => {
      stdin.off('data', onData)
      signal?.removeEventListener('abort', withdraw)
      stdin.setRawMode?.(false)
      stdin.pause()
      stderr.write('\n')
      settle()
    }
    const withdraw = () =>
      finish(() => {
        if (signal?.reason instanceof Error) stderr.write(`${harmless(signal.reason.message)}\n`)
        resolve(undefined)
      })
    const onData = (chunk: Buffer | string) => {
      for (const char of typeof chunk === 'string' ? chunk : decoder.write(chunk)) {
        if (char === '\r' || char === '\n') return finish(() => resolve(typed.join('')))
        if (char === '\u0004' && typed.length === 0) return finish(() => resolve(undefined))
        if (char === '\u0003') {
          return finish(() => {
            deps.onInterrupt()
            reject(new SpeedgridError('interrupted', 'Interrupted at a question.'))
          })
        }
        if (char === '\u007f' || char === '\b') {
          if (typed.length > 0 && echo) stderr.write('\b \b')
          typed = typed.slice(0, -1)
        } else if (char === '\u0015') {
          if (echo) stderr.write('\b \b'.repeat(typed.length))
          typed = []
        } else if (char >= ' ') {
          typed.push(char)
          if (echo) stderr.write(char)
        }
      }
    }
    stderr.write(harmless(question))
    stdin.setRawMode?.(true)
    stdin.on('data', onData)
    stdin.resume()
    signal?.addEventListener('abort', withdraw, { once: true })
  })
}
