import type { ReactNode } from 'react'
import { Panel } from '../../ui/panel.tsx'
import { SECTIONS, type SectionId } from './sections.ts'
import classes from './settings.module.css'

interface SectionProps {
  id: SectionId
  note?: string
  actions?: ReactNode
  padding?: 'normal' | 'none'
  children: ReactNode
}

export function Section({ id, children, ...panel }: SectionProps) {
  return (
    <div id={`settings-${id}`} className={classes.section}>
      <Panel title={SECTIONS.find((section) => section.id === id)?.title ?? id} {...panel}>
        {children}
      </Panel>
    </div>
  )
}
