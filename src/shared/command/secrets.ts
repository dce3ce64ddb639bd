import { isSecretVariable, REDACTED, redactCommand, redactWords, variableForFlag } from '../secrets/index.ts'
import { removeUse, setVariable } from './edit.ts'
import { readCommand } from './reading.ts'
import { shellTokens } from './words.ts'

/** A secret that travels apart from the text of its command, to the server's environment; without a value where it has to be given again. */
export interface CommandSecret {
  name: string
  value?: string | undefined
}

/** A command on its way: its text carries no secret that a variable can carry. */
export interface CommandText {
  text: string
  secrets: readonly CommandSecret[]
}

/** Every server gets one of its own where none is given. */
export const API_KEY = 'VLLM_API_KEY'

/** Places in the text that hold a secret: they are shown as dots. */
export function secretSpans(text: string): { start: number; end: number }[] {
  const { variables, flags, words } = readCommand(text)
  const spans = [
    ...variables
      .filter(({ name, value }) => isGiven(value) && isSecretVariable(name, value))
      .map(({ name, start, end }) => ({ start: start + name.length + 1, end })),
    ...flags
      .filter((use) => variableForFlag(use.flag) !== undefined && use.values.some(isGiven))
      .map((use) => ({ start: use.valueStart, end: use.valueEnd })),
  ]
  const shown = redactWords(words.map((word) => word.value))
  const others = words.filter(
    ({ start, end, value }, index) => shown[index] !== value && !spans.some((span) => span.start < end && start < span.end),
  )
  return [...spans, ...others].map(({ start, end }) => ({ start, end })).sort((a, b) => a.start - b.start)
}

/** Not where it was taken out, nor where only its name is written (`HF_TOKEN=$HF_TOKEN`). */
const isGiven = (value: string) => value !== '' && value !== REDACTED && !/^\$\{?\w+\}?$/.test(value)

/** Secrets leave the text for the environment. `<redacted>` (a command from a report, or a saved one) becomes a value to be given again. */
export function takeSecrets(text: string): { text: string; secrets: { name: string; value: string }[] } {
  const reading = readCommand(text)
  const secrets = new Map<string, string>()
  const flags = reading.flags.flatMap(({ flag, values, start, end, isShared }) => {
    const name = variableForFlag(flag)
    // Several values may hide the model behind --api-key: the engine says so.
    return name === undefined || values.length !== 1 || isShared
      ? []
      : [{ name, value: values[0] ?? '', start, end, isVariable: false }]
  })
  // A variable that is put into a secret flag holds the secret, whatever it is called.
  const lent = new Set(flags.map(({ value }) => value).filter(isGiven))
  const variables = reading.variables
    .filter(({ name, value }) => isSecretVariable(name, value) || value === REDACTED || lent.has(value))
    .map(({ name, value, start, end, isExported }) => ({ name, value, start, end, isVariable: true, isExported }))
  const uses = [...variables, ...flags].filter(({ value }) => value !== '').sort((a, b) => a.start - b.start)
  for (const use of uses) {
    const value = isGiven(use.value) ? use.value : ''
    if ('isExported' in use && !use.isExported && lent.has(use.value)) continue
    // Every server gets a key of its own: one that is only known to have been there isn't asked for again.
    if (value !== '' || use.name !== API_KEY || use.value !== REDACTED) secrets.set(use.name, value)
  }
  const rest = uses.reduceRight(
    (left, use) => (use.isVariable ? setVariable(left, use.name, undefined) : removeUse(left, use)),
    text,
  )
  return { text: withoutCommentedSecrets(rest), secrets: [...secrets].map(([name, value]) => ({ name, value })) }
}

function withoutCommentedSecrets(text: string): string {
  return shellTokens(text)
    .filter(({ kind }) => kind === 'comment')
    .reduceRight((rest, { start, end, value }) => rest.slice(0, start) + redactCommand(value) + rest.slice(end), text)
}

/** For saving and showing: that there is a secret, not which. */
export function withRedacted(text: string, secrets: readonly CommandSecret[]): string {
  const { start } = readCommand(text)
  return text.slice(0, start) + secrets.map(({ name }) => `${name}=${REDACTED} `).join('') + text.slice(start)
}

/** Whether two commands say the same: their texts, and the names of their secrets. The API key is not one of them. */
export function isSameCommand(one: CommandText, other: CommandText): boolean {
  const [first, second] = [one, other].map(({ text, secrets }) => {
    const taken = takeSecrets(text)
    const names = [...taken.secrets, ...secrets].map(({ name }) => name).filter((name) => name !== API_KEY)
    return JSON.stringify([taken.text.trim(), [...new Set(names)].sort()])
  })
  return first === second
}
