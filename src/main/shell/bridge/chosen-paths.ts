import { resolve, sep } from 'node:path'

/** Files the person chose in a dialog of this session: the only ones the shell writes or shows for a page. */
export function createChosenPaths() {
  const chosen = new Set<string>()
  return {
    add: (path: string) => {
      chosen.add(resolve(path))
    },
    has: (path: string) => chosen.has(resolve(path)),
    /** Also what lies in a folder of ours. */
    mayShow: (path: string, ownFolder: string | undefined) => {
      const full = resolve(path)
      return chosen.has(full) || (ownFolder !== undefined && (full === ownFolder || full.startsWith(resolve(ownFolder) + sep)))
    },
  }
}
export type ChosenPaths = ReturnType<typeof createChosenPaths>
