import { Tooltip } from '@mantine/core'
import { useMemo } from 'react'
import { shownCommand } from '../../../../shared/secrets/index.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { readCommand } from '../command/model.ts'
import { withRedacted } from '../command/secrets.ts'
import { quoted } from '../command/words.ts'
import classes from './compose.module.css'
import type { Draft } from './draft.ts'

/** One line as it is started: with the chosen environment's vllm, secrets as <redacted>. */
export function exactCommand({ text, secrets, environment }: Draft): string {
  const { words, program } = readCommand(text)
  const parts = words.map(({ start, value }) => {
    if (program?.kind === 'vllm' && start === program.start && environment !== undefined) return quoted(environment)
    const [, name, assigned] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(value) ?? []
    return name === undefined || assigned === undefined ? quoted(value) : `${name}=${quoted(assigned)}`
  })
  return shownCommand(
    withRedacted(
      parts.join(' '),
      secrets.filter(({ value }) => value !== ''),
    ),
  )
}

export function ExactCommand({ draft }: { draft: Draft }) {
  const line = useMemo(() => exactCommand(draft), [draft])
  return (
    <div className={classes.exact}>
      <div className={classes.exactHead}>
        <span>Exact command</span>
        <Tooltip label="Added unless the command has them: --host 127.0.0.1, a free --port, --enable-prompt-tokens-details, --disable-uvicorn-access-log, and an API key of the server’s own over standard input.">
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the definition is there for the keyboard too */}
          <span className={classes.plus} tabIndex={0}>
            + what Speedgrid adds
          </span>
        </Tooltip>
        <CopyButton value={line} label="Copy the command, without secrets" />
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
      <pre className={classes.exactText} tabIndex={0} aria-label="Exact command">
        {line === '' ? <span className={classes.dim}>Nothing yet</span> : line}
      </pre>
    </div>
  )
}
