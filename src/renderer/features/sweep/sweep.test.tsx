// @vitest-environment jsdom
import '../../testing/dom.ts'
import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { renderApp } from '../../testing/render-app.tsx'

const SLOW = { timeout: 15_000 }
const STILL = 3_600_000
const cellAt = (row: number, column: number) => {
  const cell = document.querySelector<HTMLElement>(`[data-row="${row}"][data-column="${column}"]`)
  if (cell === null) throw new Error(`no cell at ${row}, ${column}`)
  return cell
}

async function liveGrid(everyMs = STILL) {
  const app = renderApp({ route: '#/sweep/run-live', everyMs })
  const grid = await waitFor(() => {
    const found = document.querySelector<HTMLElement>('[role="grid"]')
    if (found === null) throw new Error('no grid yet')
    return found
  }, SLOW)
  return { ...app, grid }
}

describe('live grid', () => {
  it('changes the one cell that changed, and no other', async () => {
    const { engine, grid } = await liveGrid()
    const changed = new Set<Element | null>()
    const watcher = new MutationObserver((records) => {
      for (const { target } of records)
        changed.add((target instanceof Element ? target : target.parentElement)?.closest('[role="gridcell"]') ?? null)
    })
    watcher.observe(grid, { subtree: true, childList: true, attributes: true, characterData: true })
    const row = engine.sweep.feed.value.cells.find(
      (cell) => cell.status === 'valid' && cell.concurrency === 4 && cell.contextTokens === 0,
    )
    if (!row) throw new Error('no valid cell')
    act(() => {
      engine.sweep.feed.push({ cells: [{ ...row, totalTokensPerSecond: 612.5 }] })
    })
    await screen.findByText('612.5', {}, SLOW)
    watcher.disconnect()
    expect(changed.size).toBe(1)
    expect([...changed][0]).toBe(screen.getByText('612.5').closest('[role="gridcell"]'))
  })

  it('is walked by keyboard, with one stop for Tab', async () => {
    const { grid } = await liveGrid()
    expect(grid.querySelectorAll('[role="gridcell"][tabindex="0"]')).toHaveLength(1)
    const press = (key: string, more = {}) => fireEvent.keyDown(document.activeElement ?? grid, { key, ...more })
    act(() => cellAt(0, 0).focus())
    press('ArrowRight')
    press('ArrowDown')
    await waitFor(() => expect(document.activeElement).toBe(cellAt(1, 1)))
    press('End', { ctrlKey: true })
    await waitFor(() => expect(document.activeElement).toBe(cellAt(11, 16)))
    press('ArrowUp', { shiftKey: true })
    press('ArrowLeft', { shiftKey: true })
    await waitFor(() => expect(grid.querySelectorAll('[aria-selected="true"]')).toHaveLength(4))
  })

  it('keeps the focus where it is when cells change', async () => {
    const { engine } = await liveGrid()
    act(() => cellAt(2, 3).focus())
    act(() => engine.sweep.feed.push({ cells: [...engine.sweep.feed.value.cells], head: { doneCells: 100 } }))
    await screen.findByText(/100 of 192 cells/, {}, SLOW)
    expect(document.activeElement).toBe(cellAt(2, 3))
  })

  it('opens a cell with Enter and comes back with Escape', async () => {
    await liveGrid()
    act(() => cellAt(0, 1).focus())
    fireEvent.keyDown(cellAt(0, 1), { key: 'ArrowRight' })
    await waitFor(() => expect(document.activeElement).toBe(cellAt(0, 2)))
    fireEvent.keyDown(cellAt(0, 2), { key: 'Enter' })
    const panel = await screen.findByLabelText('Cell details', {}, SLOW)
    await waitFor(() => expect(document.activeElement).toBe(panel))
    await screen.findByText('Percentiles', {}, SLOW)
    fireEvent.keyDown(panel, { key: 'Escape' })
    await waitFor(() => expect(document.activeElement).toBe(cellAt(0, 2)))
  })

  it('says why a cell has no figures', async () => {
    await liveGrid()
    fireEvent.pointerDown(cellAt(0, 9), { button: 0 })
    fireEvent.click(cellAt(0, 9))
    await screen.findByText('Stream 7 repeated 1,204 characters 5 times.', {}, SLOW)
    await screen.findByLabelText('Thrown away', {}, SLOW)
  })

  it('pauses, and says so', async () => {
    const { engine } = await liveGrid()
    fireEvent.click(await screen.findByText('Pause', {}, SLOW))
    await screen.findByText('Go on', {}, SLOW)
    expect(engine.sweep.feed.value.state).toBe('paused')
  })

  it('says that the link is down and the sweep runs on', async () => {
    const { engine } = await liveGrid()
    act(() => engine.sweep.feed.push({ head: { link: 'link_down', linkReason: 'Connection reset by peer' } }))
    await screen.findByText(/The sweep runs on there/, {}, SLOW)
    act(() => engine.sweep.feed.push({ head: { link: 'reading' } }))
    await waitFor(() => expect(screen.queryByText(/The sweep runs on there/)).toBeNull())
  })
})

