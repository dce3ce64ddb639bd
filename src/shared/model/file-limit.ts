import { SpeedgridError } from './error.ts'

/** The process's own limit of open files (EMFILE), or the machine's (ENFILE). */
export function isFileLimit(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'EMFILE' || code === 'ENFILE'
}

/** What a person is told when we have run out of files: nobody else's fault. `what` could not be done. */
export function fileLimit(error: unknown, what: string): SpeedgridError {
  const whole = error instanceof Error && 'code' in error && error.code === 'ENFILE'
  const cause = whole
    ? `This machine has reached its limit of open files: ${what}.`
    : `Speedgrid has reached this machine's limit of open files for one program: ${what}.`
  return new SpeedgridError('file_limit', cause, {
    evidence: error instanceof Error ? [error.message] : [],
    nextStep: whole
      ? 'Close programs there, or raise fs.file-max.'
      : 'Raise the limit there (ulimit -Hn says it; two files a request are needed at least), or measure with fewer requests at once.',
    from: error,
  })
}
