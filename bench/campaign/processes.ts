import { readdirSync, readFileSync } from 'node:fs'

export interface Found {
  pid: number
  command: string
  parent: number
}

/** Processes that were started for the folder: it is in their arguments or in their environment. Zombies are none. */
export function processesOf(root: string): Found[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return []
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
      const environment = readFileSync(`/proc/${name}/environ`, 'utf8')
      if (command === '' || (!command.includes(root) && !environment.includes(root))) return []
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return state === 'Z' ? [] : [{ pid: Number(name), command, parent: Number(parent) }]
    } catch {
      // It has ended while we looked.
      return []
    }
  })
}

export const driversOf = (root: string): Found[] => processesOf(root).filter(({ command }) => command.includes('driver.mjs'))

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended.
  }
}
