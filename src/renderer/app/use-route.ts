import { useSyncExternalStore } from 'react'
import { hrefOf, parseRoute, type Route } from './routes.ts'

const subscribe = (changed: () => void) => {
  window.addEventListener('hashchange', changed)
  return () => {
    window.removeEventListener('hashchange', changed)
  }
}

let parsed: { hash: string; route: Route } | undefined
/** The same object for the same hash, as useSyncExternalStore needs it. */
function currentRoute(): Route {
  const { hash } = window.location
  if (parsed?.hash !== hash) parsed = { hash, route: parseRoute(hash) }
  return parsed.route
}

export const useRoute = (): Route => useSyncExternalStore(subscribe, currentRoute)

export function navigate(route: Route, how: 'push' | 'replace' = 'push') {
  const href = hrefOf(route)
  if (how === 'push') window.location.hash = href
  else window.location.replace(href)
}
