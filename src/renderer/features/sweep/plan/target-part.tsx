import { Anchor, PasswordInput, SegmentedControl, Select, TextInput } from '@mantine/core'
import type { ServerView } from '../../../../shared/contract/servers.ts'
import { hrefOf } from '../../../app/routes.ts'
import { useClient, useHosts } from '../../../state/context.ts'
import { useQuery } from '../../../state/use-query.ts'
import { Part, type PartProps } from './fields.tsx'
import classes from './plan.module.css'

/** What is measured: a server on a host of ours, or an address that is reached without SSH. */
export function TargetPart({ form, errors, change }: PartProps) {
  return (
    <Part title="What is measured">
      <SegmentedControl
        aria-label="Kind of target"
        data={[
          { value: 'server', label: 'Server on a host' },
          { value: 'url', label: 'Address (no SSH)' },
        ]}
        value={form.targetKind}
        onChange={(value) => change({ targetKind: value === 'url' ? 'url' : 'server' })}
      />
      {form.targetKind === 'server' ? (
        <ServerFields form={form} errors={errors} change={change} />
      ) : (
        <UrlFields form={form} errors={errors} change={change} />
      )}
    </Part>
  )
}

function ServerFields({ form, errors, change }: PartProps) {
  const client = useClient()
  const hosts = useHosts()
  const names = hosts.value?.map((view) => view.host.name) ?? []
  const isConnected = hosts.value?.some((view) => view.host.name === form.host && view.connection === 'connected') === true
  // A list of servers must not be what asks for a password: it is asked for where there is a connection already.
  const servers = useQuery<ServerView[]>(`servers ${isConnected ? form.host : ''}`, () =>
    isConnected ? client.servers.list.query({ host: form.host }) : Promise.resolve([]),
  )
  const ready = (servers.value ?? []).filter((view) => view.state === 'ready' || view.state === 'starting')
  const known = ready.map(({ server, state }) => ({
    value: server.id,
    label: [server.name ?? server.id, `port ${server.port}`, state === 'starting' ? 'starting' : undefined]
      .filter(Boolean)
      .join(', '),
  }))
  if (form.server !== '' && !known.some((it) => it.value === form.server)) known.push({ value: form.server, label: form.server })
  return (
    <div className={classes.two}>
      <Select
        id="plan-host"
        label="Host"
        placeholder={names.length === 0 ? 'No hosts yet' : 'Choose a host'}
        data={form.host !== '' && !names.includes(form.host) ? [form.host, ...names] : names}
        value={form.host === '' ? null : form.host}
        error={errors.host}
        searchable
        nothingFoundMessage="No such host"
        description={
          names.length === 0 ? <Anchor href={hrefOf({ screen: 'hosts', host: '+add' })}>Add a host</Anchor> : undefined
        }
        onChange={(host) => change({ host: host ?? '', server: '' })}
      />
      <Select
        id="plan-server"
        label="Server"
        placeholder="The only one running"
        data={known}
        value={form.server === '' ? null : form.server}
        error={errors.server}
        clearable
        disabled={form.host === ''}
        description={
          isConnected && servers.status === 'ready' && known.length === 0 ? (
            <Anchor href={hrefOf({ screen: 'launch', host: form.host })}>None is running: launch one</Anchor>
          ) : undefined
        }
        onChange={(server) => change({ server: server ?? '' })}
      />
    </div>
  )
}

function UrlFields({ form, errors, change }: PartProps) {
  return (
    <div className={classes.two}>
      <TextInput
        id="plan-url"
        label="Address"
        placeholder="http://10.0.0.5:8000"
        value={form.url}
        error={errors.url}
        onChange={(event) => change({ url: event.currentTarget.value })}
      />
      <PasswordInput
        id="plan-apiKey"
        label="API key"
        description="Only for this run; never stored."
        autoComplete="off"
        value={form.apiKey}
        error={errors.apiKey}
        onChange={(event) => change({ apiKey: event.currentTarget.value })}
      />
    </div>
  )
}
