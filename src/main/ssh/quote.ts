import { quoteArgv } from '../../shared/command/quote.ts'

/** What bash, dash, fish, csh, tcsh and zsh all leave alone between single quotes. Backslash (fish), `!` and newline (csh) are not in it. */
const SAFE_IN_EVERY_SHELL = /^[A-Za-z0-9_./:,+@%= -]*$/

/**
 * The command line sent in an SSH exec request. sshd gives it to the account's shell, which may be fish or csh, so all it holds is
 * `exec /bin/sh -c '…'` with text that every shell leaves alone; anything else travels as octal for printf's %b.
 */
export function commandLine(argv: readonly string[], options: { announcePid?: boolean } = {}): string {
  const posix = quoteArgv(argv)
  const body = SAFE_IN_EVERY_SHELL.test(posix) ? posix : `eval "$(printf %b "${toOctal(posix)}")"`
  return `exec /bin/sh -c '${options.announcePid ? ANNOUNCE : ''}${body}'`
}

/** First word of a line on standard error that gives the process (and group, and session) of a command, so that it can be ended. */
export const PID_MARK = 'speedgrid-pid'
/** Environment entry of what a command starts: its process and start time. Tells what is left of its group when the command has ended. */
export const COMMAND_MARK = 'SPEEDGRID_COMMAND'

/** Process and start time (field 22 of its stat; 0 where there is no /proc), for the line above and for the environment. */
const ANNOUNCE = [
  'speedgrid_stat=; { read -r speedgrid_stat < /proc/$$/stat; } 2>/dev/null; set -f; set -- $speedgrid_stat; set +f',
  `${COMMAND_MARK}=$$.\${22:-0}; export ${COMMAND_MARK}; echo ${PID_MARK} $$ \${22:-0} >&2; set --; `,
].join('; ')

function toOctal(text: string): string {
  let encoded = ''
  for (const byte of Buffer.from(text, 'utf8')) {
    const char = String.fromCharCode(byte)
    encoded += SAFE_IN_EVERY_SHELL.test(char) ? char : `\\0${byte.toString(8).padStart(3, '0')}`
  }
  // $(…) drops trailing newlines, but a word that holds one is quoted, so the text never ends in one.
  return encoded
}
