import { TRPCClientError } from '@trpc/client'
import { type ErrorInfo, errorInfoSchema, SpeedgridError } from '../../shared/model/error.ts'

/** Whatever was thrown, as cause, evidence and next step. */
export function toErrorInfo(thrown: unknown): ErrorInfo {
  if (thrown instanceof SpeedgridError) return thrown.toInfo()
  if (thrown instanceof TRPCClientError) {
    const data: unknown = thrown.data
    const parsed = errorInfoSchema.safeParse((data as { info?: unknown } | null | undefined)?.info)
    if (parsed.success) return parsed.data
    return {
      code: 'link_lost',
      cause: 'The engine did not answer.',
      evidence: [thrown.message],
      nextStep: 'It is being reconnected; try again when the banner is gone.',
    }
  }
  return {
    code: 'internal',
    cause: 'Something unexpected went wrong in this window.',
    evidence: [thrown instanceof Error ? thrown.message : String(thrown)],
    nextStep: 'Reload with Ctrl+R; nothing measured is lost.',
  }
}
