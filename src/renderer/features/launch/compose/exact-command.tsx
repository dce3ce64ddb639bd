import { Tooltip } from '@mantine/core'
import { useMemo } from 'react'
import { readCommand, withRedacted, writeWords } from '../../../../shared/command/index.ts'
import { shownCommand } from '../../../../shared/secrets/index.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import classes from './compose.module.css'
import { type Draft, givenSecrets } from './draft.ts'

/** One line as it is started: with the chosen environment's vllm, secrets as <redacted>. */
function exactCommand({ text, secrets, environment }: Draft): string {
  const names = secrets.map(({ name }) => name)
  const { words, variables, program, args, environment: chosen } = readCommand(text, names)
  const valuesOf = (list: readonly { value: string }[]) => list.map(({ value }) => value)
  const vllm = environment ?? (chosen?.includes('/') === true ? chosen : undefined)
  const line =
    program === undefined
      ? valuesOf(words)
      : [
          ...variables.filter(({ isExported }) => isExported).map(({ name, value }) => `${name}=${value}`),
          ...(program.kind === 'vllm' && vllm !== undefined ? [vllm, 'serve'] : program.words),
          ...valuesOf(args),
        ]
  return shownCommand(withRedacted(writeWords(line), givenSecrets(secrets)))
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
