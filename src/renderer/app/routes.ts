/** Where a person can be. The hash of the address says it, so that reload, bookmark and second window come to the same place. */
export type Route =
  | { screen: 'hosts'; host?: string }
  | { screen: 'launch'; launchId?: string; host?: string; server?: string; command?: string }
  | { screen: 'sweep'; runId?: string; host?: string; server?: string }
  | { screen: 'cell'; runId: string; contextTokens: number; concurrency: number }
  | { screen: 'history'; runId?: string; search?: string }
  | { screen: 'report'; runId?: string }
  | { screen: 'settings'; section?: string }
export type ScreenName = Route['screen']

/** `#/launch/<id>?host=…` and so on; everything a person or a host named is percent-encoded. */
export function hrefOf(route: Route): string {
  const { path, query } = partsOf(route)
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== '')
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
  return `#/${[route.screen, ...path.filter((part) => part !== undefined)].map(encodeURIComponent).join('/')}${search}`
}

function partsOf(route: Route): { path: (string | undefined)[]; query: Record<string, string | undefined> } {
  switch (route.screen) {
    case 'hosts':
      return { path: [route.host], query: {} }
    case 'launch':
      return { path: [route.launchId], query: { host: route.host, server: route.server, command: route.command } }
    case 'sweep':
      return { path: [route.runId], query: { host: route.host, server: route.server } }
    case 'cell':
      return { path: [route.runId, String(route.contextTokens), String(route.concurrency)], query: {} }
    case 'history':
      return { path: [route.runId], query: { search: route.search } }
    case 'report':
      return { path: [route.runId], query: {} }
    case 'settings':
      return { path: [route.section], query: {} }
  }
}

/** Anything that is no address of ours leads to the hosts. */
export function parseRoute(hash: string): Route {
  const [pathText = '', queryText = ''] = hash.replace(/^#?\/?/, '').split('?')
  const [screen = '', first, second, third] = pathText.split('/').map(decoded)
  const query = new URLSearchParams(queryText)
  const asked = (name: string) => query.get(name) ?? undefined
  const one = first === undefined || first === '' ? undefined : first
  switch (screen) {
    case 'launch':
      return compact({ screen, launchId: one, host: asked('host'), server: asked('server'), command: asked('command') })
    case 'sweep':
      return compact({ screen, runId: one, host: asked('host'), server: asked('server') })
    case 'cell': {
      const contextTokens = Number(second)
      const concurrency = Number(third)
      if (one === undefined || !Number.isInteger(contextTokens) || !Number.isInteger(concurrency)) return { screen: 'history' }
      return { screen, runId: one, contextTokens, concurrency }
    }
    case 'history':
      return compact({ screen, runId: one, search: asked('search') })
    case 'report':
      return compact({ screen, runId: one })
    case 'settings':
      return compact({ screen, section: one })
    default:
      return compact({ screen: 'hosts', host: screen === 'hosts' ? one : undefined })
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

type Compact<Value> = { [Key in keyof Value]: Exclude<Value[Key], undefined> }
const compact = <Value extends object>(value: Value) =>
  Object.fromEntries(Object.entries(value).filter(([, it]) => it !== undefined)) as Compact<Value>
