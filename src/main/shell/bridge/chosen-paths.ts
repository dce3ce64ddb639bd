import { resolve, sep } from 'node:path'

/** Files the person chose in a dialog of this session: the only ones the shell writes or shows for a page. */
export function createChosenPaths() {
  const shown = new Set<string>()
  const writable = new Set<string>()
  return {
    /** In an open dialog: it may be shown, and not more. */
    addToShow: (path: string) => {
      shown.add(resolve(path))
    },
    /** In a save dialog: it may be written, once, and shown. */
    addToWrite: (path: string) => {
      shown.add(resolve(path))
      writable.add(resolve(path))
    },
    /** True once for each time it was chosen. */
    takeToWrite: (path: string) => writable.delete(resolve(path)),
    /** Also what lies in a folder of ours. */
    mayShow: (path: string, ownFolder: string | undefined) => {
      const full = resolve(path)
      return shown.has(full) || (ownFolder !== undefined && (full === ownFolder || full.startsWith(resolve(ownFolder) + sep)))
    },
  }
}
export type ChosenPaths = ReturnType<typeof createChosenPaths>
