import { isSecretVariable, REDACTED, redactWords, variableForFlag } from '../../../../shared/secrets/index.ts'
import { removeUse, setVariable } from './edit.ts'
import { readCommand } from './model.ts'
import { quoted } from './words.ts'

/** A secret on its way to the server's environment. Held in memory only; empty where it has to be given again. */
export interface LaunchSecret {
  name: string
  value: string
}

/** Places in the text that hold a secret: they are shown as dots. */
export function secretSpans(text: string): { start: number; end: number }[] {
  const { variables, flags, words } = readCommand(text)
  const spans = [
    ...variables
      .filter(({ name, value }) => value !== '' && value !== REDACTED && isSecretVariable(name, value))
      .map(({ name, start, end }) => ({ start: start + name.length + 1, end })),
    ...flags
      .filter((use) => variableForFlag(use.flag) !== undefined && use.values.some((value) => value !== REDACTED && value !== ''))
      .map((use) => ({ start: use.valueStart, end: use.valueEnd })),
  ]
  const shown = redactWords(words.map((word) => word.value))
  const others = words.filter(
    ({ start, end, value }, index) => shown[index] !== value && !spans.some((span) => span.start < end && start < span.end),
  )
  return [...spans, ...others].map(({ start, end }) => ({ start, end })).sort((a, b) => a.start - b.start)
}

/** Secrets leave the text for the environment. `<redacted>` (a command from a report, or a saved one) becomes a value to be given again. */
export function takeSecrets(text: string): { text: string; secrets: LaunchSecret[] } {
  const reading = readCommand(text)
  const secrets = new Map<string, string>()
  let rest = text
  const uses = [
    ...reading.variables
      .filter(({ name, value }) => isSecretVariable(name, value) || value === REDACTED)
      .map(({ name, value, start, end }) => ({ name, value, start, end, isVariable: true })),
    ...reading.flags.flatMap(({ flag, values, start, end }) => {
      const name = variableForFlag(flag)
      // Several values may hide the model behind --api-key: the engine says so.
      return name === undefined || values.length !== 1 ? [] : [{ name, value: values[0] ?? '', start, end, isVariable: false }]
    }),
  ].sort((a, b) => a.start - b.start)
  for (const use of uses) {
    if (use.value === '') continue
    const value = use.value === REDACTED ? '' : use.value
    // Every server gets a key of its own: one that is only known to have been there isn't asked for again.
    if (value !== '' || use.name !== 'VLLM_API_KEY') secrets.set(use.name, value)
  }
  for (const use of uses.toReversed()) {
    if (use.value === '') continue
    rest = use.isVariable ? setVariable(rest, use.name, undefined) : removeUse(rest, use)
  }
  return { text: rest, secrets: [...secrets].map(([name, value]) => ({ name, value })) }
}

/** The command as it goes to the engine, which moves the secrets to the server's standard input. */
export function withSecrets(text: string, secrets: readonly LaunchSecret[]): string {
  const given = secrets.filter(({ value }) => value !== '').map(({ name, value }) => `${name}=${quoted(value)} `)
  const at = readCommand(text).words[0]?.start ?? 0
  return text.slice(0, at) + given.join('') + text.slice(at)
}

/** For saving and showing: that there is a secret, not which. */
export function withRedacted(text: string, secrets: readonly LaunchSecret[]): string {
  const at = readCommand(text).words[0]?.start ?? 0
  return text.slice(0, at) + secrets.map(({ name }) => `${name}=${REDACTED} `).join('') + text.slice(at)
}
