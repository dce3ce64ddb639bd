import { existsSync } from 'node:fs'
import { shell } from 'electron'
import { printReport } from '../print/print-report.ts'
import type { SecretStore } from '../secrets/secret-store.ts'
import type { createNotices } from '../system/notices.ts'
import type { KeptState } from '../window/kept-state.ts'
import { askEngine } from './ask-engine.ts'
import { CallError, type CallHandlers } from './calls.ts'
import type { ChosenPaths } from './chosen-paths.ts'
import type { createFileDialogs } from './file-dialogs.ts'
import type { Hub } from './hub.ts'
import type { Member } from './transport.ts'

interface HandlerDeps {
  hub: Hub
  kept: KeptState
  secrets: SecretStore
  notices: ReturnType<typeof createNotices>
  dialogs: ReturnType<typeof createFileDialogs>
  chosen: ChosenPaths
  engines: {
    /** Label of the engine the windows are attached to; undefined for our own. */
    attachedTo(): string | undefined
    dataDir(): string | undefined
    attach(url: string): Promise<void>
    detach(): Promise<void>
  }
}

const PLATFORMS: Partial<Record<NodeJS.Platform, 'mac' | 'windows'>> = { darwin: 'mac', win32: 'windows' }

/** What each call of a page does. */
export function createHandlers({ hub, kept, secrets, notices, dialogs, chosen, engines }: HandlerDeps): CallHandlers<Member> {
  // The same prompt of another machine's engine is another secret.
  const scoped = (name: string) => `${engines.attachedTo() ?? ''}\n${name}`
  return {
    engine: (_input, { page }) => page?.connect() ?? 'down',
    abilities: () => {
      // An attached engine writes files on its own machine: there a report is downloaded instead.
      const isOwn = engines.attachedTo() === undefined
      const note = secrets.refusal()
      return {
        front: 'window',
        platform: PLATFORMS[process.platform] ?? 'linux',
        saveFile: isOwn,
        openFile: isOwn,
        reveal: isOwn,
        notify: notices.isSupported(),
        print: isOwn,
        attach: true,
        secrets: note === undefined ? 'keyring' : 'ask-again',
        ...(note === undefined ? {} : { secretsNote: note }),
      }
    },
    saveFile: (input, { contents }) => dialogs.save(input, contents),
    openFile: (input, { contents }) => dialogs.open(input, contents),
    reveal: ({ path }) => {
      if (!chosen.mayShow(path, engines.dataDir())) throw new CallError('Only files that were chosen in a dialog can be shown.')
      if (!existsSync(path)) throw new CallError('That file is not there any more.')
      shell.showItemInFolder(path)
    },
    notify: (input) => {
      notices.notify(input)
    },
    attach: ({ url }) => engines.attach(url),
    detach: () => engines.detach(),
    appearance: ({ appearance }) => {
      kept.change({ appearance })
    },
    printReport: async (input) => {
      if (!chosen.takeToWrite(input.path)) throw new CallError('A report is written only to a file that was chosen in a dialog.')
      try {
        await printReport(input)
      } catch (error) {
        throw new CallError(`The report could not be written: ${error instanceof Error ? error.message : String(error)}`)
      }
      return { path: input.path }
    },
    keepSecret: async ({ name, value }) => {
      const refusal = await secrets.keep(scoped(name), value)
      if (refusal !== undefined) throw new CallError(refusal)
    },
    forgetSecret: ({ name }) => {
      secrets.forget(scoped(name))
    },
    keptSecrets: () => {
      const prefix = scoped('')
      return secrets
        .names()
        .filter((name) => name.startsWith(prefix))
        .map((name) => name.slice(prefix.length))
    },
    answerPrompt: async ({ name, promptId }) => {
      const value = await secrets.read(scoped(name))
      if (value === undefined) return false
      const input = { kind: 'secret', id: promptId, value }
      return askEngine(hub, { method: 'mutation', path: 'prompts.answer', input }).then(
        () => true,
        () => false,
      )
    },
  }
}
