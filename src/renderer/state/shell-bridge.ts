import { z } from 'zod'
import { type Bridge, readIncoming, type ShellCall } from './bridge.ts'
import { downloadFile } from './download.ts'
import type { Abilities, Shell } from './shell.ts'

const abilitiesSchema = z.object({
  front: z.enum(['window', 'page']).default('window'),
  platform: z.enum(['mac', 'windows', 'linux']),
  saveFile: z.boolean().default(false),
  openFile: z.boolean().default(false),
  reveal: z.boolean().default(false),
  notify: z.boolean().default(false),
  print: z.boolean().default(false),
  attach: z.boolean().default(false),
  secrets: z.enum(['keyring', 'ask-again']).default('ask-again'),
  secretsNote: z.string().optional(),
})

/** The window: calls go through the preload bridge to Electron's main process, numbered from 1. */
export function createBridgeShell(bridge: Bridge): Shell {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()
  const menuListeners = new Set<(command: string) => void>()
  const openListeners = new Set<(route: string) => void>()
  let lastId = 0

  bridge.onMessage((text) => {
    const message = readIncoming(text)
    if (message?.from !== 'shell') return
    if ('event' in message) {
      if (message.event === 'menu') for (const listener of menuListeners) listener(message.command)
      if (message.event === 'open') for (const listener of openListeners) listener(message.route)
      return
    }
    const asked = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.ok) asked?.resolve(message.value)
    else asked?.reject(new Error(message.error))
  })

  const call = (name: ShellCall, input: unknown) =>
    new Promise<unknown>((resolve, reject) => {
      lastId += 1
      waiting.set(lastId, { resolve, reject })
      bridge.send(JSON.stringify({ to: 'shell', id: lastId, call: name, input }))
    })
  const asPath = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
  const listen = <Listener>(listeners: Set<Listener>, listener: Listener) => {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }

  return {
    abilities: async (): Promise<Abilities> => abilitiesSchema.parse(await call('abilities', null)),
    saveFile: async (input) => asPath(await call('saveFile', input)),
    openFile: async (input) => asPath(await call('openFile', input)),
    reveal: async (path) => void (await call('reveal', { path })),
    notify: async (input) => void (await call('notify', input)),
    attach: async (input) => void (await call('attach', input)),
    detach: async () => void (await call('detach', null)),
    appearance: async (input) => void (await call('appearance', input)),
    printReport: async (input) => void (await call('printReport', input)),
    keepSecret: async (input) => void (await call('keepSecret', input)),
    forgetSecret: async (name) => void (await call('forgetSecret', { name })),
    keptSecrets: async () => z.array(z.string()).parse(await call('keptSecrets', null)),
    answerPrompt: async (input) => (await call('answerPrompt', input)) === true,
    download: downloadFile,
    onMenu: (listener) => listen(menuListeners, listener),
    onOpen: (listener) => listen(openListeners, listener),
  }
}
