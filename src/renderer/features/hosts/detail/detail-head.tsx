import { ActionIcon, Badge, Button, Menu } from '@mantine/core'
import { Ellipsis, KeyRound, Plug, RefreshCw, Rocket, Stethoscope, Trash2 } from 'lucide-react'
import type { HostView } from '../../../../shared/contract/hosts.ts'
import { useCommands } from '../../../app/commands-context.ts'
import { hrefOf } from '../../../app/routes.ts'
import { navigate } from '../../../app/use-route.ts'
import { useClient } from '../../../state/context.ts'
import { TimeText } from '../../../ui/time-text.tsx'
import { confirmlessUndo } from '../../../ui/toasts.tsx'
import { ConnectionStateText } from '../connection-state.tsx'
import { addressText } from '../host-texts.ts'
import classes from './host-detail.module.css'

interface DetailHeadProps {
  view: HostView
  isConnecting: boolean
  onConnect: () => void
  onKey: () => void
  onDoctor: () => void
}

export function DetailHead({ view, isConnecting, onConnect, onKey, onDoctor }: DetailHeadProps) {
  const client = useClient()
  const { host, connection } = view
  const { name } = host
  const isUp = connection === 'connected'
  const remove = async () => {
    const isDone = await confirmlessUndo({
      text: `Removed ${name} from the list. Nothing on the host was touched.`,
      act: () => client.hosts.remove.mutate({ name }),
      undo: () => client.hosts.restore.mutate({ name }),
    })
    if (isDone) navigate({ screen: 'hosts' }, 'replace')
  }
  useCommands([
    { id: 'host.connect', title: isUp ? `Look again at ${name}` : `Connect to ${name}`, section: 'Host', run: onConnect },
    { id: 'host.doctor', title: `Doctor: check ${name}`, section: 'Host', run: onDoctor },
    { id: 'host.key', title: `Host key of ${name}`, section: 'Host', run: onKey },
    { id: 'host.remove', title: `Remove ${name} from the list`, section: 'Host', run: () => void remove() },
  ])
  return (
    <div className={classes.head}>
      <div>
        <div className={classes.names}>
          <h2 className={classes.name}>{name}</h2>
          {host.demo && <Badge>Demo</Badge>}
        </div>
        <div className={classes.address}>
          <span>{addressText(host)}</span>
          <ConnectionStateText connection={connection} />
          {view.inventoryAt !== undefined && (
            <span>
              looked at <TimeText at={view.inventoryAt} />
            </span>
          )}
        </div>
      </div>
      <div className={classes.buttons}>
        {isUp && (
          <Button component="a" href={hrefOf({ screen: 'launch', host: name })} leftSection={<Rocket size={15} aria-hidden />}>
            Launch here
          </Button>
        )}
        <Button
          variant={isUp ? 'default' : 'filled'}
          loading={isConnecting || connection === 'connecting'}
          leftSection={isUp ? <RefreshCw size={14} aria-hidden /> : <Plug size={15} aria-hidden />}
          onClick={onConnect}
        >
          {isUp ? 'Look again' : 'Connect'}
        </Button>
        <Button variant="default" leftSection={<Stethoscope size={15} aria-hidden />} onClick={onDoctor}>
          Doctor
        </Button>
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon variant="default" size={30} aria-label={`More for ${name}`}>
              <Ellipsis size={16} aria-hidden />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<KeyRound size={14} aria-hidden />} onClick={onKey}>
              Host key…
            </Menu.Item>
            <Menu.Item component="a" href={hrefOf({ screen: 'settings', section: 'kept' })}>
              What we keep there
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item leftSection={<Trash2 size={14} aria-hidden />} onClick={() => void remove()}>
              Remove from the list
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </div>
    </div>
  )
}
