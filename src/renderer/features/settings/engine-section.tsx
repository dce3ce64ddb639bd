import { Button, Group, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useAbilities, useApp, useConnection } from '../../state/context.ts'
import { useCommandTo } from '../../state/use-query.ts'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { checkEngineUrl } from './check-engine-url.ts'
import { Section } from './section.tsx'
import classes from './settings.module.css'

const STATES = { up: 'Connected', connecting: 'Connecting…', gone: 'Gone; reconnecting' } as const

export function EngineSection() {
  const { shell } = useApp()
  const abilities = useAbilities()
  const connection = useConnection()
  const [url, setUrl] = useState('')
  const [isChecked, setIsChecked] = useState(false)
  const attach = useCommandTo((address: string) => shell.attach({ url: address }))
  const detach = useCommandTo(() => shell.detach())
  const problem = isChecked ? checkEngineUrl(url) : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setIsChecked(true)
    if (checkEngineUrl(url) === undefined) void attach.run(url.trim())
  }
  const error = attach.error ?? detach.error
  return (
    <Section id="engine">
      <div className={classes.line}>
        <div className={classes.lineText}>
          <div role="status">{STATES[connection.state]}</div>
          <div className={classes.dim}>
            {abilities?.attach === true
              ? 'The window has an engine of its own. It can attach to one that a running “speedgrid serve” keeps, and find its sweeps where they are.'
              : 'This page belongs to the engine of “speedgrid serve”; that goes on when you close the page.'}
          </div>
        </div>
      </div>
      {abilities?.attach === true && (
        <form onSubmit={submit} noValidate>
          <Group align="flex-start" gap="xs" mt="sm" wrap="nowrap">
            <TextInput
              aria-label="Link of an engine"
              placeholder="http://127.0.0.1:8471/?token=…"
              flex={1}
              maxLength={2000}
              autoComplete="off"
              spellCheck={false}
              value={url}
              error={problem}
              onChange={(event) => {
                setUrl(event.currentTarget.value)
              }}
            />
            <Button type="submit" variant="default" loading={attach.busy}>
              Attach
            </Button>
            <Button variant="default" loading={detach.busy} onClick={() => void detach.run(undefined)}>
              Back to its own
            </Button>
          </Group>
        </form>
      )}
      {error !== undefined && <ErrorNotice error={error} />}
    </Section>
  )
}
