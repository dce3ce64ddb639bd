import { Button, Group, TextInput } from '@mantine/core'
import { ShieldAlert, ShieldCheck, ShieldQuestion, ShieldX } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { HostKeyView } from '../../../../shared/contract/hosts.ts'
import type { ErrorInfo } from '../../../../shared/model/error.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { useArrivalFocus } from '../../../ui/use-arrival-focus.ts'
import classes from './host-key-question.module.css'

interface HostKeyQuestionProps {
  offered: HostKeyView
  busy?: boolean
  error?: ErrorInfo | undefined
  onCancel: () => void
  onTrust: (fingerprint: string) => void
}

/** How many last characters of a changed key's fingerprint have to be typed. */
const TYPED_CHARACTERS = 6

/** Unknown: compare and trust. Changed: never one click from trust. Revoked: no way at all. Cancel has the focus. */
export function HostKeyQuestion({ offered, busy = false, error, onCancel, onTrust }: HostKeyQuestionProps) {
  const [typed, setTyped] = useState('')
  const [isMissing, setIsMissing] = useState(false)
  const cancel = useArrivalFocus<HTMLButtonElement>()
  const { state, fingerprint } = offered
  const needsTyping = state === 'changed'
  const canTrust = state === 'unknown' || state === 'changed'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!canTrust) return
    if (needsTyping && typed.trim() !== fingerprint.slice(-TYPED_CHARACTERS)) setIsMissing(true)
    else onTrust(fingerprint)
  }
  const { icon: Icon, title, text } = SAYINGS[state]
  return (
    <form onSubmit={submit} className={classes.form}>
      <div className={classes.head} data-state={state}>
        <Icon size={20} aria-hidden />
        <div>
          <p className={classes.title}>{title}</p>
          <p>{text}</p>
        </div>
      </div>
      <dl className={classes.keys}>
        {offered.knownFingerprints.map((known) => (
          <KeyLine key={known} label={state === 'known' ? 'Known' : 'Known until now'} fingerprint={known} />
        ))}
        {state !== 'known' && <KeyLine label={state === 'unknown' ? 'Offered' : 'Offered now'} fingerprint={fingerprint} />}
        <dt>From</dt>
        <dd>
          {offered.hop} · {offered.keyType}
        </dd>
      </dl>
      {canTrust && (
        <p className={classes.how}>
          Compare it with what the machine itself says:{' '}
          <code>ssh-keygen -lf /etc/ssh/ssh_host_{fileOf(offered.keyType)}_key.pub</code>
        </p>
      )}
      {needsTyping && (
        <TextInput
          label={`Only if you know why it changed: type the last ${String(TYPED_CHARACTERS)} characters of the key offered now`}
          description="Capital and small letters count."
          value={typed}
          maxLength={20}
          autoComplete="off"
          spellCheck={false}
          error={isMissing ? 'These are not the last characters of the key offered now.' : undefined}
          onChange={(event) => {
            setTyped(event.currentTarget.value)
            setIsMissing(false)
          }}
        />
      )}
      {error !== undefined && <ErrorNotice error={error} />}
      <Group justify="flex-end" gap="xs">
        <Button ref={cancel} variant={canTrust ? 'filled' : 'default'} onClick={onCancel} data-autofocus>
          {canTrust ? 'Cancel' : 'Close'}
        </Button>
        {canTrust && (
          <Button type="submit" variant="default" loading={busy} disabled={needsTyping && typed.trim() === ''}>
            {needsTyping ? 'Trust the changed key' : 'Trust this key'}
          </Button>
        )}
      </Group>
    </form>
  )
}

function KeyLine({ label, fingerprint }: { label: string; fingerprint: string }) {
  return (
    <>
      <dt>{label}</dt>
      <dd className={classes.fingerprint}>
        <code>{fingerprint}</code>
        <CopyButton value={fingerprint} label={`Copy fingerprint (${label.toLowerCase()})`} />
      </dd>
    </>
  )
}

/** `ssh-ed25519` lies in ssh_host_ed25519_key.pub. */
function fileOf(keyType: string): string {
  if (keyType.includes('ed25519')) return 'ed25519'
  return keyType.includes('ecdsa') ? 'ecdsa' : 'rsa'
}

const SAYINGS = {
  known: { icon: ShieldCheck, title: 'The key is known', text: 'The host offers the key that was trusted before.' },
  unknown: {
    icon: ShieldQuestion,
    title: 'This host was never seen before',
    text: 'Its key decides whether you talk to the machine you mean. Nothing was sent to it yet, no password and no name.',
  },
  changed: {
    icon: ShieldAlert,
    title: 'The host offers another key than before',
    text: 'Either it was set up anew, or somebody stands between you and it. Nothing was sent to it. If you can’t tell why, cancel and ask who runs it.',
  },
  revoked: {
    icon: ShieldX,
    title: 'This key is revoked',
    text: 'Your known_hosts file marks it @revoked. It can’t be trusted from here.',
  },
} as const
