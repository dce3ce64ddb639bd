import { Tooltip } from '@mantine/core'
import { Pause, Play } from 'lucide-react'
import { useApp } from '../state/context.ts'
import { useFeedStore } from '../state/use-feed.ts'
import classes from './header-tools.module.css'
import { hrefOf } from './routes.ts'
import { useRoute } from './use-route.ts'

/** A sweep that is going on, seen from every screen but its own. */
export function ActiveSweepChip() {
  const { runs } = useApp()
  const going = useFeedStore(runs, (state) => state.value?.going ?? [])
  const route = useRoute()
  const [first] = going
  if (first === undefined || (route.screen === 'sweep' && (route.runId === undefined || route.runId === first.id))) return null
  const Icon = first.state === 'paused' ? Pause : Play
  return (
    <Tooltip label={`${first.name}: ${first.state}${going.length > 1 ? `, and ${String(going.length - 1)} more` : ''}`}>
      <a className={classes.chip} href={hrefOf({ screen: 'sweep', runId: first.id })}>
        <Icon size={13} aria-hidden />
        <span className={classes.chipName}>{first.name}</span>
        <span>
          {first.cellsDone}/{first.cellsTotal}
        </span>
      </a>
    </Tooltip>
  )
}
