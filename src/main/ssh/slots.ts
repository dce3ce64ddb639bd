/** A fair limit of how many things run at once. `take` resolves with how to give the slot back. */
export interface Slots {
  take(): Promise<() => void>
}

export function createSlots(count: number): Slots {
  let free = count
  const queue: (() => void)[] = []
  const grant = () => {
    let returned = false
    return () => {
      if (returned) return
      returned = true
      const next = queue.shift()
      if (next) next()
      else free++
    }
  }
  return {
    take() {
      if (free > 0) {
        free--
        return Promise.resolve(grant())
      }
      return new Promise((resolve) => queue.push(() => resolve(grant())))
    },
  }
}
