import { Button } from '@mantine/core'
import { ArrowDownToLine, Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useCommands } from '../../../app/commands-context.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { useShownTheme } from './use-shown-theme.ts'
import { LogSearch } from './log-search.tsx'
import classes from './log.module.css'
import { createLogTerminal, LINES_SHOWN, type LogTerminal } from './log-terminal.ts'
import { type LogState, useLog } from './use-log.ts'

interface LogPanelProps {
  host: string
  server: string
  /** Where the whole log is. */
  path?: string | undefined
  /** Told the last complete line. */
  onLine?: (line: string) => void
}

const NOTES: Record<LogState['status'], string> = {
  waiting: 'waiting for the first line',
  live: 'live',
  reconnecting: 'reconnecting; it goes on where it stopped',
  ended: 'the log has ended',
  failed: 'it can’t be read',
}

/** The log as it grows. */
export function LogPanel({ host, server, path, onLine }: LogPanelProps) {
  const theme = useShownTheme()
  const frame = useRef<HTMLDivElement>(null)
  const terminal = useRef<LogTerminal>(undefined)
  const early = useRef<string[]>([])
  const [isFollowing, setFollowing] = useState(true)
  const [isSearching, setSearching] = useState(false)
  const [opened, setOpened] = useState<LogTerminal>()

  useEffect(() => {
    if (frame.current === null) return
    const made = createLogTerminal(frame.current, theme)
    terminal.current = made
    made.onFollow(setFollowing)
    setOpened(made)
    for (const text of early.current) made.write(text)
    early.current = []
    return () => {
      made.dispose()
      terminal.current = undefined
    }
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- a change of theme is told to the terminal, below
  }, [])
  useEffect(() => {
    opened?.setTheme(theme)
  }, [opened, theme])

  const log = useLog({ host, server }, (text) => {
    if (terminal.current === undefined) early.current.push(text)
    else terminal.current.write(text)
    const line = lastLine(text)
    if (line !== undefined) onLine?.(line)
  })
  useCommands([
    {
      id: 'find',
      title: 'Find in the log',
      section: 'Launch',
      shortcuts: ['Mod+F'],
      inFields: true,
      run: () => {
        setSearching(true)
      },
    },
  ])
  return (
    <Panel
      title="Log"
      note={
        <span
          title={path}
        >{`${NOTES[log.status]} · the last ${LINES_SHOWN.toLocaleString('en')} lines${path === undefined ? '' : ` of ${path}`}`}</span>
      }
      padding="none"
      className={classes.panel}
      actions={
        <>
          {!isFollowing && (
            <Button
              size="compact-sm"
              variant="light"
              leftSection={<ArrowDownToLine size={14} aria-hidden />}
              onClick={() => terminal.current?.toEnd()}
            >
              To the end
            </Button>
          )}
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            leftSection={<Search size={14} aria-hidden />}
            onClick={() => {
              setSearching((before) => !before)
            }}
          >
            Find
          </Button>
          <CopyButton
            value={() => terminal.current?.selection() || (terminal.current?.allText() ?? '')}
            label="Copy the selection, or all of it"
          />
        </>
      }
    >
      {isSearching && opened !== undefined && (
        <LogSearch
          terminal={opened}
          onClose={() => {
            setSearching(false)
            opened.endSearch()
            opened.focus()
          }}
        />
      )}
      {log.error !== undefined && (
        <div className={classes.error}>
          <ErrorNotice error={log.error} onRetry={log.retry} />
        </div>
      )}
      <div className={classes.frame}>
        <div className={classes.terminal} ref={frame} />
      </div>
    </Panel>
  )
}

/** The last line of a piece that ends with a line end; bars that are overwritten count with what they say last. */
function lastLine(piece: string): string | undefined {
  const lines = piece.split('\n').filter((line) => line.trim() !== '')
  return (
    lines
      .at(-1)
      ?.split('\r')
      .findLast((part) => part.trim() !== '')
      // oxlint-disable-next-line no-control-regex -- colours are left out
      ?.replace(/\u001b\[[\d;]*m/g, '')
  )
}
