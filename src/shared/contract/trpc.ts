import { initTRPC, type TRPCError } from '@trpc/server'
import { type ErrorInfo, SpeedgridError } from '../model/error.ts'
import type { EngineApi } from './api.ts'
import type { CallLimit } from './call-limit.ts'

export interface RouterContext {
  api: EngineApi
  /** Unexpected errors are written down where the front door runs, and the person gets the id they stand under. */
  reportUnexpected(error: unknown, path: string | undefined): string
  /** Resolves when what was sent so far is on its way: a reader that is slow gets its changes folded instead of queued. */
  drained?(): Promise<void>
  /** How much this connection may ask for at once; without one (in memory) there is no limit. */
  calls?: CallLimit
}

/** What the renderer gets as `error.data.info`: code, cause, evidence, next step. */
function toInfo(error: TRPCError, path: string | undefined, context: RouterContext | undefined): ErrorInfo {
  if (error.cause instanceof SpeedgridError) return error.cause.toInfo()
  if (error.code === 'BAD_REQUEST') {
    return { code: 'usage', cause: 'The request was not understood.', evidence: [error.message.slice(0, 2000)] }
  }
  const id = context?.reportUnexpected(error.cause ?? error, path)
  return {
    code: 'internal',
    cause: 'Something unexpected went wrong inside Speedgrid.',
    evidence: id ? [`error id ${id}`] : [],
    nextStep: 'Details are in the log file of the data folder; Settings → Diagnostics collects them without secrets.',
  }
}

const t = initTRPC.context<RouterContext>().create({
  errorFormatter({ shape, error, path, ctx }) {
    const info = toInfo(error, path, ctx)
    // No stack, and no text but the one meant for people.
    return { ...shape, message: info.cause, data: { code: shape.data.code, httpStatus: shape.data.httpStatus, path, info } }
  },
})

export const router = t.router
export const procedure = t.procedure.use(async ({ ctx, type, next }) => {
  // A subscription is on its way for as long as it is read (`relay` in router.ts).
  const leave = type === 'subscription' ? undefined : ctx.calls?.enter()
  try {
    return await next()
  } finally {
    leave?.()
  }
})
