import { Spotlight } from '@mantine/spotlight'
import { useState } from 'react'
import { Kbd } from '../ui/kbd.tsx'
import { useCommandList } from './commands-context.ts'
import { findCommands } from './find-commands.ts'
import { usePaletteEntries } from './palette-entries.ts'
import classes from './palette.module.css'

const LIMIT = 60
/** Handed on to the scroll area, whose types Spotlight doesn't show. It scrolls, so the keyboard must reach it. */
const LIST_VIEWPORT = { viewportProps: { tabIndex: 0, role: 'group', 'aria-label': 'What was found' } }

export function Palette() {
  const [query, setQuery] = useState('')
  const commands = useCommandList().filter((command) => command.id !== 'app.palette' && command.when?.() !== false)
  const entries = usePaletteEntries()
  const found = findCommands([...commands, ...entries], query).slice(0, LIMIT)
  const sections = [...new Set(found.map((command) => command.section))]
  return (
    <Spotlight.Root
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      overlayProps={{ blur: 0, backgroundOpacity: 0.35 }}
      scrollable
      maxHeight={420}
      size={620}
      className={classes.root}
      attributes={{ content: { 'aria-label': 'Command palette' } }}
    >
      <Spotlight.Search placeholder="Search commands, hosts and runs" aria-label="Search commands, hosts and runs" />
      <Spotlight.ActionsList {...LIST_VIEWPORT}>
        {sections.map((section) => (
          <Spotlight.ActionsGroup key={section} label={section}>
            {found
              .filter((command) => command.section === section)
              .map((command) => (
                <Spotlight.Action key={command.id} onClick={command.run} className={classes.action}>
                  <span className={classes.title}>{command.title}</span>
                  {command.shortcuts?.[0] !== undefined && <Kbd keys={command.shortcuts[0]} />}
                </Spotlight.Action>
              ))}
          </Spotlight.ActionsGroup>
        ))}
        {found.length === 0 && <Spotlight.Empty>Nothing has these words. Fewer letters find more.</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}
