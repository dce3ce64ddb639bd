import { harmless } from '../../shared/format/index.ts'
import { type ErrorInfo, SpeedgridError } from '../../shared/model/error.ts'
import { logFailure } from '../engine/log/index.ts'
import { exitCodeOf } from './exit-codes.ts'
import type { Output } from './output.ts'

/** Cause, evidence and next step as the person reads them. */
export function errorText(info: ErrorInfo, style: Output['style']): string {
  // What the person did is no error.
  const cause = harmless(info.cause)
  const head = info.code === 'interrupted' ? cause : `${style.red('Error:')} ${cause}`
  const lines = [head, ...info.evidence.flatMap((item) => harmless(item).split('\n')).map((line) => `  ${line}`)]
  if (info.nextStep) lines.push(`Next step: ${harmless(info.nextStep)}`)
  return lines.join('\n')
}

export function errorDocument(info: ErrorInfo): { error: ErrorInfo } {
  return {
    error: { code: info.code, cause: info.cause, evidence: info.evidence, ...(info.nextStep && { nextStep: info.nextStep }) },
  }
}

/** Whatever was thrown → what the person is told. An unexpected error is logged and gets an id; its stack is never printed. */
export function toErrorInfo(error: unknown, where: { dataDir: string; command: string }): ErrorInfo {
  if (error instanceof SpeedgridError) return error.toInfo()
  const system = systemErrorInfo(error)
  if (system) return system
  const { id, path } = logFailure(where.dataDir, error, where.command)
  return {
    code: 'internal',
    cause: `Something unexpected went wrong (id ${id}).`,
    evidence: [],
    nextStep: path
      ? `The details are in ${path}; please report them with the id.`
      : 'The details could not be written to the data folder.',
  }
}

/** Errors of the file system on this machine that a person can do something about. */
function systemErrorInfo(error: unknown): ErrorInfo | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  const path = 'path' in error && typeof error.path === 'string' ? error.path : undefined
  const evidence = path ? [path] : []
  if (error.code === 'ENOSPC')
    return { code: 'disk_full', cause: 'The disk of this machine is full.', evidence, nextStep: 'Free some space and try again.' }
  if (error.code === 'EACCES' || error.code === 'EROFS' || error.code === 'EPERM') {
    return {
      code: 'read_only',
      cause: 'A file on this machine may not be written or read.',
      evidence,
      nextStep: 'Check its permissions, or choose another place.',
    }
  }
  if (path && (error.code === 'ENOENT' || error.code === 'ENOTDIR' || error.code === 'EISDIR')) {
    const cause =
      error.code === 'ENOENT' ? 'There is no such file or folder.' : 'The path is not the kind of file that is needed here.'
    return { code: 'not_found', cause, evidence, nextStep: 'Check the path.' }
  }
  return undefined
}

/** Prints an error (to stderr, with --json or --events also as a document on stdout). Returns the exit code. */
export function reportError(output: Output, info: ErrorInfo): number {
  output.warn(errorText(info, output.style))
  if (output.json) output.document(errorDocument(info))
  else if (output.events) output.event(errorDocument(info))
  return exitCodeOf(info.code)
}
