import { ASSIGNMENT, type CommandWord, createExpander, type Expander, type Problem } from './expand.ts'
import { fullFlag, isFlagWord, takenValues } from './flags.ts'
import { isProgramAt, readWrappers } from './programs.ts'
import { joinBareJson, type Repair, typographic, withPlainMarks, withQuotes } from './repairs.ts'
import { splitStatements, type Statement } from './statements.ts'
import { type ShellToken, shellTokens } from './words.ts'

/** A flag with what follows it, up to the next flag. */
export interface FlagUse {
  /** In full where flags.ts knows it, else as written. */
  flag: string
  written: string
  values: string[]
  start: number
  end: number
  /** Where its values stand; for `--flag=value` that is what follows the `=`. Equal for a flag without any. */
  valueStart: number
  valueEnd: number
  isShared: boolean
}

export interface VariableUse {
  name: string
  value: string
  start: number
  end: number
  /** False for one that is only there to be put in elsewhere in the text. */
  isExported: boolean
}

/** What a command says, each part with its place in the text. The text itself stays the truth. */
export interface CommandReading {
  /** Of every command of the text, the one that starts the server and those around it. */
  words: CommandWord[]
  variables: VariableUse[]
  /** `vllm serve`, or `python -m vllm.entrypoints.openai.api_server`; absent for a text that is neither. */
  program?: { words: string[]; start: number; end: number; kind: 'vllm' | 'module' }
  /** What follows the program. */
  args: CommandWord[]
  /** The positional word, or the value of `--model`. */
  model?: { value: string; start: number; end: number }
  flags: FlagUse[]
  /** Words that are neither flag nor value. */
  stray: CommandWord[]
  /** The environment that the text chooses: a path of `vllm`, or a name. */
  environment?: string
  /** Where the command that starts the server begins, and just behind its last word. */
  start: number
  end: number
  /** For the person, before the start: what was taken off, put in or read in another way than a shell does. */
  notes: string[]
  /** Why it can't be started as it stands. */
  problem?: Problem
  repairs: Repair[]
}

/** Never throws: of a half-typed command it says what is there so far. `given`: names of secrets that travel apart from the text. */
export function readCommand(text: string, given: readonly string[] = []): CommandReading {
  const tokens = commandTokens(text)
  const { list, redirections, carriedOn } = splitStatements(text, tokens)
  const expander = createExpander(given)
  const reading: CommandReading = {
    words: [],
    variables: [],
    args: [],
    flags: [],
    stray: [],
    start: 0,
    end: 0,
    notes: shapeNotes(text, tokens, carriedOn),
    repairs: [],
  }
  const problems: Problem[] = []
  readMarks(text, tokens, reading, problems)
  if (tokens.some((token) => token.isOpen)) {
    problems.push({ cause: 'the command has a quote that is not closed', nextStep: 'Close it, or take it out.' })
  }
  readStatements(text, list, { reading, expander, problems })
  if (redirections.length > 0) {
    reading.notes.push(`${redirections.join(' ')} was taken off: the log of the server is kept, and shown`)
  }
  for (const use of reading.variables) use.isExported ||= !expander.used.has(use.name)
  reading.notes.push(...new Set(expander.notes))
  const [problem] = [...problems, ...expander.problems]
  if (problem !== undefined) reading.problem = problem
  return reading
}

/** Where a text about a command has Markdown's marks, the command is what stands between them; nothing moves from its place. */
function commandTokens(text: string): ShellToken[] {
  const [, before = '', inner] = /^(\s*)`([^`\n]+)`\s*$/.exec(text) ?? []
  if (inner !== undefined) return shellTokens(`${before} ${inner}`)
  const [first, second] = [...text.matchAll(/^[ \t]*(?:```|~~~)/gm)].map(({ index }) => index)
  if (first === undefined) return shellTokens(text)
  const blank = (part: string) => part.replaceAll(/[^\n]/g, ' ')
  const lineEnd = second === undefined ? -1 : text.indexOf('\n', second)
  const end = lineEnd < 0 ? text.length : lineEnd
  return shellTokens(blank(text.slice(0, first)) + text.slice(first, end) + blank(text.slice(end)))
}

interface Work {
  reading: CommandReading
  expander: Expander
  problems: Problem[]
}

