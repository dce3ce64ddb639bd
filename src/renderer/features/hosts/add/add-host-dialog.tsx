import { Tabs } from '@mantine/core'
import { navigate } from '../../../app/use-route.ts'
import { useClient } from '../../../state/context.ts'
import { useQuery } from '../../../state/use-query.ts'
import { showProblem } from '../../../ui/toasts.tsx'
import { AliasList } from './alias-list.tsx'
import { ByHandForm } from './by-hand-form.tsx'
import { Dialog } from '../../../ui/dialog.tsx'

/** Adds hosts from ~/.ssh/config or by hand, then connects to them. `taken`: names that are in use. */
export function AddHostDialog({ taken }: { taken: readonly string[] }) {
  const client = useClient()
  const aliases = useQuery('aliases', (signal) => client.hosts.configAliases.query(undefined, { signal }))
  const close = () => {
    navigate({ screen: 'hosts' }, 'replace')
  }
  const added = (names: readonly string[]) => {
    const [first] = names
    navigate(first === undefined ? { screen: 'hosts' } : { screen: 'hosts', host: first }, 'replace')
    // The detail of the selected one connects by itself; the others are looked at now.
    for (const name of names.slice(1)) client.hosts.connect.mutate({ name }).catch(showProblem)
  }
  const isEmpty = aliases.status !== 'loading' && (aliases.value ?? []).length === 0
  return (
    <Dialog onClose={close} title="Add a host" size="lg">
      {aliases.status !== 'loading' && (
        <Tabs defaultValue={isEmpty ? 'hand' : 'config'}>
          <Tabs.List mb="md">
            <Tabs.Tab value="config">From ~/.ssh/config</Tabs.Tab>
            <Tabs.Tab value="hand">By hand</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="config">
            <AliasList aliases={aliases} onCancel={close} onAdded={added} />
          </Tabs.Panel>
          <Tabs.Panel value="hand">
            <ByHandForm
              taken={taken}
              onCancel={close}
              onAdded={(name) => {
                added([name])
              }}
            />
          </Tabs.Panel>
        </Tabs>
      )}
    </Dialog>
  )
}
