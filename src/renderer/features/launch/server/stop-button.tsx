import { Button, Popover, Stack } from '@mantine/core'
import { Square } from 'lucide-react'
import { useState } from 'react'
import type { Server } from '../../../../shared/model/server.ts'
import { useRuns } from '../../../state/context.ts'

/** Two steps, as a stopped server can't be brought back: the second one names what ends. */
export function StopButton({ server, busy, onStop }: { server: Server; busy: boolean; onStop: () => void }) {
  const [isOpen, setOpen] = useState(false)
  const going = useRuns().value?.going.filter((run) => run.host === server.host) ?? []
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" width={360} trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<Square size={13} aria-hidden />}
          loading={busy}
          onClick={() => {
            setOpen((before) => !before)
          }}
        >
          Stop
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <p>
            Ends {server.identity === undefined ? 'the server' : `process ${String(server.identity.pid)}`} on{' '}
            <strong>{server.host}</strong> and what it started, waits until it is gone, and shows that the port and the GPU memory
            are free. Nothing else on the host is touched.
          </p>
          {going.length > 0 && (
            <p>
              <strong>A sweep is going on there:</strong> {going.map((run) => run.name).join(', ')}. It ends with its finished
              cells kept.
            </p>
          )}
          <Button
            color="red"
            data-autofocus
            onClick={() => {
              setOpen(false)
              onStop()
            }}
          >
            Stop the server
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