function readStatements(text: string, list: readonly Statement[], work: Work): void {
  const { reading, problems } = work
  const isMain = ({ words }: Statement) =>
    words.some((_word, at) =>
      isProgramAt(
        words.map(({ value }) => value),
        at,
      ),
    )
  const found = list.findIndex(isMain)
  // Of a text that starts no server the first command that is more than variables says what it is.
  const main =
    found >= 0 ? found : list.findIndex(({ words }) => words.some(({ value }) => !ASSIGNMENT.test(value) && value !== 'export'))
  list.forEach((statement, index) => {
    if (main >= 0 && index > main) return
    const json = joinBareJson(text, statement.words)
    const words = json.words.flatMap((word) => {
      const all = work.expander.words(word)
      const [, name, value] = ASSIGNMENT.exec(all[0]?.value ?? '') ?? []
      if (name !== undefined && value !== undefined) work.expander.set(name, value)
      return all
    })
    reading.words.push(...words)
    if (index !== main) return readBefore(text, words, list[index + 1], work)
    for (const { flag } of json.found) {
      reading.notes.push(`the JSON of ${flag} stands without quotes, which a shell would take apart: it was read as a whole`)
    }
    if (json.found.length > 0) reading.repairs.push({ label: 'Put the JSON in quotes', text: withQuotes(text, json.found) })
    readMain(text, words, work)
  })
  const behind = list.slice(main + 1)
  if (main < 0 || behind.length === 0) return
  reading.words.push(...behind.flatMap(({ words }) => words.map((word) => ({ ...word, isShared: false }))))
  if (behind.some(isMain)) {
    problems.push({ cause: 'the text starts more than one server', nextStep: 'Launch them one after the other.' })
    return
  }
  const shown = behind.map(({ words, joinedBy }) => {
    const rest = words.filter(({ value }) => !ASSIGNMENT.test(value))
    return `${joinedBy.trim()} ${rest[0]?.value ?? ''}${words.length > 1 ? ' …' : ''}`.trim()
  })
  reading.notes.push(`${shown.join(' ')} behind the command was taken off: it would run when the server has ended`)
}

/** What stands in front of the command: variables, an environment that is chosen. */
function readBefore(text: string, words: readonly CommandWord[], next: Statement | undefined, { reading, problems }: Work): void {
  const [first, second] = words.map(({ value }) => value)
  const isExport = first === 'export' || (first === 'declare' && second === '-x')
  const rest = isExport ? words.slice(1) : words
  if (rest.every(({ value }) => ASSIGNMENT.test(value) || (isExport && /^-?[A-Za-z_]\w*$/.test(value)))) {
    for (const word of rest) {
      const use = variableOf(word, isExport)
      if (use !== undefined) reading.variables.push(use)
      for (const known of reading.variables) if (isExport && known.name === word.value) known.isExported = true
    }
    return
  }
  if (first === 'set' || first === ':' || first === 'true') return
  const folder = first === 'source' || first === '.' ? /^([~/$].*)\/bin\/activate$/.exec(second ?? '')?.[1] : undefined
  const activated = /^(?:conda|mamba|micromamba)$/.test(first ?? '') && second === 'activate' ? words[2]?.value : undefined
  if (folder !== undefined || activated !== undefined) {
    reading.environment = folder === undefined ? (activated ?? '') : `${folder}/bin/vllm`
    reading.notes.push(
      `the environment is ${folder ?? activated ?? ''}, from ${first === '.' ? 'source' : (first ?? '')} in the text`,
    )
    return
  }
  const isEnvironment = /^(?:source|\.|conda|mamba|micromamba|module|pyenv|workon|spack)$/.test(first ?? '')
  problems.push({
    cause: `${first ?? ''} in front of the command is not carried out`,
    nextStep: isEnvironment
      ? 'Choose the environment of the host instead (--env, or Environment in the form), and leave this out.'
      : 'Leave it out, and write folders in full: the server starts in a folder of its own.',
  })
  const from = words[0]?.start ?? 0
  const to = next?.words[0]?.start ?? words.at(-1)?.end ?? from
  reading.repairs.push({ label: `Leave out ${first ?? 'it'}`, text: text.slice(0, from) + text.slice(to) })
}

function readMain(text: string, words: CommandWord[], { reading, problems }: Work): void {
  const head = readWrappers(words)
  reading.start = words[0]?.start ?? 0
  reading.end = words.at(-1)?.end ?? reading.start
  for (const word of head.assignments) {
    const use = variableOf(word, true)
    if (use !== undefined) reading.variables.push(use)
  }
  reading.notes.push(...head.notes)
  if (head.environment !== undefined) reading.environment = head.environment
  if (head.problem !== undefined) problems.push(head.problem)
  if (head.leaveOut !== undefined) {
    const { start, end } = head.leaveOut
    reading.repairs.push({
      label: `Leave out ${text.slice(start, end).trim().split(/\s+/).slice(0, 2).join(' ')}`,
      text: text.slice(0, start) + text.slice(end),
    })
  }
  if (head.program !== undefined) reading.program = head.program
  reading.args = head.rest
  readArguments(reading, text)
}

