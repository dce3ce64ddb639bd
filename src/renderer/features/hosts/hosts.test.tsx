// @vitest-environment jsdom
import '../../testing/dom.ts'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { EVIL } from '../../testing/fake/hosts-data.ts'
import { renderApp } from '../../testing/render-app.tsx'

const SLOW = { timeout: 10_000 }
const dialog = () => screen.findByRole('dialog', {}, SLOW)

describe('the hosts screen', () => {
  it('offers one obvious thing at the first start, and leads on to launching on the demo machine', async () => {
    renderApp({ scenario: 'empty' })
    fireEvent.click(await screen.findByRole('button', { name: 'Try the demo machine' }, SLOW))
    await waitFor(() => {
      expect(window.location.hash).toMatch(/^#\/launch\?host=demo&command=vllm\+serve/)
    }, SLOW)
  })

  it('lists every state in words, and shows the chosen host', async () => {
    renderApp({ route: '#/hosts/quad-6000' })
    await screen.findByRole('heading', { name: 'quad-6000' }, SLOW)
    const table = screen.getByRole('table')
    for (const word of ['Connected', 'Reconnecting…', 'Failed', 'Not connected yet', 'Connecting…', 'Not connected']) {
      expect(within(table).getAllByText(word).length).toBeGreaterThan(0)
    }
    expect(within(table).getByText('4 × RTX PRO 6000 Blackwell Workstation Edition · 96 GB')).toBeTruthy()
  })

  it('moves through the list by the arrow keys', async () => {
    renderApp({ route: '#/hosts/gpu-lab-1' })
    fireEvent.keyDown(await screen.findByRole('link', { name: 'gpu-lab-1' }, SLOW), { key: 'ArrowDown' })
    await waitFor(() => {
      expect(window.location.hash).toBe('#/hosts/quad-6000')
    })
    await waitFor(() => {
      expect(document.activeElement?.textContent).toBe('quad-6000')
    })
  })

  it('removes at once and brings it back by undo', async () => {
    const { engine, app } = renderApp({ route: '#/hosts/attic' })
    fireEvent.click(await screen.findByRole('button', { name: 'More for attic' }, SLOW))
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Remove from the list' }))
    await waitFor(() => {
      expect(app.hosts.getState().value?.some((view) => view.host.name === 'attic')).toBe(false)
    })
    fireEvent.click(await screen.findByRole('button', { name: 'Undo' }))
    await waitFor(() => {
      expect(app.hosts.getState().value?.some((view) => view.host.name === 'attic')).toBe(true)
    })
    expect(engine).toBeTruthy()
  })

  it('adds a host by hand with the message beside the field, then connects', async () => {
    renderApp({ route: '#/hosts/%2Badd' })
    const box = within(await dialog())
    fireEvent.click(await box.findByRole('tab', { name: 'By hand' }, SLOW))
    const address = await box.findByLabelText(/Address/)
    fireEvent.change(address, { target: { value: 'ann@gpu-lab-1:99999' } })
    fireEvent.click(box.getByRole('button', { name: 'Add and connect' }))
    expect(address.getAttribute('aria-invalid')).toBe('true')
    expect(box.getByText('A port is a number from 1 to 65535.').id).toBe(
      address
        .getAttribute('aria-describedby')
        ?.split(' ')
        .find((id) => id.endsWith('-error')),
    )
    expect(box.getByText('There is a host of this name already.')).toBeTruthy()
    fireEvent.change(address, { target: { value: 'ann@lab-9:22' } })
    fireEvent.click(box.getByRole('button', { name: 'Add and connect' }))
    await waitFor(() => {
      expect(window.location.hash).toBe('#/hosts/lab-9')
    }, SLOW)
    await screen.findByText('Hardware', {}, SLOW)
  })

  it('shows what a host says about itself as text, whatever it says', async () => {
    renderApp({ scenario: 'hostile', route: '#/hosts/plain-name' })
    expect(
      (
        await screen.findAllByText(
          (_text, element) => element?.children.length === 0 && element.textContent.includes('<img src=x onerror='),
          {},
          SLOW,
        )
      ).length,
    ).toBeGreaterThan(3)
    const { body } = document
    expect(body.querySelectorAll('img, script, b, i, iframe').length).toBe(0)
    expect([...body.querySelectorAll('[href]')].filter((it) => it.getAttribute('href')?.startsWith('#') !== true)).toEqual([])
    expect(document.title).toBe('Hosts · Speedgrid')
    expect(body.textContent).toContain(EVIL)
  })
})

describe('host keys', () => {
  it('an unknown key: cancel has the focus, and trusting goes on to connect', async () => {
    const { app } = renderApp({ route: '#/hosts/new-node' })
    fireEvent.click(await screen.findByRole('button', { name: 'Connect' }, SLOW))
    fireEvent.click(await screen.findByRole('button', { name: 'Look at the key…' }, SLOW))
    const cancel = await screen.findByRole('button', { name: 'Cancel' }, SLOW)
    await waitFor(() => {
      expect(document.activeElement).toBe(cancel)
    })
    expect((await dialog()).textContent).toContain('SHA256:uQ0lWm8sYb4Zr2VhT6dKf9XnPjC5aLeGi1oR7tEwBvM')
    fireEvent.click(screen.getByRole('button', { name: 'Trust this key' }))
    await waitFor(() => {
      expect(app.hosts.getState().value?.find((view) => view.host.name === 'new-node')?.connection).toBe('connected')
    }, SLOW)
  })

  it('a changed key is trusted only after its last characters were typed', async () => {
    const { engine } = renderApp({ route: '#/hosts/old-dgx' })
    const trusted: string[] = []
    const trust = engine.api.hosts.trust.bind(engine.api.hosts)
    engine.api.hosts.trust = async (input) => {
      trusted.push(input.fingerprint)
      await trust(input)
    }
    fireEvent.click(await screen.findByRole('button', { name: 'More for old-dgx' }, SLOW))
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Host key…' }))
    const box = within(await dialog())
    const button = await box.findByRole('button', { name: 'Trust the changed key' }, SLOW)
    await waitFor(() => {
      expect(document.activeElement).toBe(box.getByRole('button', { name: 'Cancel' }))
    })
    expect((button as HTMLButtonElement).disabled).toBe(true)
    const field = box.getByLabelText(/last 6 characters/)
    const form = field.closest('form')
    if (form === null) throw new Error('no form')
    for (const wrong of ['', 'twbvm', 'tewbvm', 'UaKs']) {
      fireEvent.change(field, { target: { value: wrong } })
      fireEvent.submit(form)
    }
    expect(trusted).toEqual([])
    expect(box.getByText('These are not the last characters of the key offered now.')).toBeTruthy()
    fireEvent.change(field, { target: { value: 'tEwBvM' } })
    fireEvent.submit(form)
    await waitFor(() => {
      expect(trusted).toEqual(['SHA256:uQ0lWm8sYb4Zr2VhT6dKf9XnPjC5aLeGi1oR7tEwBvM'])
    })
  })

  it('a revoked key can’t be trusted at all', async () => {
    const { engine } = renderApp({ route: '#/hosts/gpu-lab-1' })
    const readKey = engine.api.hosts.readKey.bind(engine.api.hosts)
    engine.api.hosts.readKey = async (input) => ({ ...(await readKey(input)), state: 'revoked' })
    fireEvent.click(await screen.findByRole('button', { name: 'More for gpu-lab-1' }, SLOW))
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Host key…' }))
    await screen.findByText('This key is revoked', {}, SLOW)
    expect(screen.queryByRole('button', { name: /Trust/ })).toBeNull()
  })
})

describe('the doctor', () => {
  it('shows each check as it ends, with the remedy of what failed', async () => {
    renderApp({ route: '#/hosts/gpu-lab-1' })
    fireEvent.click(await screen.findByRole('button', { name: 'Doctor' }, SLOW))
    await screen.findByText('1 of 12 failed', {}, SLOW)
    expect(screen.getByText(/Set HF_HOME to a larger disk/)).toBeTruthy()
    expect(screen.getAllByText('Pass')).toHaveLength(11)
  })
})
