import { REDACTED, redactText, redactWords } from '../../shared/format/index.ts'

/** Whether an environment variable is treated as a secret: by its name (HF_TOKEN, AWS_SECRET_ACCESS_KEY …) or by how its value looks. */
export function isSecretVariable(name: string, value: string): boolean {
  const word = `${name}=${value}`
  return value === REDACTED || (value !== '' && redactWords([word])[0] !== word)
}

/** A function that takes known secret values, and what looks like one, out of any text (log lines, error messages). */
export function createRedactor(values: Iterable<string>): (text: string) => string {
  // Shorter ones would turn ordinary text into holes, and no key of ours is that short.
  const known = [...values].filter((value) => value.length >= 4).sort((a, b) => b.length - a.length)
  return (text) => redactText(known.reduce((rest, value) => rest.replaceAll(value, REDACTED), text))
}
