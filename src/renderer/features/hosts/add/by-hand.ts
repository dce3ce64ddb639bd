import { z } from 'zod'
import { countText } from '../../../../shared/format/index.ts'
import { addHostInput } from '../../../../shared/contract/hosts.ts'

export interface ByHandValues {
  target: string
  name: string
  identityFile: string
}

const targetSchema = addHostInput.shape.target
  .refine((text) => !/\s/.test(text), 'An address has no spaces in it.')
  .refine(
    (text) => /^(?:[^@\s]+@)?(?:\[[0-9a-fA-F:.]+\]|[^\s@:[\]]+|[0-9a-fA-F:]+)(?::\d+)?$/.test(text),
    'Write user@address:port; user and port may be left out.',
  )
  .refine((text) => {
    const port = /(?:\]|^[^:]*):(\d+)$/.exec(text)?.[1]
    return port === undefined || (Number(port) >= 1 && Number(port) <= 65_535)
  }, 'A port is a number from 1 to 65535.')
const pathSchema = z.string().max(4096, 'At most 4,096 characters.')

/** The message beside each field that has something wrong; fields that are fine are absent. */
export function checkByHand(
  { target, name, identityFile }: ByHandValues,
  taken: readonly string[],
): Partial<Record<keyof ByHandValues, string>> {
  const messages: Partial<Record<keyof ByHandValues, string>> = {}
  const address =
    target.trim() === ''
      ? 'Where is it? An address, a name in DNS, or an alias of ~/.ssh/config.'
      : firstMessage(targetSchema, target.trim())
  const nameProblem = nameMessage(name.trim(), taken)
  const fileProblem = firstMessage(pathSchema, identityFile.trim())
  if (address !== undefined) messages.target = address
  if (nameProblem !== undefined) messages.name = nameProblem
  if (fileProblem !== undefined) messages.identityFile = fileProblem
  return messages
}

function nameMessage(name: string, taken: readonly string[]): string | undefined {
  if (name === '') return 'What do you call it? Letters, digits, dot, dash and underscore.'
  if (taken.includes(name)) return 'There is a host of this name already.'
  return addHostInput.shape.name.safeParse(name).success
    ? undefined
    : 'Letters, digits, dot, dash and underscore, up to 100; it can’t start with a dot or dash.'
}

const firstMessage = (schema: z.ZodType, value: string): string | undefined => {
  const result = schema.safeParse(value)
  if (result.success) return undefined
  const [issue] = result.error.issues
  return issue?.code === 'too_big' ? `At most ${countText(Number(issue.maximum))} characters.` : issue?.message
}

/** `ann@lab-3.example:2222` → `lab-3`; an IP address stays whole. */
export function suggestName(target: string): string {
  const host = target
    .trim()
    .replace(/^[^@]*@/, '')
    .replace(/:\d*$/, '')
  const name = /^[\d.]+$/.test(host) ? host : (host.split('.')[0] ?? '')
  return name
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[^A-Za-z0-9_]+/, '')
    .slice(0, 100)
}
