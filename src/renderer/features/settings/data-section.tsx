import { Button } from '@mantine/core'
import { useAbilities, useApp } from '../../state/context.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { showProblem } from '../../ui/toasts.tsx'
import { Section } from './section.tsx'
import classes from './settings.module.css'
import { useInfo } from './use-info.ts'

export function DataSection() {
  const { shell } = useApp()
  const abilities = useAbilities()
  const info = useInfo()
  const folder = info.value?.dataDir
  return (
    <Section id="data">
      {info.error !== undefined && <ErrorNotice error={info.error} onRetry={info.reload} />}
      {folder !== undefined && (
        <div className={classes.line}>
          <div className={classes.lineText}>
            <code>{folder}</code>
            <div className={classes.dim}>
              History, hosts, saved launches and the log of the app. To move it, close Speedgrid, move the folder and start with{' '}
              <code>--data-dir</code>; several engines may share one.
            </div>
          </div>
          <div className={classes.buttons}>
            <CopyButton value={folder} label="Copy the path" />
            {abilities?.reveal === true && (
              <Button
                variant="default"
                onClick={() => {
                  shell.reveal(folder).catch(showProblem)
                }}
              >
                Show in folder
              </Button>
            )}
          </div>
        </div>
      )}
    </Section>
  )
}
