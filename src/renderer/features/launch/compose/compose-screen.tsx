import { Button } from '@mantine/core'
import { Rocket } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import type { HostView } from '../../../../shared/contract/hosts.ts'
import { useCommands } from '../../../app/commands-context.ts'
import { Screen } from '../../../app/screen.tsx'
import { navigate } from '../../../app/use-route.ts'
import { useClient } from '../../../state/context.ts'
import { useCommandTo, useQuery } from '../../../state/use-query.ts'
import { Kbd } from '../../../ui/kbd.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { readCommand, takeSecrets } from '../../../../shared/command/index.ts'
import { OnHost } from '../side/on-host.tsx'
import { SaveButton } from '../side/save-button.tsx'
import { SavedLaunches } from '../side/saved-launches.tsx'
import { CommandForm } from './command-form.tsx'
import { CommandPanel } from './command-panel.tsx'
import classes from './compose.module.css'
import { commandToLaunch, type Draft, reduceDraft, startDraft } from './draft.ts'
import { HostPicker, rememberHost } from './host-picker.tsx'
import { useInventory } from './use-inventory.ts'
import { useDraft } from './use-draft.ts'
import { useParsed } from './use-parsed.ts'

interface ComposeScreenProps {
  hosts: readonly HostView[]
  chosen: HostView
  /** A command that was asked for. */
  command: string | undefined
}

/** How the server is listed: as the saved launch, else as the model. */
function serverName({ text, saved }: Draft): string {
  const model = readCommand(text).model?.value
  return (saved?.name ?? model?.split('/').findLast((part) => part !== '') ?? '').slice(0, 100)
}

export function ComposeScreen({ hosts, chosen, command }: ComposeScreenProps) {
  const client = useClient()
  const [state, dispatch] = useDraft(command, chosen.host.name)
  const { draft } = state
  const fieldRef = useRef<HTMLTextAreaElement>(null)
  const [help, setHelp] = useState<string>()
  const reading = useMemo(
    () =>
      readCommand(
        draft.text,
        draft.secrets.map(({ name }) => name),
      ),
    [draft.text, draft.secrets],
  )
  const parsed = useParsed(draft)
  const saved = useQuery('saved launches', (signal) => client.servers.savedLaunches.query(undefined, { signal }))
  const host = chosen.host.name
  useInventory(chosen)
  const launch = useCommandTo(async (it: Draft) => {
    rememberHost(host)
    const { launchId } = await client.servers.launch.mutate({
      host,
      ...commandToLaunch(it),
      name: serverName(it),
      ...(it.environment === undefined ? {} : { environment: it.environment }),
    })
    navigate({ screen: 'launch', launchId })
  })
  const canLaunch = draft.text.trim() !== '' && parsed?.ok !== false && !launch.busy
  const start = () => {
    if (!canLaunch) return
    // What was just typed may still hold its secret.
    const settled = reduceDraft(startDraft(draft), { kind: 'takeSecrets' }).draft
    dispatch({ kind: 'takeSecrets' })
    void launch.run(settled)
  }
  useCommands([
    {
      id: 'launch.start',
      title: 'Launch the server',
      section: 'Launch',
      shortcuts: ['Mod+Enter'],
      inFields: true,
      when: () => canLaunch,
      run: start,
    },
  ])
  return (
    <Screen
      title="Launch"
      layout="fill"
      context={
        <HostPicker
          hosts={hosts}
          chosen={chosen}
          onChoose={(name) => {
            rememberHost(name)
            navigate({ screen: 'launch', host: name }, 'replace')
          }}
        />
      }
      actions={
        <>
          <SaveButton draft={draft} dispatch={dispatch} taken={saved.value ?? []} onSaved={saved.reload} />
          <Button
            leftSection={<Rocket size={14} aria-hidden />}
            rightSection={<Kbd keys="Mod+Enter" />}
            disabled={!canLaunch && !launch.busy}
            loading={launch.busy}
            onClick={start}
          >
            Launch
          </Button>
        </>
      }
    >
      <div className={classes.compose}>
        <div className={classes.side}>
          <SavedLaunches
            saved={saved}
            openId={draft.saved?.id}
            onOpen={({ id, name, command: text, environment }) => {
              dispatch({
                kind: 'open',
                draft: { ...takeSecrets(text), environment, saved: { id, name, command: text, environment } },
              })
            }}
          />
          <OnHost view={chosen} />
        </div>
        <CommandPanel
          state={state}
          dispatch={dispatch}
          parsed={parsed}
          repairs={reading.repairs}
          fieldRef={fieldRef}
          error={launch.error}
          onDismiss={launch.clear}
        />
        <Panel title="Form" note="edits the command, and the other way round" padding="none" className={classes.formPanel}>
          <div className={classes.formScroll}>
            <CommandForm
              draft={draft}
              reading={reading}
              inventory={chosen.inventory}
              dispatch={dispatch}
              onHelp={setHelp}
              onFind={({ start: from, end }) => {
                fieldRef.current?.focus()
                fieldRef.current?.setSelectionRange(from, end)
              }}
            />
          </div>
          <p className={classes.formHelp} aria-hidden>
            {help ?? 'What a field means is shown here. Any other flag can be written into the command.'}
          </p>
        </Panel>
      </div>
    </Screen>
  )
}
