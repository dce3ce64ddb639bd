import { Badge, TextInput } from '@mantine/core'
import { Search } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import type { HostView } from '../../../shared/contract/hosts.ts'
import { markdownTable, markdownText } from '../../../shared/format/index.ts'
import { useCommands } from '../../app/commands-context.ts'
import { hrefOf } from '../../app/routes.ts'
import { navigate } from '../../app/use-route.ts'
import { CopyMenu } from '../../ui/copy-menu.tsx'
import { tsvText } from '../../ui/tsv.ts'
import { ConnectionStateText } from './connection-state.tsx'
import { addressText, diskText, environmentLines, environmentsText, gpusText, hostRows, isDiskLow } from './host-texts.ts'
import classes from './host-table.module.css'

export function HostTable({ views, selected }: { views: HostView[]; selected: string | undefined }) {
  const [filter, setFilter] = useState('')
  const field = useRef<HTMLInputElement>(null)
  useCommands([{ id: 'find', title: 'Find a host', section: 'Hosts', shortcuts: ['Mod+F'], run: () => field.current?.focus() }])
  const shown = views.filter((view) => matches(view, filter))
  const copied = hostRows(shown)
  return (
    <div className={classes.side}>
      <div className={classes.bar}>
        <TextInput
          ref={field}
          className={classes.filter ?? ''}
          value={filter}
          onChange={(event) => {
            setFilter(event.currentTarget.value)
          }}
          leftSection={<Search size={14} aria-hidden />}
          placeholder="Filter by name, address, GPU or version"
          aria-label="Filter hosts"
          maxLength={100}
        />
        <span className={classes.count} aria-live="polite">
          {shown.length === views.length ? countOf(views.length) : `${String(shown.length)} of ${String(views.length)}`}
        </span>
        <CopyMenu
          what="the hosts"
          markdown={() =>
            markdownTable(
              copied.columns,
              copied.rows.map((row) => row.map(markdownText)),
            )
          }
          tsv={() => tsvText([copied.columns, ...copied.rows])}
        />
      </div>
      <div className={classes.scroll} onKeyDown={(event) => moveFocus(event, shown, selected)}>
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">Host</th>
              <th scope="col">State</th>
              <th scope="col">GPUs</th>
              <th scope="col">vLLM</th>
              <th scope="col" className={classes.number}>
                Servers
              </th>
              <th scope="col" className={classes.number}>
                Free disk
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((view) => (
              <HostLine key={view.host.name} view={view} isSelected={view.host.name === selected} />
            ))}
          </tbody>
        </table>
        {shown.length === 0 && <p className={classes.none}>No host has “{filter}” in its name, address, GPUs or versions.</p>}
      </div>
    </div>
  )
}

function HostLine({ view, isSelected }: { view: HostView; isSelected: boolean }) {
  const { host, connection, inventory, runningServers } = view
  return (
    <tr
      className={classes.row}
      data-selected={isSelected || undefined}
      onClick={() => {
        navigate({ screen: 'hosts', host: host.name })
      }}
    >
      <td>
        <a className={classes.name} href={hrefOf({ screen: 'hosts', host: host.name })} aria-current={isSelected || undefined}>
          {host.name}
        </a>
        {host.demo && (
          <Badge ml={6} size="xs">
            Demo
          </Badge>
        )}
        <div className={classes.address}>{addressText(host)}</div>
      </td>
      <td>
        <ConnectionStateText connection={connection} />
      </td>
      <td className={classes.wide}>{gpusText(inventory)}</td>
      <td className={classes.versions}>
        {environmentLines(inventory).map((line) => (
          <div key={line}>{line}</div>
        ))}
      </td>
      <td className={classes.number}>{runningServers ?? '—'}</td>
      <td className={classes.number} data-low={isDiskLow(inventory) || undefined}>
        {isDiskLow(inventory) && <span title="Less than 30 GiB">▾ </span>}
        {diskText(inventory)}
      </td>
    </tr>
  )
}

const countOf = (count: number) => (count === 1 ? '1 host' : `${String(count)} hosts`)

function matches({ host, inventory }: HostView, filter: string): boolean {
  const text = `${host.name} ${addressText(host)} ${gpusText(inventory)} ${environmentsText(inventory)}`.toLowerCase()
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** Up and down go through the list; the detail beside it follows. */
function moveFocus(event: KeyboardEvent<HTMLElement>, shown: readonly HostView[], selected: string | undefined) {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0 || shown.length === 0) return
  event.preventDefault()
  const at = shown.findIndex((view) => view.host.name === selected)
  const next = shown[Math.max(0, Math.min(shown.length - 1, at + step))]
  if (next === undefined) return
  navigate({ screen: 'hosts', host: next.host.name }, 'replace')
  const links = event.currentTarget.querySelectorAll<HTMLAnchorElement>('tbody a')
  links[shown.indexOf(next)]?.focus()
}
