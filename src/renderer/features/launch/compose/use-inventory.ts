import { useEffect } from 'react'
import type { HostView } from '../../../../shared/contract/hosts.ts'
import { useClient } from '../../../state/context.ts'

/**
 * Has a host looked at whose environments and GPUs aren't known yet, where that asks nobody anything: it is connected already, or it is the
 * demo machine.
 */
export function useInventory({ host, connection, inventory }: HostView) {
  const client = useClient()
  const { name } = host
  const isDue = inventory === undefined && (connection === 'connected' || (host.demo && connection === 'never'))
  useEffect(() => {
    // What goes wrong shows in the host's state.
    if (isDue) void client.hosts.connect.mutate({ name }).catch(() => undefined)
  }, [client, name, isDue])
}
