import { powerSaveBlocker } from 'electron'

/** Keeps the machine from sleeping while, and only while, it is needed. The screen may go dark. */
export function createKeepAwake() {
  let blocker: number | undefined
  return {
    set(needed: boolean) {
      if (needed && blocker === undefined) blocker = powerSaveBlocker.start('prevent-app-suspension')
      if (!needed && blocker !== undefined) {
        powerSaveBlocker.stop(blocker)
        blocker = undefined
      }
    },
  }
}
