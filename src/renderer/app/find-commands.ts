import type { Command } from './commands.ts'

/** Every word of the query has to be somewhere in the title, section or keywords; titles that start with it come first. */
export function findCommands(list: readonly Command[], query: string): Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return [...list]
  const text = (command: Command) => `${command.title} ${command.section} ${command.keywords ?? ''}`.toLowerCase()
  const rank = (command: Command) => (command.title.toLowerCase().startsWith(words.join(' ')) ? 0 : 1)
  return list
    .filter((command) => words.every((word) => text(command).includes(word)))
    .toSorted((one, other) => rank(one) - rank(other))
}
