/** The facts of one section of the inventory script's output, in order. */
export interface Section {
  one(key: string): string | undefined
  all(key: string): string[]
  lines: { key: string; value: string }[]
}

/** Splits `@@ NAME` sections of lines `key rest of the line`. What stands before the first section (a talkative profile) is ignored. */
export function readSections(stdout: string): (name: string) => Section {
  const sections = new Map<string, { key: string; value: string }[]>()
  let current: { key: string; value: string }[] | undefined
  for (const line of stdout.split(/\r?\n/)) {
    const header = /^@@ (\w+)$/.exec(line)
    if (header?.[1] !== undefined) {
      current = []
      sections.set(header[1], current)
    } else if (current !== undefined && line !== '') {
      const space = line.indexOf(' ')
      current.push(space < 0 ? { key: line, value: '' } : { key: line.slice(0, space), value: line.slice(space + 1) })
    }
  }
  return (name) => {
    const lines = sections.get(name) ?? []
    const all = (key: string) => lines.filter((line) => line.key === key).map((line) => line.value)
    return {
      lines,
      all,
      one: (key) =>
        all(key)
          .map((value) => value.trim())
          .find((value) => value !== ''),
    }
  }
}

export const hasSection = (stdout: string, name: string): boolean => new RegExp(`^@@ ${name}\\r?$`, 'm').test(stdout)
