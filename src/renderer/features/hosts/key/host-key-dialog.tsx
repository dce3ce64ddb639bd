import { Button, Loader } from '@mantine/core'
import { useClient } from '../../../state/context.ts'
import { useCommandTo, useQuery } from '../../../state/use-query.ts'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { HostKeyQuestion } from './host-key-question.tsx'
import { Dialog } from '../../../ui/dialog.tsx'

interface HostKeyDialogProps {
  name: string
  onClose: () => void
  /** The key was trusted: go on with what needed it. */
  onTrusted: () => void
}

/** Reads the host's key now and lets the person decide. Closing it in any way trusts nothing. */
export function HostKeyDialog({ name, onClose, onTrusted }: HostKeyDialogProps) {
  const client = useClient()
  const key = useQuery(`key ${name}`, (signal) => client.hosts.readKey.query({ name }, { signal }))
  const trust = useCommandTo(async (fingerprint: string) => {
    await client.hosts.trust.mutate({ name, fingerprint })
    onTrusted()
  })
  return (
    <Dialog onClose={onClose} title={`Host key of ${name}`} size="lg">
      {key.status === 'loading' && (
        <p role="status">
          <Loader size={14} aria-hidden /> Asking the host for its key…
        </p>
      )}
      {key.error !== undefined && (
        <>
          <ErrorNotice error={key.error} onRetry={key.reload} />
          <Button mt="md" variant="default" onClick={onClose} data-autofocus>
            Close
          </Button>
        </>
      )}
      {key.value !== undefined && (
        <HostKeyQuestion
          offered={key.value}
          busy={trust.busy}
          error={trust.error}
          onCancel={onClose}
          onTrust={(fingerprint) => void trust.run(fingerprint)}
        />
      )}
    </Dialog>
  )
}
