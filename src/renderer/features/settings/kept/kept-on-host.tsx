import { bytesText } from '../../../../shared/format/index.ts'
import { useApp } from '../../../state/context.ts'
import { useQuery } from '../../../state/use-query.ts'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { Loading } from '../../../ui/loading.tsx'
import { showDone, showProblem } from '../../../ui/toasts.tsx'
import classes from '../settings.module.css'
import { TwoStepButton } from '../two-step-button.tsx'
import keptClasses from './kept.module.css'

export function KeptOnHost({ name }: { name: string }) {
  const { client } = useApp()
  const kept = useQuery(`kept ${name}`, (signal) => client.app.keptOnHost.query({ name }, { signal }))
  const remove = async (path: string) => {
    try {
      await client.app.removeKeptOnHost.mutate({ name, path })
      showDone(`Removed ${path} from ${name}`)
      kept.reload()
    } catch (error) {
      showProblem(error)
    }
  }
  if (kept.error !== undefined) {
    return (
      <div className={classes.pad}>
        <ErrorNotice error={kept.error} onRetry={kept.reload} />
      </div>
    )
  }
  if (kept.value === undefined) return <Loading what={`what lies on ${name}`} />
  if (kept.value.length === 0) return <p className={classes.empty}>Nothing of ours lies there.</p>
  const total = kept.value.reduce((sum, { bytes }) => sum + bytes, 0)
  return (
    <>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Path</th>
            <th scope="col">What</th>
            <th scope="col" className={classes.number}>
              Size
            </th>
            <th scope="col">
              <span className="visually-hidden">Remove</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {kept.value.map(({ path, what, bytes }) => (
            <tr key={path}>
              <td>
                <code>{path}</code>
              </td>
              <td>{what}</td>
              <td className={classes.number}>{bytesText(bytes)}</td>
              <td>
                <TwoStepButton label="Remove" describe={`Remove ${path} from ${name}`} onConfirm={() => remove(path)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className={keptClasses.sum}>{bytesText(total)} together. What a server or driver is using can’t be removed.</p>
    </>
  )
}