describe('plan', () => {
  it('puts the message beside the field and starts nothing', async () => {
    const { engine } = renderApp({ route: '#/sweep?host=gpu-lab-1' })
    let started = 0
    engine.api.sweeps.start = () => {
      started += 1
      return Promise.resolve({ runId: 'run-live' })
    }
    const seconds = await screen.findByLabelText('Seconds per cell', {}, SLOW)
    fireEvent.change(seconds, { target: { value: 'ten' } })
    await screen.findByText('"ten" is not a number')
    fireEvent.keyDown(seconds, { key: 'Enter', code: 'Enter', ctrlKey: true })
    await waitFor(() => expect(seconds.getAttribute('aria-invalid')).toBe('true'))
    expect(started).toBe(0)
    fireEvent.change(seconds, { target: { value: '10' } })
    fireEvent.keyDown(seconds, { key: 'Enter', code: 'Enter', ctrlKey: true })
    await waitFor(() => expect(started).toBe(1))
    await waitFor(() => expect(window.location.hash).toBe('#/sweep/run-live'))
  })

  it('takes chips from a pasted list and keeps what it does not understand', async () => {
    renderApp({ route: '#/sweep?host=gpu-lab-1' })
    const field = await screen.findByLabelText('Contexts (rows)', {}, SLOW)
    fireEvent.paste(field, { clipboardData: { getData: () => '64k|eight|max' } })
    await screen.findByLabelText('Take 64K away')
    await screen.findByLabelText('Take max away')
    await screen.findByText(/"eight" is not a context/)
    expect(field).toHaveProperty('value', 'eight')
  })

  it('shows which cells are over capacity before anything is measured', async () => {
    renderApp({ route: '#/sweep?host=gpu-lab-1' })
    fireEvent.click((await screen.findAllByLabelText('As published', {}, SLOW))[0] ?? document.body)
    await screen.findByText(/over capacity/, {}, SLOW)
    expect(screen.getByText('31 cells')).toBeTruthy()
  })

  it('never keeps the API key', async () => {
    renderApp({ route: '#/sweep' })
    fireEvent.click(await screen.findByLabelText('Address (no SSH)', {}, SLOW))
    fireEvent.change(screen.getByLabelText('Address'), { target: { value: 'http://10.0.0.5:8000' } })
    fireEvent.change(screen.getByLabelText('API key'), { target: { value: 'sk-planted' } })
    await screen.findByText(/--api-key-env VLLM_API_KEY/, {}, SLOW)
    expect(JSON.stringify(localStorage)).not.toContain('sk-planted')
    expect(localStorage.getItem('speedgrid.plan')).toContain('10.0.0.5')
    expect(document.body.textContent).not.toContain('sk-planted')
  })
})
