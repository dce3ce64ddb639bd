/** Listeners of one kind of event. One that throws is its owner's problem, not the others'. */
export interface Emitter<Event> {
  emit: (event: Event) => void
  on: (listener: (event: Event) => void) => () => void
  /** How many listen now. */
  readonly size: number
}

export function createEmitter<Event>(): Emitter<Event> {
  // Entries, not functions: the same listener may be there twice.
  const entries = new Set<{ listener: (event: Event) => void }>()
  return {
    emit(event) {
      for (const entry of Array.from(entries)) {
        try {
          entry.listener(event)
        } catch (error) {
          queueMicrotask(() => {
            throw error
          })
        }
      }
    },
    on(listener) {
      const entry = { listener }
      entries.add(entry)
      return () => void entries.delete(entry)
    },
    get size() {
      return entries.size
    },
  }
}
