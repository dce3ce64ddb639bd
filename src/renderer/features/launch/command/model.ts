import { fullFlag } from './form-flags.ts'
import { type CommandWord, commandWords } from './words.ts'

/** A flag with what follows it, up to the next flag. */
export interface FlagUse {
  /** In full where it is one of the form's (form-flags.ts), else as written. */
  flag: string
  written: string
  values: string[]
  start: number
  end: number
  /** Where its values stand; for `--flag=value` that is what follows the `=`. Equal for a flag without any. */
  valueStart: number
  valueEnd: number
}

export interface VariableUse {
  name: string
  value: string
  start: number
  end: number
}

/** What a command says, each part with its place in the text. The text itself stays the truth. */
export interface CommandReading {
  words: CommandWord[]
  variables: VariableUse[]
  /** `vllm serve`, or `python -m vllm.entrypoints.openai.api_server`; absent for a text that is neither. */
  program?: { words: string[]; start: number; end: number; kind: 'vllm' | 'module' }
  /** The positional word, or the value of `--model`. */
  model?: { value: string; start: number; end: number }
  flags: FlagUse[]
  /** Words that are neither flag nor value. */
  stray: CommandWord[]
  /** Index into the text just behind the last word. */
  end: number
}

const ASSIGNMENT = /^([A-Za-z_]\w*)=([\s\S]*)$/
const MODULE = 'vllm.entrypoints.openai.api_server'

export const isFlagWord = (word: string) => word.startsWith('-') && word.length > 1 && word !== '--' && !/^-\d/.test(word)

/** Never throws: of a half-typed command it says what is there so far. */
export function readCommand(text: string): CommandReading {
  const words = commandWords(text)
  const reading: CommandReading = { words, variables: [], flags: [], stray: [], end: words.at(-1)?.end ?? 0 }
  readArguments(reading, text, readProgram(reading))
  return reading
}

/** Returns the index of the first word after the program. */
function readProgram(reading: CommandReading): number {
  const { words } = reading
  let index = 0
  for (const { value, start, end } of words) {
    const [, name, assigned] = ASSIGNMENT.exec(value) ?? []
    // A quoted word is no assignment to a shell, but it is one to a person and to the engine.
    if (name !== undefined && assigned !== undefined) reading.variables.push({ name, value: assigned, start, end })
    else if (!['env', 'export', 'nohup'].includes(value)) break
    index += 1
  }
  const length = programLength(words.slice(index, index + 3).map((word) => word.value))
  const [first, last] = [words[index], words[index + length - 1]]
  if (length === 0 || first === undefined || last === undefined) return index
  reading.program = {
    words: words.slice(index, index + length).map((word) => word.value),
    start: first.start,
    end: last.end,
    kind: length === 2 ? 'vllm' : 'module',
  }
  return index + length
}

function programLength([program = '', second, third]: string[]): number {
  const name = program.split('/').at(-1) ?? ''
  if (second === 'serve' && (name === 'vllm' || program.includes('/'))) return 2
  return /^python[\d.]*$/.test(name) && second === '-m' && third === MODULE ? 3 : 0
}

function readArguments(reading: CommandReading, text: string, from: number) {
  const args = reading.words.slice(from)
  args.forEach((word) => {
    const last = reading.flags.at(-1)
    if (isFlagWord(word.value)) reading.flags.push(flagUse(word, text))
    else if (last !== undefined && !isInline(last)) {
      if (last.values.length === 0) last.valueStart = word.start
      last.values.push(word.value)
      last.end = word.end
      last.valueEnd = word.end
    } else if (reading.model === undefined && reading.program?.kind === 'vllm') reading.model = word
    else reading.stray.push(word)
  })
  const named = reading.flags.findLast((use) => use.flag === '--model' && use.values[0] !== undefined)
  if (reading.model === undefined && named !== undefined)
    reading.model = { value: named.values[0] ?? '', start: named.valueStart, end: named.valueEnd }
}

/** `--flag=value` is complete by itself. */
const isInline = (use: FlagUse) => use.written.includes('=')

function flagUse({ value, start, end }: CommandWord, text: string): FlagUse {
  const equals = value.startsWith('--') ? value.indexOf('=') : -1
  if (equals < 0) return { flag: fullFlag(value), written: value, values: [], start, end, valueStart: end, valueEnd: end }
  // In the source the `=` may stand behind quotes; then the whole word is what gets replaced.
  const source = text.slice(start, end).indexOf('=')
  const valueStart = start + source + 1
  return {
    flag: fullFlag(value.slice(0, equals)),
    written: value,
    values: [value.slice(equals + 1)],
    start,
    end,
    valueStart,
    valueEnd: end,
  }
}

/** The last one wins, as argparse has it. */
export const flagOf = (reading: CommandReading, flag: string): FlagUse | undefined =>
  reading.flags.findLast((use) => use.flag === flag)
