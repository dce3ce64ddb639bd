import { Button } from '@mantine/core'
import { Copy, FolderSearch } from 'lucide-react'
import { useState } from 'react'
import type { AppInfo } from '../../../shared/contract/app.ts'
import type { ErrorInfo } from '../../../shared/model/error.ts'
import { useCommands } from '../../app/commands-context.ts'
import { useAbilities, useApp } from '../../state/context.ts'
import { toErrorInfo } from '../../state/errors.ts'
import type { Abilities } from '../../state/shell.ts'
import { copyAndSay } from '../../ui/copy-menu.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { showDone, showProblem } from '../../ui/toasts.tsx'
import { exportReport } from './export-report.ts'
import { type FormatEntry, FORMATS, type ReportFormat } from './formats.ts'
import classes from './report.module.css'

interface ExportsProps {
  runId: string
  /** Name of the HTML file; undefined until the report has been made once. */
  fileName: string | undefined
  info: AppInfo | undefined
}

/** Why a format can't be made here; undefined where it can. */
export function missingFor(
  { isPrinted }: Pick<FormatEntry, 'isPrinted'>,
  abilities: Pick<Abilities, 'print'> | undefined,
  info: Pick<AppInfo, 'chromium'> | undefined,
): string | undefined {
  if (!isPrinted || abilities?.print === true || info === undefined || info.chromium !== undefined) return undefined
  return 'Needs Chromium where the engine runs, and there is none. Install it (Debian: apt install chromium), or export HTML and print that from your browser.'
}

export function Exports({ runId, fileName, info }: ExportsProps) {
  const { client, shell } = useApp()
  const abilities = useAbilities()
  const [busy, setBusy] = useState<ReportFormat>()
  const [error, setError] = useState<ErrorInfo>()
  const [savedPath, setSavedPath] = useState<string>()
  const run = async (format: ReportFormat) => {
    if (fileName === undefined) return
    setBusy(format)
    setError(undefined)
    setSavedPath(undefined)
    try {
      const outcome = await exportReport({ client, shell, runId, format, fileName })
      if (outcome.kind === 'saved') setSavedPath(outcome.path)
      if (outcome.kind === 'downloaded') showDone(`Downloaded ${outcome.fileName}`)
    } catch (problem) {
      setError(toErrorInfo(problem))
    } finally {
      setBusy(undefined)
    }
  }
  const copyMarkdown = async () => {
    try {
      const { data } = await client.reports.render.query({ runId, format: 'md' })
      await copyAndSay('the report', 'Markdown', data)
    } catch (problem) {
      showProblem(problem)
    }
  }
  useCommands([
    {
      id: 'report.export',
      title: 'Export the report as HTML',
      section: 'Report',
      shortcuts: ['Mod+E'],
      run: () => void run('html'),
    },
    { id: 'report.copy', title: 'Copy the report as Markdown', section: 'Report', run: () => void copyMarkdown() },
  ])
  return (
    <div className={classes.exports}>
      {error !== undefined && (
        <ErrorNotice
          error={error}
          onClose={() => {
            setError(undefined)
          }}
        />
      )}
      {savedPath !== undefined && (
        <div className={classes.saved} role="status">
          <span>
            Saved to <code>{savedPath}</code>
          </span>
          {abilities?.reveal === true && (
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<FolderSearch size={14} aria-hidden />}
              onClick={() => void shell.reveal(savedPath)}
            >
              Show in folder
            </Button>
          )}
        </div>
      )}
      <ul className={classes.formats}>
        {FORMATS.map((entry) => {
          const missing = missingFor(entry, abilities, info)
          const Icon = entry.icon
          return (
            <li key={entry.format} className={classes.format} data-missing={missing !== undefined || undefined}>
              <Icon size={18} strokeWidth={1.6} aria-hidden className={classes.formatIcon} />
              <div className={classes.formatText}>
                <strong>{entry.name}</strong>
                <span id={`format-${entry.format}`}>{missing ?? entry.text}</span>
              </div>
              <Button
                size="compact-sm"
                variant={entry.format === 'html' ? 'filled' : 'default'}
                loading={busy === entry.format}
                disabled={missing !== undefined || fileName === undefined || (busy !== undefined && busy !== entry.format)}
                aria-label={`Export ${entry.name}`}
                aria-describedby={`format-${entry.format}`}
                onClick={() => void run(entry.format)}
              >
                Export
              </Button>
            </li>
          )
        })}
      </ul>
      <Button variant="default" leftSection={<Copy size={14} aria-hidden />} onClick={() => void copyMarkdown()}>
        Copy as Markdown
      </Button>
      <p className={classes.small}>
        Secrets are never in a report: keys show as <code>&lt;redacted&gt;</code>, home folders as <code>$HOME</code>.
      </p>
    </div>
  )
}
