// @vitest-environment jsdom
import '../testing/dom.ts'
import { MantineProvider } from '@mantine/core'
import { render, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { CELL_STATUSES } from '../../shared/model/cell.ts'
import { ErrorNotice, errorText } from './error-notice.tsx'
import { STATUS_GLYPHS, STATUS_MEANINGS } from './statuses.ts'
import { TimeText } from './time-text.tsx'
import { tsvText } from './tsv.ts'

const EVIL = '<img src=x onerror=alert(1)>'

describe('the kit', () => {
  it('shows an error’s cause, evidence and next step as text', () => {
    const error = {
      code: 'remote' as const,
      cause: `cause ${EVIL}`,
      evidence: [`seen ${EVIL}`, 'second line'],
      nextStep: 'Do this.',
    }
    const { container } = render(
      <MantineProvider>
        <ErrorNotice error={error} />
      </MantineProvider>,
    )
    const alert = screen.getByRole('alert')
    for (const text of [`cause ${EVIL}`, `seen ${EVIL}`, 'second line', 'Do this.', 'remote'])
      expect(alert.textContent).toContain(text)
    expect(container.querySelector('img')).toBeNull()
    expect(errorText(error)).toBe(`remote: cause ${EVIL}\nseen ${EVIL}\nsecond line\nNext: Do this.`)
  })

  it('has a sign of its own and a meaning for every status', () => {
    const statuses = [...CELL_STATUSES, 'running'] as const
    expect(new Set(statuses.map((status) => STATUS_GLYPHS[status])).size).toBe(statuses.length)
    for (const status of statuses) expect(STATUS_MEANINGS[status].length).toBeGreaterThan(10)
  })

  it('writes relative times with the exact one in the markup, and no time for nonsense', () => {
    const at = new Date(Date.now() - 3 * 60_000).toISOString()
    render(
      <MantineProvider>
        <TimeText at={at} />
        <TimeText at="not a time" />
      </MantineProvider>,
    )
    expect(screen.getByText('3 minutes ago').getAttribute('datetime')).toBe(at)
    expect(screen.getByText('—')).toBeTruthy()
  })

  it('copies tables that start no formula and break no row', () => {
    expect(
      tsvText([
        ['name', 'n'],
        ['=HYPERLINK("x")', '-3.5'],
        ['a\tb\nc', '@x'],
        ['-cmd', '+1'],
      ]),
    ).toBe("name\tn\n'=HYPERLINK(\"x\")\t-3.5\na b c\t'@x\n'-cmd\t'+1")
  })
})
