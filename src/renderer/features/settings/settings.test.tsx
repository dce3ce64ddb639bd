// @vitest-environment jsdom
import '../../testing/dom.ts'
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { renderApp } from '../../testing/render-app.tsx'
import { checkEngineUrl } from './check-engine-url.ts'

const SLOW = { timeout: 10_000 }

describe('settings', () => {
  it('changes the appearance at once and tells the shell', async () => {
    const { bridge, app } = renderApp({ route: '#/settings' })
    fireEvent.click(await screen.findByRole('radio', { name: 'Dark' }, SLOW))
    await waitFor(() => {
      expect(document.documentElement.dataset['mantineColorScheme']).toBe('dark')
    })
    await waitFor(() => {
      expect(bridge.calls.findLast((call) => call.call === 'appearance')?.input).toEqual({ appearance: 'dark' })
    })
    expect(app.settings.getState().settings?.appearance).toBe('dark')
  })

  it('puts the appearance back when the engine can’t keep it, and says why', async () => {
    const { engine, app } = renderApp({ route: '#/settings' })
    engine.api.app.changeSettings = () => Promise.reject(new Error('disk'))
    await waitFor(() => {
      expect(app.settings.getState().settings?.appearance).toBe('system')
    }, SLOW)
    fireEvent.click(await screen.findByRole('radio', { name: 'Dark' }, SLOW))
    await screen.findByText('Something unexpected went wrong inside Speedgrid.', {}, SLOW)
    expect(app.settings.getState().settings?.appearance).toBe('system')
  })

  it('forgets a key only after a second press', async () => {
    const { engine } = renderApp({ route: '#/settings' })
    fireEvent.click(await screen.findByRole('button', { name: 'Forget the key of 10.20.0.11' }, SLOW))
    expect(await engine.api.app.knownHosts()).toHaveLength(2)
    fireEvent.click(screen.getByRole('button', { name: /Forget the key of 10.20.0.11: yes/ }))
    await waitFor(async () => {
      expect(await engine.api.app.knownHosts()).toHaveLength(1)
    })
    await waitFor(() => {
      expect(screen.queryByText('10.20.0.11')).toBeNull()
    })
  })

  it('says why something kept on a host can’t be removed', async () => {
    renderApp({ route: '#/settings/kept' })
    fireEvent.click(await screen.findByRole('button', { name: /^gpu-lab-1/ }, SLOW))
    const describeServer = 'Remove ~/.cache/speedgrid/servers/srv-qwen-1 from gpu-lab-1'
    fireEvent.click(await screen.findByRole('button', { name: describeServer }, SLOW))
    fireEvent.click(screen.getByRole('button', { name: `${describeServer}: yes, remove` }))
    await screen.findByText('A server is running from this folder.', {}, SLOW)
  })

  it('attaches to engines of this computer only', () => {
    expect(checkEngineUrl('http://127.0.0.1:8471/?token=abc')).toBeUndefined()
    expect(checkEngineUrl('http://localhost:8471/')).toBeUndefined()
    expect(checkEngineUrl('http://10.0.0.1:8471/')).toMatch(/ssh -L/)
    expect(checkEngineUrl('https://127.0.0.1/')).toMatch(/http/)
    expect(checkEngineUrl('javascript:alert(1)')).toMatch(/http/)
    expect(checkEngineUrl('')).toMatch(/Paste/)
  })
})
