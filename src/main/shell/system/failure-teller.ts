import { dialog } from 'electron'
import type { ErrorInfo } from '../../../shared/model/error.ts'

/** Why the engine does not start. A failure that lasts is told once, not at each new try. */
export function createFailureTeller() {
  let told = false
  return {
    /** It is up: the next failure is another one. */
    reset() {
      told = false
    },
    tell({ cause, evidence, nextStep }: ErrorInfo) {
      if (told) return
      told = true
      const detail = [evidence.join('\n'), nextStep].filter((part) => part !== undefined && part !== '').join('\n\n')
      void dialog.showMessageBox({
        type: 'error',
        title: 'Speedgrid',
        message: `The engine does not start: ${cause}`,
        detail,
        noLink: true,
      })
    },
  }
}
