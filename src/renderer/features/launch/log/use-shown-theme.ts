import { useComputedColorScheme } from '@mantine/core'

/** Light or dark as it is shown, whatever the setting says. */
export const useShownTheme = (): 'light' | 'dark' => useComputedColorScheme('light')
