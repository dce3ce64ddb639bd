import { useEffect } from 'react'
import { Screen } from '../../app/screen.tsx'
import type { ScreenProps } from '../../app/screens.ts'
import { AppearanceSection } from './appearance-section.tsx'
import { DataSection } from './data-section.tsx'
import { DemoSection } from './demo-section.tsx'
import { DiagnosticsSection } from './diagnostics-section.tsx'
import { EngineSection } from './engine-section.tsx'
import { KeptSection } from './kept/kept-section.tsx'
import { KnownHostsSection } from './known-hosts-section.tsx'
import { PasswordsSection } from './passwords-section.tsx'
import { SectionNav } from './section-nav.tsx'
import { VersionsSection } from './versions-section.tsx'
import classes from './settings.module.css'

export function SettingsScreen({ route }: ScreenProps<'settings'>) {
  const { section } = route
  useEffect(() => {
    if (section === undefined) return
    document.getElementById(`settings-${section}`)?.scrollIntoView({ block: 'start' })
  }, [section])
  return (
    <Screen title="Settings">
      <div className={classes.columns}>
        <SectionNav asked={section} />
        <div className={classes.sections}>
          <AppearanceSection />
          <DataSection />
          <KnownHostsSection />
          <PasswordsSection />
          <KeptSection />
          <DemoSection />
          <EngineSection />
          <DiagnosticsSection />
          <VersionsSection />
        </div>
      </div>
    </Screen>
  )
}
