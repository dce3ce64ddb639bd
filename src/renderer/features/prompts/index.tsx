import type { PromptView } from '../../../shared/contract/prompts.ts'
import { useApp } from '../../state/context.ts'
import { useCommandTo } from '../../state/use-query.ts'
import { useFeedStore } from '../../state/use-feed.ts'
import { HostKeyQuestion } from '../hosts/key/host-key-question.tsx'
import { SecretQuestion } from './secret-question.tsx'
import { Dialog } from '../../ui/dialog.tsx'

/** Questions of the engine, one after the other, as dialogs over whatever is shown. Closing one answers "no". */
export function Prompts() {
  const { prompts } = useApp()
  const list = useFeedStore(prompts, (state) => state.value ?? [])
  const [first] = list
  return first === undefined ? null : <PromptDialog key={first.id} prompt={first} more={list.length - 1} />
}

type Answer = { value?: string | undefined; trust?: boolean }

function PromptDialog({ prompt, more }: { prompt: PromptView; more: number }) {
  const { client } = useApp()
  const { id, kind } = prompt
  const answer = useCommandTo(({ value, trust = false }: Answer) =>
    client.prompts.answer.mutate(
      kind === 'secret' ? { kind, id, ...(value === undefined ? {} : { value }) } : { kind, id, trust },
    ),
  )
  const cancel = () => void answer.run({})
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
          onAnswer={(value) => void answer.run({ value })}
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
