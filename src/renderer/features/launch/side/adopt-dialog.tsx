import { Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { navigate } from '../../../app/use-route.ts'
import { useClient } from '../../../state/context.ts'
import { useCommandTo } from '../../../state/use-query.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { ErrorNotice } from '../../../ui/error-notice.tsx'

/** A server that somebody else started, by the port it listens on. */
export function AdoptDialog({ host, onClose }: { host: string; onClose: () => void }) {
  const client = useClient()
  const [port, setPort] = useState('8000')
  const [apiKey, setApiKey] = useState('')
  const [name, setName] = useState('')
  const portProblem =
    /^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535 ? undefined : 'A number from 1 to 65535.'
  const adopt = useCommandTo(async () => {
    const server = await client.servers.adopt.mutate({
      host,
      port: Number(port),
      ...(apiKey === '' ? {} : { apiKey }),
      ...(name.trim() === '' ? {} : { name: name.trim() }),
    })
    onClose()
    navigate({ screen: 'launch', host, server: server.id })
  })
  return (
    <Dialog title={`Adopt a server on ${host}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (portProblem === undefined) void adopt.run(undefined)
        }}
      >
        <Stack gap="md">
          <p>It is measured and its log is read where that is possible. Speedgrid never stops a server that it did not start.</p>
          <TextInput
            label="Port"
            data-autofocus
            inputMode="numeric"
            value={port}
            maxLength={5}
            error={port === '' ? undefined : portProblem}
            onChange={(event) => {
              setPort(event.currentTarget.value.trim())
            }}
          />
          <PasswordInput
            label="API key"
            description="Only where the server wants one. It is not stored: after a restart of the engine it is asked for again."
            value={apiKey}
            maxLength={4096}
            autoComplete="off"
            visibilityToggleButtonProps={{ 'aria-label': 'Show the key' }}
            onChange={(event) => {
              setApiKey(event.currentTarget.value)
            }}
          />
          <TextInput
            label="Name"
            description="How it is listed here."
            value={name}
            maxLength={100}
            onChange={(event) => {
              setName(event.currentTarget.value)
            }}
          />
          {adopt.error !== undefined && <ErrorNotice error={adopt.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={adopt.busy} disabled={portProblem !== undefined}>
              Adopt
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
