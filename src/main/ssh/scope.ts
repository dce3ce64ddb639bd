import { AsyncLocalStorage } from 'node:async_hooks'

/** Whoever can be ended in place of the whole program when something is thrown where nobody catches it. */
export interface Owner {
  /** False where it is over already: then the error is somebody else's. */
  end(error: unknown): boolean
}

const owners = new AsyncLocalStorage<Owner>()

/** Sockets, timers and callbacks that `act` makes, and those that come of them, belong to this owner. */
export const inScopeOf = <Value>(owner: Owner, act: () => Value): Value => owners.run(owner, act)

/**
 * For the last handler of a program (`uncaughtException`): an error thrown in a callback of the library that belongs to one connection
 * ends that connection and nothing else. False where it belongs to none that is open.
 */
export const endConnectionOf = (error: unknown): boolean => owners.getStore()?.end(error) ?? false
