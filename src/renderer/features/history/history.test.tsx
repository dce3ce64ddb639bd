// @vitest-environment jsdom
import '../../testing/dom.ts'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { renderApp } from '../../testing/render-app.tsx'

const SLOW = { timeout: 15_000 }

// jsdom gives everything the size 0, and rows without room for them are not made.
beforeEach(() => {
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(700)
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(1200)
})
afterEach(() => {
  vi.restoreAllMocks()
})

const rows = () => screen.getAllByRole('row').slice(1)
function line(index: number): HTMLElement {
  const row = rows()[index]
  if (row === undefined) throw new Error(`there is no row ${String(index)}`)
  return row
}
const nameOf = (row: HTMLElement) => within(row).getAllByRole('gridcell')[1]?.textContent ?? ''

async function list(options: { runs?: number } = {}) {
  const view = renderApp({ route: '#/history', ...options })
  await screen.findByRole('grid', {}, SLOW)
  return view
}

describe('the history', () => {
  it('has only the rows in sight in the page, of thousands', async () => {
    await list({ runs: 5000 })
    expect(screen.getByRole('grid').getAttribute('aria-rowcount')).toBe(String(5001 - 294 + 1))
    expect(rows().length).toBeGreaterThan(15)
    expect(rows().length).toBeLessThan(60)
  })

  it('searches, says how many match, and shows everything again', async () => {
    await list()
    const search = screen.getByLabelText('Search runs')
    fireEvent.change(search, { target: { value: 'gpt-oss' } })
    await waitFor(() => {
      expect(screen.getByText(/^\d+ of \d+$/)).toBeTruthy()
      expect(rows().every((row) => nameOf(row).includes('gpt-oss'))).toBe(true)
    }, SLOW)
    fireEvent.change(search, { target: { value: 'no such run anywhere' } })
    fireEvent.click(await screen.findByRole('button', { name: 'Show all runs' }, SLOW))
    await screen.findByText(/^\d+ runs$/, {}, SLOW)
  })

  it('asks the engine for what is in sight, and no more', async () => {
    const { engine } = renderApp({ route: '#/hosts', runs: 5000 })
    const asked = vi.spyOn(engine.api.runs, 'list')
    window.location.hash = '#/history'
    const grid = await screen.findByRole('grid', { name: 'Runs' }, SLOW)
    await waitFor(() => {
      expect(rows().length).toBeGreaterThan(15)
    }, SLOW)
    expect(asked.mock.calls.map(([query]) => [query.offset, query.limit])).toEqual([[0, 100]])
    fireEvent.keyDown(line(0), { key: 'End' })
    grid.scrollTop = 4707 * 36
    fireEvent.scroll(grid)
    await waitFor(() => {
      expect(asked.mock.calls.at(-1)?.[0].offset).toBe(4700)
      expect(rows().at(-1)?.getAttribute('aria-rowindex')).toBe('4708')
      expect(rows().at(-1)?.getAttribute('aria-busy')).toBeNull()
    }, SLOW)
  })

  it('sorts by a column and back', async () => {
    await list()
    fireEvent.click(within(screen.getByRole('columnheader', { name: 'Host' })).getByRole('button'))
    expect(screen.getByRole('columnheader', { name: 'Host' }).getAttribute('aria-sort')).toBe('ascending')
    await waitFor(() => {
      expect(within(line(0)).getAllByRole('gridcell')[4]?.textContent).toBe('attic')
    }, SLOW)
  })

  it('goes by the keyboard: arrows, selecting, renaming, the trash and back', async () => {
    const { app } = await list()
    const names = rows().map(nameOf)
    line(0).focus()
    fireEvent.keyDown(line(0), { key: 'ArrowDown' })
    await waitFor(() => {
      expect(document.activeElement).toBe(line(1))
    })
    fireEvent.keyDown(line(1), { key: 'F2' })
    const field = screen.getByLabelText(/^New name of/)
    fireEvent.change(field, { target: { value: 'A name of mine' } })
    fireEvent.keyDown(field, { key: 'Enter' })
    await waitFor(() => {
      expect(nameOf(line(1))).toContain('A name of mine')
    }, SLOW)
    fireEvent.keyDown(line(1), { key: ' ' })
    fireEvent.keyDown(line(1), { key: 'ArrowDown', shiftKey: true })
    await screen.findByText('1 selected')
    fireEvent.keyDown(line(1), { key: 'Delete' })
    await screen.findByText('Moved A name of mine to the trash', {}, SLOW)
    await waitFor(() => {
      expect(nameOf(line(1))).toBe(names[2])
    }, SLOW)
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }))
    await waitFor(() => {
      expect(nameOf(line(1))).toContain('A name of mine')
    }, SLOW)
    expect(app.runs.getState().value?.recent.some((run) => run.name === 'A name of mine')).toBe(true)
  })

  it('puts back what is in the trash', async () => {
    const { app } = await list()
    fireEvent.click(await screen.findByRole('radio', { name: /^Trash \(/ }, SLOW))
    await screen.findByRole('grid', { name: 'Runs in the trash' }, SLOW)
    fireEvent.click(within(line(0)).getByRole('checkbox'))
    const before = app.runs.getState().value?.trashed ?? 0
    fireEvent.click(await screen.findByRole('button', { name: 'Put back' }))
    await waitFor(() => {
      expect(app.runs.getState().value?.trashed).toBe(before - 1)
    }, SLOW)
  })

  it('writes tags and a note, and only what was changed', async () => {
    const { engine } = await list()
    const rename = vi.spyOn(engine.api.runs, 'rename')
    const note = vi.spyOn(engine.api.runs, 'note')
    fireEvent.click(within(line(2)).getByRole('button', { name: /^More about/ }))
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Tags and note' }))
    const dialog = within(await screen.findByRole('dialog', {}, SLOW))
    fireEvent.change(dialog.getByLabelText('Note'), { target: { value: 'Fans at full speed' } })
    const name = dialog.getByLabelText('Name')
    const kept = (name as HTMLInputElement).value
    fireEvent.change(name, { target: { value: ' ' } })
    expect(dialog.getByText('A name has at least one character.')).toBeTruthy()
    fireEvent.change(name, { target: { value: kept } })
    fireEvent.click(dialog.getByRole('button', { name: 'Save' }))
    await waitFor(() => {
      expect(note.mock.calls[0]?.[0].note).toBe('Fans at full speed')
    }, SLOW)
    expect(rename).not.toHaveBeenCalled()
  })

  it('marks the baseline', async () => {
    const { app } = await list()
    await waitFor(() => {
      expect(app.settings.getState().settings).toBeDefined()
    }, SLOW)
    fireEvent.click(within(line(2)).getByRole('button', { name: /^More about/ }))
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Use as baseline' }))
    await within(line(2)).findByText('Baseline', {}, SLOW)
  })

  it('says what to do where there is nothing yet', async () => {
    renderApp({ route: '#/history', scenario: 'empty' })
    fireEvent.click(await screen.findByRole('button', { name: 'Plan a sweep' }, SLOW))
    expect(window.location.hash).toBe('#/sweep')
  })
})

describe('the page of a run', () => {
  it('shows the finished matrix, its facts, and the way to the report', async () => {
    renderApp({ route: '#/history/run-00059' })
    const grid = await screen.findByRole('grid', { name: /Total tok\/s by context/ }, SLOW)
    expect(
      within(grid)
        .getAllByRole('rowheader')
        .map((head) => head.textContent),
    ).toEqual(['0', '8K', '32K', '128K'])
    fireEvent.click(screen.getByRole('radio', { name: 'Facts' }))
    expect(await screen.findByText('Discrete GPU')).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Report' }))
    expect(window.location.hash).toBe('#/report/run-00059')
  })

  it('of a run that is not there says so', async () => {
    renderApp({ route: '#/history/nowhere' })
    await screen.findByText('There is no run nowhere.', {}, SLOW)
  })
})
