import { useAbilities, useApp } from '../../state/context.ts'
import { useQuery } from '../../state/use-query.ts'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { showDone, showProblem } from '../../ui/toasts.tsx'
import { Section } from './section.tsx'
import classes from './settings.module.css'
import { TwoStepButton } from './two-step-button.tsx'

/** Which passwords and passphrases the system's keyring keeps for us; the values are never shown. */
export function PasswordsSection() {
  const { shell } = useApp()
  const abilities = useAbilities()
  const names = useQuery('kept secrets', () => shell.keptSecrets())
  const forget = async (name: string) => {
    try {
      await shell.forgetSecret(name)
      showDone('Forgotten; it is asked for again at the next login.')
      names.reload()
    } catch (error) {
      showProblem(error)
    }
  }
  const isKeyring = abilities?.secrets === 'keyring'
  return (
    <Section id="passwords" padding="none">
      {names.error !== undefined && (
        <div className={classes.pad}>
          <ErrorNotice error={names.error} onRetry={names.reload} />
        </div>
      )}
      {!isKeyring && abilities !== undefined && (
        <p className={classes.empty}>
          Not stored; you are asked again when needed. {abilities.secretsNote ?? 'This system offers no keyring to keep them in.'}
        </p>
      )}
      {isKeyring && names.value?.length === 0 && (
        <p className={classes.empty}>
          None is kept. When a host asks for a password or a key for its passphrase, it can be kept in the system’s keyring.
        </p>
      )}
      {names.value !== undefined && names.value.length > 0 && (
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">Kept in the system’s keyring</th>
              <th scope="col">
                <span className="visually-hidden">Forget</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {names.value.map((name) => (
              <tr key={name}>
                <td>{name}</td>
                <td>
                  <TwoStepButton label="Forget" describe={`Forget: ${name}`} onConfirm={() => forget(name)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  )
}
