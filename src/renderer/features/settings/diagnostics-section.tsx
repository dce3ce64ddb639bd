import { Button } from '@mantine/core'
import { Copy, Download } from 'lucide-react'
import { useState } from 'react'
import { useApp } from '../../state/context.ts'
import { useCommandTo } from '../../state/use-query.ts'
import { copyAndSay } from '../../ui/copy-menu.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { Section } from './section.tsx'
import classes from './settings.module.css'

interface Diagnostics {
  fileName: string
  text: string
}

/** What a bug report needs, shown before it goes anywhere. */
export function DiagnosticsSection() {
  const { client, shell } = useApp()
  const [shown, setShown] = useState<Diagnostics>()
  const collect = useCommandTo(async (use: (diagnostics: Diagnostics) => void | Promise<void>) => {
    const diagnostics = await client.app.diagnostics.query()
    setShown(diagnostics)
    await use(diagnostics)
  })
  const copy = ({ text }: Diagnostics) => copyAndSay('the diagnostics', 'text', text)
  const download = ({ fileName, text }: Diagnostics) => {
    shell.download({ fileName, mediaType: 'text/plain', data: text })
  }
  return (
    <Section id="diagnostics">
      <div className={classes.line}>
        <div className={classes.lineText}>
          <div>For a bug report</div>
          <div className={classes.dim}>
            Versions, settings, hosts and the last lines of the log. Passwords, keys and API keys are never in it. Nothing is sent
            anywhere.
          </div>
        </div>
        <div className={classes.buttons}>
          <Button
            variant="default"
            loading={collect.busy}
            leftSection={<Copy size={14} aria-hidden />}
            onClick={() => void collect.run(copy)}
          >
            Copy
          </Button>
          <Button
            variant="default"
            disabled={collect.busy}
            leftSection={<Download size={14} aria-hidden />}
            onClick={() => void collect.run(download)}
          >
            Download
          </Button>
        </div>
      </div>
      {collect.error !== undefined && <ErrorNotice error={collect.error} />}
      {shown !== undefined && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
        <pre className={classes.preview} tabIndex={0} aria-label={shown.fileName}>
          {shown.text}
        </pre>
      )}
    </Section>
  )
}
