import { Loader } from '@mantine/core'
import type { ErrorInfo } from '../../../shared/model/error.ts'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import classes from './demo-notice.module.css'
import type { DemoStart } from './use-demo-start.ts'

/** How the start of the demo machine goes; nothing where nobody asked for it. */
export function DemoNotice({ demo }: { demo: DemoStart }) {
  const failed = demoProblem(demo)
  if (failed !== undefined) {
    return (
      <div className={classes.place}>
        <ErrorNotice error={failed} {...(demo.view?.state === 'unsupported' ? {} : { onRetry: () => void demo.start() })} />
      </div>
    )
  }
  if (!demo.busy) return null
  return (
    <div className={classes.starting} role="status">
      <Loader size={14} aria-hidden /> Starting the demo machine: an SSH server on this computer with a stand-in for vLLM behind
      it…
    </div>
  )
}

export function demoProblem({ view, error, busy }: DemoStart): ErrorInfo | undefined {
  if (busy) return undefined
  if (error !== undefined) return error
  if (view?.state === 'unsupported')
    return {
      code: 'internal',
      cause: view.reason ?? 'The demo machine needs Linux.',
      evidence: [],
      nextStep: 'Add a host of your own.',
    }
  if (view?.state === 'failed')
    return {
      code: 'internal',
      cause: 'The demo machine did not start.',
      evidence: view.reason === undefined ? [] : [view.reason],
    }
  return undefined
}
