import { SegmentedControl } from '@mantine/core'
import { useApp, useSettings } from '../../state/context.ts'
import { showProblem } from '../../ui/toasts.tsx'
import { Section } from './section.tsx'
import classes from './settings.module.css'

const CHOICES = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'system', label: 'As the system' },
] as const

export function AppearanceSection() {
  const { settings } = useApp()
  const current = useSettings()?.appearance ?? 'system'
  return (
    <Section id="appearance">
      <div className={classes.line}>
        <div className={classes.lineText}>
          <div>Colours</div>
          <div className={classes.dim}>High contrast and reduced motion follow the system by themselves.</div>
        </div>
        <SegmentedControl
          aria-label="Colours"
          data={[...CHOICES]}
          value={current}
          onChange={(appearance) => {
            settings.getState().change({ appearance: appearance }).catch(showProblem)
          }}
        />
      </div>
    </Section>
  )
}
