import { SpeedgridError } from '../../shared/model/error.ts'

interface Target {
  address: string
  user?: string
  port?: number
}

/** `[user@]address[:port]`, also `ssh://…` and `[::1]:2222`; an address without a port is kept as it is, for it may be an alias. Throws usage. */
export function parseTarget(text: string): Target {
  const wrong = (why: string) =>
    new SpeedgridError('usage', `"${text}" is not an SSH address: ${why}`, {
      nextStep: 'Write [user@]address[:port], or the name of a Host in ~/.ssh/config.',
    })
  const bare = text
    .trim()
    .replace(/^ssh:\/\//, '')
    .replace(/\/$/, '')
  const at = bare.lastIndexOf('@')
  const user = at < 0 ? undefined : bare.slice(0, at)
  const rest = bare.slice(at + 1)
  if (user === '') throw wrong('nothing stands before the @.')
  if (user !== undefined && /[\s:]/.test(user))
    throw wrong('a user name has no space or colon (passwords are asked for, never written).')
  const match =
    /^\[([^\]]+)\](?::(\d+))?$/.exec(rest) ?? (rest.split(':').length > 2 ? [rest, rest] : /^([^:]+)(?::(\d+))?$/.exec(rest))
  const address = match?.[1]
  if (address === undefined || address === '') throw wrong('the address is missing or the port is not a number.')
  if (/\s/.test(address) || address.startsWith('-')) throw wrong('an address has no spaces and does not begin with a dash.')
  const port = match?.[2] === undefined ? undefined : Number(match[2])
  if (port !== undefined && (port < 1 || port > 65_535)) throw wrong('a port is between 1 and 65535.')
  return { address, ...(user === undefined ? {} : { user }), ...(port === undefined ? {} : { port }) }
}
