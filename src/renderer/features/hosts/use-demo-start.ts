import { navigate } from '../../app/use-route.ts'
import { useClient, useDemo } from '../../state/context.ts'
import { useCommandTo } from '../../state/use-query.ts'
import type { DemoView } from '../../../shared/contract/app.ts'

export interface DemoStart {
  view: DemoView | undefined
  busy: boolean
  error: ReturnType<typeof useCommandTo>['error']
  /** Starts the machine (or finds it running) and goes on to launching a server on it. */
  start: () => Promise<void>
}

export function useDemoStart(): DemoStart {
  const client = useClient()
  const view = useDemo().value
  const command = useCommandTo(async () => {
    const ready = await client.app.startDemo.mutate({})
    if (ready.state === 'ready' && ready.host !== undefined) {
      navigate({ screen: 'launch', host: ready.host, ...(ready.command === undefined ? {} : { command: ready.command }) })
    }
  })
  return {
    view,
    busy: command.busy || view?.state === 'starting',
    error: command.error,
    start: async () => {
      await command.run(undefined)
    },
  }
}
