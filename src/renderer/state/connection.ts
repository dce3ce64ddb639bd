import { createStore, type StoreApi } from 'zustand/vanilla'

/** The way to the engine as the banner shows it. `since` is Unix ms. */
export interface ConnectionState {
  state: 'connecting' | 'up' | 'gone'
  since: number
}
export type ConnectionStore = StoreApi<ConnectionState>

export const createConnectionStore = (): ConnectionStore =>
  createStore<ConnectionState>()(() => ({ state: 'connecting', since: Date.now() }))
