import { isFlagWord } from './flags.ts'
import { quoteForPeople as quoted, writeCommand } from './quote.ts'
import { type CommandReading, flagOf, type FlagUse, readCommand } from './reading.ts'

/*
 * Edits of a command's text from the form beside it. Each one touches only what it is about: comments, line breaks, the order and the
 * spelling of everything else stay as the person wrote them.
 */

/** Sets the value(s) of a flag; an empty list makes it a flag without a value, undefined takes every use of it out. */
export function setFlag(text: string, flag: string, values: readonly string[] | undefined): string {
  if (values === undefined) {
    const uses = readCommand(text).flags.filter((use) => use.flag === flag && !use.isShared)
    return uses.reduceRight((rest, use) => cutWord(rest, use), text)
  }
  const reading = readCommand(text)
  const use = flagOf(reading, flag)
  // The last one wins, so a flag that came out of a variable is overruled by one behind it.
  if (use === undefined || use.isShared) return append(text, reading, [flag, ...values.map(valueWord)].join(' '))
  const source = text.slice(use.valueStart, use.valueEnd)
  const isInline = use.written.includes('=')
  // Several values don't fit behind an `=`.
  if (isInline && (values.length !== 1 || !text.slice(use.start, use.valueStart).endsWith('='))) {
    return splice(text, use.start, use.end, [use.flag, ...values.map(valueWord)].join(' '))
  }
  const next = values.map(valueWord).join(' ')
  if (source === next) return text
  if (next === '') return cut(text, use.valueStart, use.valueEnd)
  return splice(text, use.valueStart, use.valueEnd, use.valueStart === use.valueEnd && !isInline ? ` ${next}` : next)
}

/** A value that looks like a flag would be read as one. */
const valueWord = (value: string) => quoted(isFlagWord(value) ? value.replace(/^-+/, '') : value)

export function removeUse(text: string, use: Pick<FlagUse, 'start' | 'end'>): string {
  return cutWord(text, use)
}

export function setModel(text: string, model: string): string {
  const reading = readCommand(text)
  if (reading.model !== undefined) {
    if (model === '') return cut(text, reading.model.start, reading.model.end)
    return splice(text, reading.model.start, reading.model.end, quoted(model))
  }
  if (model === '') return text
  if (reading.program === undefined) return text.trim() === '' ? `vllm serve ${quoted(model)}` : text
  if (reading.program.kind === 'module') return append(text, reading, `--model ${quoted(model)}`)
  return splice(text, reading.program.end, reading.program.end, ` ${quoted(model)}`)
}

/** Adds or changes an environment variable in front of the command; undefined takes it out. */
export function setVariable(text: string, name: string, value: string | undefined): string {
  const reading = readCommand(text)
  const uses = reading.variables.filter((use) => use.name === name)
  const last = uses.at(-1)
  if (value === undefined) return uses.reduceRight((rest, use) => cutVariable(rest, use), text)
  const word = `${name}=${value === '' ? '' : quoted(value)}`
  if (last !== undefined) return splice(text, last.start, last.end, word)
  const before = reading.variables.at(-1)
  if (before !== undefined) return splice(text, before.end, before.end, ` ${word}`)
  const at = reading.program?.start ?? reading.words[0]?.start ?? text.length
  return splice(text, at, at, `${word} `)
}

/** The whole command anew: variables, program and model first, then a flag a line. Comments and prompts are gone. */
export function tidy(text: string): string {
  const { variables, program, model, flags, stray, environment, problem } = readCommand(text)
  // What can't be launched, or chooses its environment in words of its own, would lose a part of what it says.
  if (program === undefined || environment !== undefined || problem !== undefined) return text
  const positional = model !== undefined && !flags.some((use) => use.valueStart === model.start) ? [model.value] : []
  return writeCommand([
    ...variables.filter(({ isExported }) => isExported).map(({ name, value }) => [`${name}=${value}`]),
    [...program.words, ...positional, ...stray.map((word) => word.value)],
    ...flags.map((use) => [use.written, ...(use.written.includes('=') ? [] : use.values)]),
  ])
}

function append(text: string, reading: CommandReading, words: string): string {
  const isMultiLine = /\\\r?\n/.test(text.slice(0, reading.end))
  return splice(text, reading.end, reading.end, `${isMultiLine ? ' \\\n  ' : reading.end === 0 ? '' : ' '}${words}`)
}

const splice = (text: string, start: number, end: number, middle: string) => text.slice(0, start) + middle + text.slice(end)

const cutWord = (text: string, { start, end }: { start: number; end: number }) => cut(text, start, end)

/** Takes a word out together with the room (and the continuation) in front of it. */
function cut(text: string, start: number, end: number): string {
  const before = /(?<!\s|\\(?=\r?\n))(?:\s|\\(?=\r?\n))*$/.exec(text.slice(0, start))?.[0] ?? ''
  const from = start - before.length
  // At the front of the text, and behind a comment, what follows moves up instead.
  const isBehindComment = /(?:^|\n)[^\S\n]*#[^\n]*$/.test(text.slice(0, from))
  if (from > 0 && !isBehindComment) return text.slice(0, from) + text.slice(end)
  return text.slice(0, start) + text.slice(end).replace(/^(?:[^\S\n]|\\\r?\n)+/, '')
}

function cutVariable(text: string, use: { start: number; end: number }): string {
  const exported = /(^|\n)[^\S\n]*export[^\S\n]+$/.exec(text.slice(0, use.start))
  const restOfLine = /^[^\S\n]*(?:\n|$)/.exec(text.slice(use.end))
  if (exported === null || restOfLine === null) {
    const after = text.slice(use.end).replace(/^(?:[^\S\n]|\\\r?\n)+/, '')
    return text.slice(0, use.start) + after
  }
  return text.slice(0, exported.index + (exported[1]?.length ?? 0)) + text.slice(use.end + restOfLine[0].length)
}
