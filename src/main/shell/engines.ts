import type { AttachedSweep, FromEngine } from '../../shared/contract/engine-process.ts'
import type { ErrorInfo } from '../../shared/model/error.ts'
import { CallError } from './bridge/calls.ts'
import type { Hub } from './bridge/hub.ts'
import { readAttachAddress } from './engine-link/attach-address.ts'
import { createAttachedEngine } from './engine-link/attached-engine.ts'
import type { EngineLink, OwnEngineEvents } from './engine-link/engine-link.ts'
import { exchangeToken } from './engine-link/exchange-token.ts'
import type { OwnEngine } from './engine-link/own-engine.ts'

export interface EnginesDeps {
  hub: Hub
  startOwn: (events: OwnEngineEvents) => OwnEngine
  onSweeps: (sweeps: readonly AttachedSweep[]) => void
  onEnded: (run: Extract<FromEngine, { kind: 'ended' }>) => void
  onFailed: (error: ErrorInfo) => void
  /** The windows show another engine from now on; undefined: our own again. */
  onChange: (attachedTo: string | undefined) => void
  onRefused: (label: string) => void
}

/** Our own engine, which always runs, and the one the windows are attached to instead. */
export function createEngines(deps: EnginesDeps) {
  const { hub } = deps
  let sweeps: readonly AttachedSweep[] = []
  let attached: { link: EngineLink; label: string } | undefined
  const own: OwnEngine = deps.startOwn({
    ...hub.eventsFor(() => own),
    sweeps: (next) => {
      sweeps = next
      deps.onSweeps(next)
    },
    ended: deps.onEnded,
    failed: deps.onFailed,
  })
  hub.use(own)

  async function detach() {
    const before = attached
    if (before === undefined) return
    attached = undefined
    hub.use(own)
    deps.onChange(undefined)
    await before.link.dispose()
  }

  return {
    sweeps: () => sweeps,
    attachedTo: () => attached?.label,
    dataDir: () => (attached === undefined ? own.dataDir : undefined),
    async attach(text: string) {
      const address = readAttachAddress(text)
      if (address === undefined) {
        throw new CallError(
          'That is no address of an engine. Paste the link that “speedgrid serve” printed (http://127.0.0.1:…).',
        )
      }
      const admission = await exchangeToken(address).catch((error: unknown) => {
        throw new CallError(`${error instanceof Error ? error.message : String(error)} Ask “speedgrid serve” for a new link.`)
      })
      const before = attached
      const link: EngineLink = createAttachedEngine({
        address,
        admission,
        events: hub.eventsFor(() => link),
        refused: () => {
          deps.onRefused(address.label)
        },
      })
      attached = { link, label: address.label }
      hub.use(link)
      deps.onChange(address.label)
      await before?.link.dispose()
    },
    detach,
    resumed: () => {
      own.resumed()
    },
    /** An attached engine writes no files here. */
    vouch: (path: string) => {
      if (attached === undefined) own.vouch(path)
    },
    async dispose() {
      await Promise.all([attached?.link.dispose(), own.dispose()])
    },
  }
}
export type Engines = ReturnType<typeof createEngines>
