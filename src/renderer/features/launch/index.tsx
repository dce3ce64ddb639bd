import { Button } from '@mantine/core'
import { Server } from 'lucide-react'
import { Screen } from '../../app/screen.tsx'
import type { ScreenProps } from '../../app/screens.ts'
import { navigate } from '../../app/use-route.ts'
import { useApp, useHosts } from '../../state/context.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FeedGate } from '../../ui/feed-gate.tsx'
import { DemoNotice } from '../hosts/demo-notice.tsx'
import { useDemoStart } from '../hosts/use-demo-start.ts'
import { ComposeScreen } from './compose/compose-screen.tsx'
import { chosenHost } from './compose/host-picker.tsx'
import { LaunchProgress } from './progress/launch-progress.tsx'
import { ServerScreen } from './server/server-screen.tsx'

export function LaunchScreen({ route }: ScreenProps<'launch'>) {
  if (route.launchId !== undefined) return <LaunchProgress key={route.launchId} launchId={route.launchId} />
  if (route.server !== undefined && route.host !== undefined)
    return <ServerScreen key={`${route.host} ${route.server}`} host={route.host} id={route.server} />
  return <Compose host={route.host} command={route.command} />
}

function Compose({ host, command }: { host: string | undefined; command: string | undefined }) {
  const { hosts } = useApp()
  const feed = useHosts()
  const list = feed.value
  const chosen = list === undefined ? undefined : chosenHost(list, host)
  if (list !== undefined && chosen !== undefined)
    return <ComposeScreen key={command ?? ''} hosts={list} chosen={chosen} command={command} />
  return (
    <Screen title="Launch">
      <FeedGate feed={feed} what="the hosts" onRetry={hosts.ask}>
        {() => <NoHost />}
      </FeedGate>
    </Screen>
  )
}

function NoHost() {
  const demo = useDemoStart()
  return (
    <>
      <DemoNotice demo={demo} />
      <EmptyState
        icon={Server}
        title="No host yet"
        text="A server is launched on a machine reached over SSH. Add one, or try the demo machine, which needs no GPU."
        actions={
          <>
            <Button loading={demo.busy} onClick={() => void demo.start()}>
              Try the demo machine
            </Button>
            <Button
              variant="default"
              onClick={() => {
                navigate({ screen: 'hosts', host: '+add' })
              }}
            >
              Add a host
            </Button>
          </>
        }
      />
    </>
  )
}
