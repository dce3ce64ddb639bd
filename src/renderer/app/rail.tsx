import { Tooltip } from '@mantine/core'
import { Kbd } from '../ui/kbd.tsx'
import { Mark } from '../ui/mark.tsx'
import classes from './rail.module.css'
import { hrefOf, type ScreenName } from './routes.ts'
import { SCREENS } from './screens.ts'

/** Screens that stand under another one in the rail. */
const UNDER: Partial<Record<ScreenName, ScreenName>> = { cell: 'sweep' }

export function Rail({ current }: { current: ScreenName }) {
  const shown = UNDER[current] ?? current
  return (
    <nav className={classes.rail} aria-label="Screens">
      <div className={classes.mark}>
        <Mark />
      </div>
      {SCREENS.map(({ name, title, icon: Icon, key, route }) => (
        <Tooltip
          key={name}
          position="right"
          label={
            <span className={classes.tip}>
              {title} {key !== undefined && <Kbd keys={`Mod+${key}`} />}
            </span>
          }
        >
          <a
            className={classes.item}
            href={hrefOf(route)}
            aria-current={shown === name ? 'page' : undefined}
            data-last={name === 'settings' || undefined}
          >
            <Icon size={18} strokeWidth={1.75} aria-hidden />
            <span>{title}</span>
          </a>
        </Tooltip>
      ))}
    </nav>
  )
}
