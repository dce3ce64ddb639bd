import { UnstyledButton } from '@mantine/core'
import { Search } from 'lucide-react'
import { Kbd } from '../ui/kbd.tsx'
import { useCommandRegistry } from './commands-context.ts'
import { ActiveSweepChip } from './active-sweep-chip.tsx'
import classes from './header-tools.module.css'

/** Right end of every header: the sweep that is going on, and the way to every command. */
export function HeaderTools() {
  const commands = useCommandRegistry()
  return (
    <div className={classes.tools}>
      <ActiveSweepChip />
      <UnstyledButton
        className={classes.search}
        onClick={() => commands.run('app.palette')}
        aria-label="Search commands, hosts and runs"
      >
        <Search size={14} aria-hidden />
        <span>Search</span>
        <Kbd keys="Mod+K" />
      </UnstyledButton>
    </div>
  )
}
