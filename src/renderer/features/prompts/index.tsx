import type { PromptView } from '../../../shared/contract/prompts.ts'
import { useEffect } from 'react'
import { useApp } from '../../state/context.ts'
import { useCommandTo } from '../../state/use-query.ts'
import { useFeedStore } from '../../state/use-feed.ts'
import { HostKeyQuestion } from '../hosts/key/host-key-question.tsx'
import { SecretQuestion } from './secret-question.tsx'
import { useKeptAnswer } from './use-kept-answer.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { showNote } from '../../ui/toasts.tsx'

/**
 * Questions of the engine, one after the other, as dialogs over whatever is shown. Closing one answers "no". One whose connection is gone
 * closes by itself, and a note says why.
 */
export function Prompts() {
  const { prompts, onPromptWithdrawn } = useApp()
  useEffect(() => onPromptWithdrawn(showNote), [onPromptWithdrawn])
  const list = useFeedStore(prompts, (state) => state.value ?? [])
  const [first] = list
  return first === undefined ? null : <PromptDialog key={first.id} prompt={first} more={list.length - 1} />
}

type Answer = { keep?: boolean; value?: string | undefined; trust?: boolean }

function PromptDialog({ prompt, more }: { prompt: PromptView; more: number }) {
  const { client, shell } = useApp()
  const { id, kind } = prompt
  const isAnswered = useKeptAnswer(prompt)
  const answer = useCommandTo(async ({ value, keep = false, trust = false }: Answer) => {
    // Kept first: when the keyring refuses, the person still sees the question and why.
    if (keep && value !== undefined && prompt.kind === 'secret' && prompt.keepAs !== undefined) {
      await shell.keepSecret({ name: prompt.keepAs, value })
    }
    await client.prompts.answer.mutate(
      kind === 'secret' ? { kind, id, ...(value === undefined ? {} : { value }) } : { kind, id, trust },
    )
  })
  const cancel = () => void answer.run({})
  if (isAnswered !== false) return null
  const title = prompt.kind === 'secret' ? 'A question from the host' : `Host key of ${prompt.host}`
  return (
    <Dialog
      onClose={cancel}
      title={more > 0 ? `${title} (${String(more)} more after it)` : title}
      size={prompt.kind === 'secret' ? 'md' : 'lg'}
    >
      {prompt.kind === 'secret' ? (
        <SecretQuestion
          prompt={prompt}
          busy={answer.busy}
          error={answer.error}
          onCancel={cancel}
          onAnswer={(value, keep) => void answer.run({ value, keep })}
        />
      ) : (
        <HostKeyQuestion
          offered={{
            hop: prompt.host,
            keyType: prompt.keyType,
            fingerprint: prompt.fingerprint,
            state: 'unknown',
            knownFingerprints: [],
          }}
          busy={answer.busy}
          error={answer.error}
          onCancel={cancel}
          onTrust={() => void answer.run({ trust: true })}
        />
      )}
    </Dialog>
  )
}
