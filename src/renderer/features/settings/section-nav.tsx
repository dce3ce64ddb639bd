import { useEffect, useState } from 'react'
import { hrefOf } from '../../app/routes.ts'
import { SECTIONS } from './sections.ts'
import classes from './settings.module.css'

export function SectionNav({ asked }: { asked: string | undefined }) {
  const seen = useSeenSection(asked)
  return (
    <nav className={classes.nav} aria-label="Sections of the settings">
      {SECTIONS.map(({ id, title }) => (
        <a
          key={id}
          href={hrefOf({ screen: 'settings', section: id })}
          aria-current={id === seen ? 'true' : undefined}
          onClick={() => document.getElementById(`settings-${id}`)?.scrollIntoView({ block: 'start' })}
        >
          {title}
        </a>
      ))}
    </nav>
  )
}

/** The uppermost section that is in sight. */
function useSeenSection(asked: string | undefined): string | undefined {
  const [seen, setSeen] = useState<string | undefined>(asked)
  useEffect(() => {
    const inSight = new Set<string>()
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (isIntersecting) inSight.add(target.id)
          else inSight.delete(target.id)
        }
        setSeen(SECTIONS.find(({ id }) => inSight.has(`settings-${id}`))?.id)
      },
      // Only the upper part counts: what is being read.
      { rootMargin: '-60px 0px -65% 0px' },
    )
    for (const { id } of SECTIONS) {
      const element = document.getElementById(`settings-${id}`)
      if (element !== null) observer.observe(element)
    }
    return () => {
      observer.disconnect()
    }
  }, [])
  return seen
}
