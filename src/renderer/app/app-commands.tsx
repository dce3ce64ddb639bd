import { useMantineColorScheme } from '@mantine/core'
import { spotlight } from '@mantine/spotlight'
import { useEffect } from 'react'
import { useAbilities, useApp } from '../state/context.ts'
import { useCommandRegistry, useCommands } from './commands-context.ts'
import { parseRoute } from './routes.ts'
import { SCREENS } from './screens.ts'
import { listenForShortcuts } from './shortcuts.ts'
import { navigate } from './use-route.ts'

/** Commands that are there on every screen, and the three ways they come in: keys, the native menu, deep links. */
export function AppCommands() {
  const { shell, settings } = useApp()
  const commands = useCommandRegistry()
  const abilities = useAbilities()
  const isMac = abilities?.platform === 'mac'
  const isPage = abilities?.front !== 'window'
  const { setColorScheme } = useMantineColorScheme()

  const appearance = (value: 'light' | 'dark' | 'system') => () => {
    setColorScheme(value === 'system' ? 'auto' : value)
    void settings.getState().change({ appearance: value })
  }
  useCommands([
    {
      id: 'app.palette',
      title: 'Command palette',
      section: 'Speedgrid',
      shortcuts: ['Mod+K', 'Mod+Shift+P'],
      inFields: true,
      run: spotlight.toggle,
    },
    ...SCREENS.map(({ name, title, key, route }) => ({
      id: name === 'settings' ? 'app.settings' : `go.${name}`,
      title: `Go to ${title}`,
      section: 'Go to',
      shortcuts: [`Mod+${key ?? ''}`, ...(name === 'settings' ? ['Mod+,'] : [])],
      run: () => {
        navigate(route)
      },
    })),
    // A browser keeps Ctrl+N for itself.
    {
      id: 'sweep.new',
      title: 'New sweep',
      section: 'Sweep',
      shortcuts: isPage ? ['Alt+N'] : ['Mod+N'],
      run: () => {
        navigate({ screen: 'sweep' })
      },
    },
    {
      id: 'host.add',
      title: 'Add a host',
      section: 'Hosts',
      keywords: 'ssh machine',
      run: () => {
        navigate({ screen: 'hosts', host: '+add' })
      },
    },
    {
      id: 'go.back',
      title: 'Back',
      section: 'Go to',
      shortcuts: isMac ? ['Meta+['] : ['Alt+ArrowLeft'],
      run: () => {
        window.history.back()
      },
    },
    {
      id: 'go.forward',
      title: 'Forward',
      section: 'Go to',
      shortcuts: isMac ? ['Meta+]'] : ['Alt+ArrowRight'],
      run: () => {
        window.history.forward()
      },
    },
    { id: 'appearance.light', title: 'Appearance: light', section: 'Appearance', keywords: 'theme', run: appearance('light') },
    { id: 'appearance.dark', title: 'Appearance: dark', section: 'Appearance', keywords: 'theme', run: appearance('dark') },
    {
      id: 'appearance.system',
      title: 'Appearance: as the system',
      section: 'Appearance',
      keywords: 'theme',
      run: appearance('system'),
    },
  ])

  useEffect(() => listenForShortcuts(commands, { isMac }), [commands, isMac])
  useEffect(() => shell.onMenu((id) => void commands.run(id)), [shell, commands])
  useEffect(
    () =>
      shell.onOpen((hash) => {
        navigate(parseRoute(hash))
      }),
    [shell],
  )
  return null
}
