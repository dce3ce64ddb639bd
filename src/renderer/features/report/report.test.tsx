// @vitest-environment jsdom
import '../../testing/dom.ts'
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { EVIL } from '../../testing/fake/hosts-data.ts'
import { runDocument, runRows } from '../../testing/fake/runs-data.ts'
import { renderApp } from '../../testing/render-app.tsx'
import { renderReport } from '../../../shared/report/index.ts'
import { missingFor } from './exports.tsx'
import { splitReport } from './preview-document.ts'

const SLOW = { timeout: 15_000 }
const WINDOW = { front: 'window', platform: 'linux', saveFile: true, reveal: true, print: true, secrets: 'ask-again' }

afterEach(() => {
  vi.restoreAllMocks()
})

async function exported(format: string, answers: NonNullable<NonNullable<Parameters<typeof renderApp>[0]>['answers']> = {}) {
  const view = renderApp({ route: '#/report/run-00059', answers })
  await screen.findByRole('button', { name: `Export ${format}` }, SLOW)
  await waitFor(() => {
    expect(screen.getByRole('button', { name: `Export ${format}` }).hasAttribute('disabled')).toBe(false)
  }, SLOW)
  fireEvent.click(screen.getByRole('button', { name: `Export ${format}` }))
  return view
}

describe('exporting', () => {
  it('asks the window for a path, and the engine writes there', async () => {
    const { engine, bridge } = await exported('CSV', {
      abilities: () => WINDOW,
      saveFile: () => '/home/ann/report.csv',
      reveal: () => null,
    })
    const write = vi.spyOn(engine.api.reports, 'write')
    await screen.findByText('/home/ann/report.csv', {}, SLOW)
    expect(write.mock.calls[0]?.[0]).toEqual({ runId: 'run-00059', format: 'csv', path: '/home/ann/report.csv' })
    const asked = bridge.calls.find(({ call }) => call === 'saveFile')?.input as { suggestedName: string; extensions: string[] }
    expect(asked.suggestedName).toMatch(/^speedgrid-.*\.csv$/)
    expect(asked.extensions).toEqual(['csv'])
    fireEvent.click(screen.getByRole('button', { name: 'Show in folder' }))
    await waitFor(() => {
      expect(bridge.calls.find(({ call }) => call === 'reveal')?.input).toEqual({ path: '/home/ann/report.csv' })
    })
  })

  it('lets the window print the same HTML as PDF', async () => {
    const { bridge, engine } = await exported('PDF', {
      abilities: () => WINDOW,
      saveFile: () => '/home/ann/r.pdf',
      printReport: () => null,
    })
    await screen.findByText('/home/ann/r.pdf', {}, SLOW)
    const printed = bridge.calls.find(({ call }) => call === 'printReport')?.input as { html: string; format: string }
    expect(printed.format).toBe('pdf')
    expect(printed.html).toBe((await engine.api.reports.render({ runId: 'run-00059', format: 'html' })).data)
  })

  it('says what to do when printing fails', async () => {
    // Without an answer the shell of the test refuses.
    await exported('PNG', { abilities: () => WINDOW, saveFile: () => '/home/ann/r.png' })
    await screen.findByText('The report could not be printed.', {}, SLOW)
    expect(screen.getByText(/Export HTML and print it/)).toBeTruthy()
  })

  it('does nothing when the person cancels', async () => {
    const { engine, bridge } = await exported('JSON', { abilities: () => WINDOW, saveFile: () => null })
    const write = vi.spyOn(engine.api.reports, 'write')
    await waitFor(() => {
      expect(bridge.calls.some(({ call }) => call === 'saveFile')).toBe(true)
    }, SLOW)
    expect(write).not.toHaveBeenCalled()
    expect(screen.queryByText(/^Saved to/)).toBeNull()
  })

  it('is a download where there is no dialog', async () => {
    const { app } = await exported('Markdown')
    const download = vi.spyOn(app.shell, 'download').mockReturnValue(undefined)
    await waitFor(() => {
      expect(download.mock.calls[0]?.[0].mediaType).toBe('text/markdown')
    }, SLOW)
    expect(String(download.mock.calls[0]?.[0].data)).toContain('| Context |')
  })

  it('says why PDF and PNG can’t be made here, and only there', () => {
    const [printed, plain] = [{ isPrinted: true }, { isPrinted: false }]
    expect(missingFor(printed, { print: false }, {})).toMatch(/Chromium/)
    expect(missingFor(printed, { print: false }, { chromium: '/usr/bin/chromium' })).toBeUndefined()
    expect(missingFor(printed, { print: true }, {})).toBeUndefined()
    expect(missingFor(plain, { print: false }, {})).toBeUndefined()
  })
})

describe('the preview', () => {
  const row = runRows(3)[1]
  if (row === undefined) throw new Error('no run to report')
  const run = { ...runDocument(row), name: EVIL, note: `${EVIL} <style>*{display:none}</style> style="x"` }
  const html = renderReport(run, 'html')

  it('takes only the report’s own style sheet and attributes, never a text that looks like them', () => {
    const { styles, html: rest } = splitReport(html)
    expect(styles).toHaveLength(1)
    expect(html).toContain(styles[0])
    expect(rest).not.toMatch(/<style|<script| style="/)
    expect(rest).toContain('&lt;style&gt;*{display:none}&lt;/style&gt; style=&quot;x&quot;')
  })

  it('leaves everything else of the bytes as it is', () => {
    const { styles, html: rest } = splitReport(html)
    const policy = /<meta http-equiv="Content-Security-Policy"[^>]*>/.exec(html)?.[0] ?? ''
    const again = rest.replaceAll(' data-style="', ' style="')
    expect(again).toBe(html.replace(`<style>${styles[0] ?? ''}</style>`, '').replace(policy, ''))
  })
})
