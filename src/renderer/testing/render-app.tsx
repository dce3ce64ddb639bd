import { render } from '@testing-library/react'
import { afterEach } from 'vitest'
import { Root } from '../app/root.tsx'
import { createAppState } from '../state/app-state.ts'
import { createShell } from '../state/shell.ts'
import { createLink } from '../state/trpc.ts'
import { createFakeEngine, type FakeOptions } from './fake-api.ts'
import { createMemoryBridge } from './memory-bridge.ts'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

const ABILITIES = { front: 'window', platform: 'linux', attach: true, secrets: 'ask-again' }

export interface RenderOptions extends FakeOptions {
  route?: string
  answers?: Parameters<typeof createMemoryBridge>[1]
}

/** The whole app over the real router and a fake engine, through the bridge as in the window. */
export function renderApp({ route = '#/hosts', answers = {}, ...options }: RenderOptions = {}) {
  window.location.hash = route
  const engine = createFakeEngine({ delays: 0.03, ...options })
  const bridge = createMemoryBridge(engine.api, { abilities: () => ABILITIES, appearance: () => null, ...answers })
  const link = createLink({ bridge, location: { protocol: 'http:', host: '127.0.0.1' } })
  const app = createAppState({ link, shell: createShell(bridge) })
  const view = render(<Root app={app} />)
  ends.push(() => {
    view.unmount()
    link.dispose()
    engine.dispose()
  })
  return { ...view, app, bridge, engine }
}
