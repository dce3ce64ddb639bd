import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { useEffect, useState } from 'react'
import { Prompts } from '../features/prompts/index.tsx'
import type { AppState } from '../state/app-state.ts'
import { AppStateContext } from '../state/context.ts'
import { rememberedAppearance } from '../state/settings.ts'
import { cssVariables, theme } from '../styles/theme.ts'
import { AppCommands } from './app-commands.tsx'
import { Appearance } from './appearance.tsx'
import { createCommands } from './commands.ts'
import { CommandsContext } from './commands-context.ts'
import { Layout } from './layout.tsx'
import { Palette } from './palette.tsx'

interface RootProps {
  app: AppState
  styleNonce?: string | undefined
}

export function Root({ app, styleNonce }: RootProps) {
  const [commands] = useState(createCommands)
  const [remembered] = useState(() => rememberedAppearance())
  useLoadedSettings(app)
  return (
    <AppStateContext value={app}>
      <CommandsContext value={commands}>
        <MantineProvider
          theme={theme}
          cssVariablesResolver={cssVariables}
          defaultColorScheme={remembered === 'system' ? 'auto' : remembered}
          {...(styleNonce === undefined ? {} : { getStyleNonce: () => styleNonce })}
        >
          <Appearance />
          <AppCommands />
          <Layout>
            <Palette />
            <Prompts />
            <Notifications position="bottom-right" limit={4} />
          </Layout>
        </MantineProvider>
      </CommandsContext>
    </AppStateContext>
  )
}

/** Asked at the first connection and after every reconnect. */
function useLoadedSettings({ link, settings }: AppState) {
  useEffect(() => {
    const load = () => {
      // A failure is shown where settings are changed; until then the defaults hold.
      void settings
        .getState()
        .load()
        .catch(() => undefined)
    }
    load()
    return link.connection.subscribe((now, before) => {
      if (now.state === 'up' && before.state !== 'up') load()
    })
  }, [link, settings])
}
