import { PAGE_KEY_NAME } from '../../shared/contract/page-key.ts'

/** What the one-time link has left with this origin; undefined where it was never opened here, or the browser keeps nothing. */
export function readPageKey(): string | undefined {
  try {
    return localStorage.getItem(PAGE_KEY_NAME) ?? undefined
  } catch {
    return undefined
  }
}
