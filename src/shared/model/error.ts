import { z } from 'zod'
import { redactText } from '../secrets/redactor.ts'

/** The closed set of domain errors. The command line maps each to an exit code, the window to an icon; the text is never parsed. */
export const ERROR_CODES = [
  'usage', // a wrong option or argument
  'plan', // the plan itself can't be carried out (typo, context that can't fit)
  'unknown_host', // no such host in our list
  'unreachable', // DNS, TCP, SSH transport
  'host_key_unknown', // never seen, and nobody there to ask
  'host_key_changed', // known under another key, or revoked
  'auth', // no offered way of authentication was accepted
  'link_lost', // the SSH connection broke while it was needed
  'remote', // a command on the host failed
  'no_vllm',
  'no_node', // no Node ≥ 20 on the host, and none may be brought
  'disk_full',
  'read_only',
  'file_limit', // this machine's own limit of open files
  'server_failed', // the server did not start
  'server_gone', // the server died or stopped answering
  'unauthorized', // the server answered 401 or 403
  'http', // the server answered with an unexpected status or body
  'protocol', // the stream broke the protocol (cut, error event, no usage where one is needed)
  'not_found', // a run, server or file that isn't there
  'conflict', // somebody else owns it now (lease), or it exists already
  'interrupted', // the person stopped it
  'internal', // a bug of ours
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

/** What the person is told: the cause in one sentence, the evidence as it was seen, and what to do next. */
export const errorInfoSchema = z.object({
  code: z.enum(ERROR_CODES),
  cause: z.string(),
  evidence: z.array(z.string()).default([]),
  nextStep: z.string().optional(),
})
export type ErrorInfo = z.infer<typeof errorInfoSchema>

/** A domain error. Its texts are for people, logs and history: whatever was quoted in them loses its secrets here, once for all doors. */
export class SpeedgridError extends Error {
  readonly code: ErrorCode
  readonly evidence: string[]
  readonly nextStep: string | undefined

  constructor(code: ErrorCode, cause: string, detail: { evidence?: string[]; nextStep?: string; from?: unknown } = {}) {
    super(redactText(cause), detail.from === undefined ? undefined : { cause: detail.from })
    this.name = 'SpeedgridError'
    this.code = code
    this.evidence = (detail.evidence ?? []).map(redactText)
    this.nextStep = detail.nextStep === undefined ? undefined : redactText(detail.nextStep)
  }

  toInfo(): ErrorInfo {
    return { code: this.code, cause: this.message, evidence: this.evidence, nextStep: this.nextStep }
  }
}