function variableOf({ value, start, end }: CommandWord, isExported: boolean): VariableUse | undefined {
  const [, name, assigned] = ASSIGNMENT.exec(value) ?? []
  return name === undefined || assigned === undefined ? undefined : { name, value: assigned, start, end, isExported }
}

function readArguments(reading: CommandReading, text: string): void {
  const isPositional = reading.program?.kind === 'vllm'
  for (const word of reading.args) {
    const last = reading.flags.at(-1)
    if (isFlagWord(word.value)) reading.flags.push(flagUse(word, text))
    else if (last !== undefined && takesMore(last, isPositional && reading.model === undefined)) {
      if (last.values.length === 0) last.valueStart = word.start
      last.values.push(word.value)
      last.end = word.end
      last.valueEnd = word.end
      last.isShared ||= word.isShared
    } else if (reading.model === undefined && isPositional) reading.model = word
    else reading.stray.push(word)
  }
  const named = reading.flags.findLast((use) => use.flag === '--model' && use.values[0] !== undefined)
  if (reading.model === undefined && named !== undefined)
    reading.model = { value: named.values[0] ?? '', start: named.valueStart, end: named.valueEnd }
}

/** `--flag=value` is complete by itself. While the model is still to come, a flag takes what vLLM's own takes; then all up to the next. */
function takesMore(use: FlagUse, isModelToCome: boolean): boolean {
  if (use.written.includes('=')) return false
  const takes = takenValues(use.flag)
  return takes === 'many' || !isModelToCome || (takes === 'one' && use.values.length === 0)
}

function flagUse({ value, start, end, isShared }: CommandWord, text: string): FlagUse {
  const equals = value.startsWith('--') ? value.indexOf('=') : -1
  if (equals < 0)
    return { flag: fullFlag(value), written: value, values: [], start, end, valueStart: end, valueEnd: end, isShared }
  // In the source the `=` may stand behind quotes; then the whole word is what gets replaced.
  const valueStart = start + text.slice(start, end).indexOf('=') + 1
  return {
    flag: fullFlag(value.slice(0, equals)),
    written: value,
    values: [value.slice(equals + 1)],
    start,
    end,
    valueStart,
    valueEnd: end,
    isShared,
  }
}

/** The last one wins, as argparse has it. */
export const flagOf = (reading: CommandReading, flag: string): FlagUse | undefined =>
  reading.flags.findLast((use) => use.flag === flag)

/** What of the text's shape was read in another way than a shell does. */
function shapeNotes(text: string, tokens: readonly ShellToken[], carriedOn: readonly ShellToken[]): string[] {
  const inWord = (at: number) => tokens.some(({ kind, start, end }) => kind === 'word' && start < at && at < end)
  const notes: string[] = []
  if (tokens.some(({ kind }) => kind === 'skipped')) notes.push('prompts and Markdown marks around the command were left out')
  const late = /\\[^\S\r\n]+\r?\n/g
  if ([...text.matchAll(late)].some(({ index }) => !inWord(index))) {
    notes.push('a \\ with blanks behind it was read as if it stood at the end of its line')
  }
  if (carriedOn.length > 0)
    notes.push(`the line breaks without \\ in front of ${carriedOn[0]?.value.split('=')[0] ?? ''} were read as blanks`)
  if ([...text.matchAll(/[^\S \t\r\n]|\u200b/g)].some(({ index }) => !inWord(index)))
    notes.push('odd spaces were read as plain ones')
  return notes
}

function readMarks(text: string, tokens: readonly ShellToken[], reading: CommandReading, problems: Problem[]): void {
  const odd = typographic(tokens)
  if (odd.length === 0) return
  problems.push({
    cause: 'the command holds quotes or dashes of a text processor (“ ” ‘ ’ –), which a shell reads as letters',
    nextStep: `Write it with plain ones: ${odd.length === 1 ? 'one word' : `${String(odd.length)} words`} of it.`,
  })
  reading.repairs.push({ label: 'Write plain quotes and dashes', text: withPlainMarks(text, odd) })
}
