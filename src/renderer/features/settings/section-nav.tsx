import { hrefOf } from '../../app/routes.ts'
import { SECTIONS } from './sections.ts'
import classes from './settings.module.css'

export function SectionNav({ current }: { current: string | undefined }) {
  return (
    <nav className={classes.nav} aria-label="Sections of the settings">
      {SECTIONS.map(({ id, title }) => (
        <a
          key={id}
          href={hrefOf({ screen: 'settings', section: id })}
          aria-current={id === current ? 'true' : undefined}
          onClick={() => document.getElementById(`settings-${id}`)?.scrollIntoView({ block: 'start' })}
        >
          {title}
        </a>
      ))}
    </nav>
  )
}
