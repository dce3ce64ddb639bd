import { split } from 'shlex'
import { SpeedgridError } from '../../shared/model/error.ts'

const OPERATORS = new Set(['&', '&&', '|', '||', ';', '>', '>>', '<', '2>&1', '2>', '&>'])

/**
 * The words of a pasted command: line continuations joined, comment lines and a leading prompt (`$ `) dropped, `export A=b` lines taken as
 * assignments. Nothing is expanded. Throws `usage` where it is a piece of shell rather than one command.
 */
export function splitCommand(text: string): string[] {
  const lines = text
    .replaceAll(/\\\r?\n/g, ' ')
    .split(/\r?\n/)
    .map((line) => line.trim().replace(/^\$\s+/, ''))
    .filter((line) => line !== '' && !line.startsWith('#'))
  const words = lines.flatMap((line) => {
    const parts = splitLine(line)
    if (parts[0] !== 'export') return parts
    return parts.slice(1)
  })
  const operator = words.find((word) => OPERATORS.has(word))
  if (operator !== undefined) {
    throw new SpeedgridError('usage', `the command contains the shell operator ${operator}`, {
      nextStep: 'Give one command only; logging and running in the background are taken care of.',
    })
  }
  return words[0] === 'nohup' ? words.slice(1) : words
}

function splitLine(line: string): string[] {
  try {
    return split(line)
  } catch (error) {
    throw new SpeedgridError('usage', 'the command has a quote that is not closed', { from: error })
  }
}
