import { hostname } from 'node:os'
import { isAbsolute, join } from 'node:path'

export interface ExpandContext {
  alias: string
  hostName: string
  user: string
  port: number
  localUser: string
  homeDir: string
  env: Record<string, string | undefined>
}

/** Replaces %x by its value and %% by a percent sign; tokens without a value stay as they are. */
export function expandTokens(text: string, tokens: Record<string, string>): string {
  return text.replaceAll(/%(.)/g, (whole, letter: string) => (letter === '%' ? '%' : (tokens[letter] ?? whole)))
}

/** A path of ssh_config: `~`, ${VARIABLES} and the tokens of ssh_config(5) that name files; relative to the home folder. */
export function expandPath(path: string, context: ExpandContext): string {
  const localName = hostname()
  const tokens = {
    d: context.homeDir,
    h: context.hostName,
    i: String(process.getuid?.() ?? ''),
    k: context.alias,
    L: localName.split('.')[0] ?? localName,
    l: localName,
    n: context.alias,
    p: String(context.port),
    r: context.user,
    u: context.localUser,
  }
  const home = path === '~' || path.startsWith('~/') ? join(context.homeDir, path.slice(1)) : path
  const withEnv = home.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (whole, name: string) => context.env[name] ?? whole)
  const expanded = expandTokens(withEnv, tokens)
  return isAbsolute(expanded) ? expanded : join(context.homeDir, expanded)
}
