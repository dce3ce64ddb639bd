import { ActionIcon, TextInput, Tooltip } from '@mantine/core'
import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useCommands } from '../../../app/commands-context.ts'
import { countText } from '../../../../shared/format/index.ts'
import classes from './log.module.css'
import type { Found, LogTerminal } from './log-terminal.ts'

/** Enter and F3 go on, with Shift back, Esc leaves. */
export function LogSearch({ terminal, onClose }: { terminal: LogTerminal; onClose: () => void }) {
  const [text, setText] = useState('')
  const [found, setFound] = useState<Found>()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    terminal.onFound(setFound)
    field.current?.focus()
  }, [terminal])
  const go = (direction: 'next' | 'previous') => {
    if (text !== '') terminal.find(text, direction)
  }
  useCommands([
    {
      id: 'find',
      title: 'Find in the log',
      section: 'Launch',
      shortcuts: ['Mod+F'],
      inFields: true,
      run: () => field.current?.select(),
    },
    {
      id: 'find.next',
      title: 'Next match',
      section: 'Launch',
      shortcuts: ['F3', 'Mod+G'],
      inFields: true,
      run: () => {
        go('next')
      },
    },
    {
      id: 'find.previous',
      title: 'Previous match',
      section: 'Launch',
      shortcuts: ['Shift+F3', 'Mod+Shift+G'],
      inFields: true,
      run: () => {
        go('previous')
      },
    },
  ])
  return (
    <div className={classes.search} role="search">
      <TextInput
        ref={field}
        className={classes.searchField ?? ''}
        aria-label="Find in the log"
        placeholder="Find in the log"
        maxLength={200}
        value={text}
        onChange={(event) => {
          const next = event.currentTarget.value
          setText(next)
          if (next === '') {
            terminal.endSearch()
            setFound(undefined)
          } else terminal.find(next, 'previous', { whileTyping: true })
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            event.preventDefault()
            go(event.shiftKey ? 'next' : 'previous')
          }
          if (event.key === 'Escape') {
            event.stopPropagation()
            onClose()
          }
        }}
      />
      <span className={classes.count} role="status">
        {text === '' ? '' : foundText(found)}
      </span>
      <Small
        label="Older match (Enter)"
        onClick={() => {
          go('previous')
        }}
        icon={<ChevronUp size={15} />}
      />
      <Small
        label="Newer match (Shift+Enter)"
        onClick={() => {
          go('next')
        }}
        icon={<ChevronDown size={15} />}
      />
      <Small label="Close (Esc)" onClick={onClose} icon={<X size={15} />} />
    </div>
  )
}

function Small({ label, icon, onClick }: { label: string; icon: ReactNode; onClick: () => void }) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" size={26} aria-label={label} onClick={onClick}>
        {icon}
      </ActionIcon>
    </Tooltip>
  )
}

function foundText(found: Found | undefined): string {
  if (found === undefined || found.count === 0) return 'nothing found'
  return found.index < 0 ? `${countText(found.count)} or more` : `${countText(found.index + 1)} of ${countText(found.count)}`
}
