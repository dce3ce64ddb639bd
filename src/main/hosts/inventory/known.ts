/** Leaves out what is undefined: an absent fact is absent, not a key without a value. */
export function known<T extends object>(facts: T): T {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as T
}
