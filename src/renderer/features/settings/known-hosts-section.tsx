import { useApp } from '../../state/context.ts'
import { useQuery } from '../../state/use-query.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { Loading } from '../../ui/loading.tsx'
import { showDone, showProblem } from '../../ui/toasts.tsx'
import { Section } from './section.tsx'
import classes from './settings.module.css'
import { TwoStepButton } from './two-step-button.tsx'

export function KnownHostsSection() {
  const { client } = useApp()
  const keys = useQuery('known hosts', (signal) => client.app.knownHosts.query(undefined, { signal }))
  const remove = async (line: string, host: string) => {
    try {
      await client.app.removeKnownHost.mutate({ line })
      showDone(`The key of ${host} is forgotten; the next connection asks again.`)
      keys.reload()
    } catch (error) {
      showProblem(error)
    }
  }
  return (
    <Section id="known-hosts" padding="none" note="Trusted here. Your own ~/.ssh/known_hosts is read too and never changed.">
      {keys.status === 'loading' && <Loading what="the known keys" />}
      {keys.error !== undefined && (
        <div className={classes.pad}>
          <ErrorNotice error={keys.error} onRetry={keys.reload} />
        </div>
      )}
      {keys.value?.length === 0 && <p className={classes.empty}>No key was trusted here yet.</p>}
      {keys.value !== undefined && keys.value.length > 0 && (
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">Host</th>
              <th scope="col">Type</th>
              <th scope="col">Fingerprint</th>
              <th scope="col">
                <span className="visually-hidden">Remove</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {keys.value.map(({ line, host, keyType, fingerprint }) => (
              <tr key={line}>
                <td>{host}</td>
                <td>{keyType}</td>
                <td className={classes.fingerprint}>
                  <code>{fingerprint}</code> <CopyButton value={fingerprint} label={`Copy the fingerprint of ${host}`} />
                </td>
                <td>
                  <TwoStepButton label="Forget" describe={`Forget the key of ${host}`} onConfirm={() => remove(line, host)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  )
}
