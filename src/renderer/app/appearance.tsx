import { useMantineColorScheme } from '@mantine/core'
import { useEffect } from 'react'
import { useApp, useSettings } from '../state/context.ts'

/** Carries the setting to the screen and to the shell's own parts. */
export function Appearance() {
  const { shell } = useApp()
  const appearance = useSettings()?.appearance
  const { setColorScheme } = useMantineColorScheme()
  useEffect(() => {
    if (appearance === undefined) return
    setColorScheme(appearance === 'system' ? 'auto' : appearance)
    void shell.appearance({ appearance })
  }, [appearance, setColorScheme, shell])
  return null
}
