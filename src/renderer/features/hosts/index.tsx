import { Button, Menu } from '@mantine/core'
import { ChevronDown, FlaskConical, Plus } from 'lucide-react'
import { useCommands } from '../../app/commands-context.ts'
import { Screen } from '../../app/screen.tsx'
import type { ScreenProps } from '../../app/screens.ts'
import { navigate } from '../../app/use-route.ts'
import { useApp, useHosts } from '../../state/context.ts'
import { FeedGate } from '../../ui/feed-gate.tsx'
import { AddHostDialog } from './add/add-host-dialog.tsx'
import { ADD_ROUTE } from './add-route.ts'
import { DemoNotice } from './demo-notice.tsx'
import { HostDetail } from './detail/host-detail.tsx'
import { FirstRun } from './first-run.tsx'
import { HostTable } from './host-table.tsx'
import classes from './hosts.module.css'
import { useDemoStart } from './use-demo-start.ts'

export function HostsScreen({ route }: ScreenProps<'hosts'>) {
  const { hosts } = useApp()
  const feed = useHosts()
  const demo = useDemoStart()
  const isAdding = route.host === ADD_ROUTE
  const add = () => {
    navigate({ screen: 'hosts', host: ADD_ROUTE })
  }
  useCommands([
    {
      id: 'demo.start',
      title: 'Try the demo machine',
      section: 'Hosts',
      keywords: 'first start example',
      run: () => void demo.start(),
    },
  ])
  const isFirstRun = feed.value?.length === 0
  return (
    <Screen
      title="Hosts"
      layout="fill"
      actions={
        isFirstRun ? undefined : (
          <Button.Group>
            <Button leftSection={<Plus size={15} aria-hidden />} onClick={add}>
              Add host
            </Button>
            <Menu position="bottom-end">
              <Menu.Target>
                <Button px={6} aria-label="More ways to add a host">
                  <ChevronDown size={15} aria-hidden />
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item leftSection={<FlaskConical size={14} aria-hidden />} onClick={() => void demo.start()}>
                  Try the demo machine
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          </Button.Group>
        )
      }
    >
      {!isFirstRun && <DemoNotice demo={demo} />}
      <FeedGate feed={feed} what="the hosts" onRetry={hosts.ask}>
        {(views) => {
          if (views.length === 0) return <FirstRun demo={demo} onAdd={add} />
          const selected = views.find((view) => view.host.name === route.host)
          return (
            <div className={classes.split}>
              <HostTable views={views} selected={selected?.host.name} />
              <HostDetail key={selected?.host.name ?? ''} view={selected} demo={demo} />
            </div>
          )
        }}
      </FeedGate>
      {isAdding && <AddHostDialog taken={feed.value?.map((view) => view.host.name) ?? []} />}
    </Screen>
  )
}
