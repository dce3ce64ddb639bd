import { Button } from '@mantine/core'
import { navigate } from '../../app/use-route.ts'
import { useDemoStart } from './use-demo-start.ts'

/** What to press where there is no run yet. */
export function FirstRunActions() {
  const demo = useDemoStart()
  return (
    <>
      <Button
        onClick={() => {
          navigate({ screen: 'sweep' })
        }}
      >
        Plan a sweep
      </Button>
      <Button variant="default" loading={demo.busy} onClick={() => void demo.start()}>
        Try the demo machine
      </Button>
    </>
  )
}
