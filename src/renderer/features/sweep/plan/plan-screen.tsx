import { Button, SegmentedControl, Tooltip } from '@mantine/core'
import { ChevronRight, Play } from 'lucide-react'
import { useState } from 'react'
import { useCommands } from '../../../app/commands-context.ts'
import { Screen } from '../../../app/screen.tsx'
import { navigate } from '../../../app/use-route.ts'
import { useClient } from '../../../state/context.ts'
import { useCommandTo } from '../../../state/use-query.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { Kbd } from '../../../ui/kbd.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { ADVANCED_FIELDS, AdvancedPart } from './advanced-part.tsx'
import { sweepCommand } from './command.ts'
import { DryRunPanel } from './dry-run-panel.tsx'
import { GridPart, PrefillPart } from './grid-part.tsx'
import { HowPart } from './how-part.tsx'
import classes from './plan.module.css'
import type { SweepInput } from './plan-form.ts'
import { PRESETS, presetOf, withPreset } from './presets.ts'
import { TargetPart } from './target-part.tsx'
import { useDryRun } from './use-dry-run.ts'
import { type PlanEditor, usePlanEditor } from './use-plan-editor.ts'

const RUN_KEYS = 'Mod+Enter'

/** The plan of a new sweep: what to measure on the left, what that means on the right. */
export function PlanScreen(target: { host?: string | undefined; server?: string | undefined }) {
  const client = useClient()
  const editor = usePlanEditor(target)
  const { input, showAll, problems } = editor
  const dryRun = useDryRun(input)
  const start = useCommandTo(async (asked: SweepInput) => {
    const { runId } = await client.sweeps.start.mutate(asked)
    navigate({ screen: 'sweep', runId })
  })
  const run = () => {
    if (input) void start.run(input)
    else {
      showAll()
      // The messages are rendered first, then the first field with one takes the focus.
      setTimeout(() => document.querySelector<HTMLElement>('#screen [aria-invalid="true"]')?.focus(), 0)
    }
  }
  useCommands([
    {
      id: 'sweep.run',
      title: 'Run this plan',
      section: 'Sweep',
      shortcuts: [RUN_KEYS],
      inFields: true,
      when: () => !start.busy,
      run,
    },
    {
      id: 'sweep.dryRun',
      title: 'Dry run',
      section: 'Sweep',
      shortcuts: ['Alt+D'],
      when: () => input !== undefined,
      run: dryRun.ask,
    },
  ])
  return (
    <Screen
      title="New sweep"
      actions={
        <Tooltip
          label={
            <span>
              Starts measuring <Kbd keys={RUN_KEYS} />
            </span>
          }
        >
          <Button leftSection={<Play size={14} aria-hidden />} loading={start.busy} onClick={run}>
            Run
          </Button>
        </Tooltip>
      }
      layout="fill"
    >
      <div className={classes.screen}>
        <Editor editor={editor} />
        <div className={classes.right}>
          {start.error && <ErrorNotice error={start.error} onClose={start.clear} />}
          <DryRunPanel dryRun={dryRun} isReady={input !== undefined} editor={editor} />
          <CommandPanel input={input} problems={problems} />
        </div>
      </div>
    </Screen>
  )
}

function Editor({ editor }: { editor: PlanEditor }) {
  const { form, errors, change } = editor
  const part = { form, errors, change }
  const preset = presetOf(form)
  const hint = PRESETS.find((it) => it.id === preset)?.hint ?? 'A plan of your own.'
  return (
    <form className={classes.editor} aria-label="Plan" onSubmit={(event) => event.preventDefault()}>
      <div className={classes.presets}>
        <SegmentedControl
          aria-label="Preset"
          data={[
            ...PRESETS.map(({ id, label }) => ({ value: id as string, label })),
            { value: 'custom', label: 'Custom', disabled: preset !== 'custom' },
          ]}
          value={preset}
          onChange={(value) => {
            const chosen = PRESETS.find((it) => it.id === value)
            if (chosen) change(withPreset(form, chosen.id))
          }}
        />
        <p className={classes.quiet}>{hint}</p>
      </div>
      <TargetPart {...part} />
      <GridPart {...part} />
      <PrefillPart {...part} />
      <HowPart {...part} />
      <Advanced editor={editor} />
    </form>
  )
}

function Advanced({ editor }: { editor: PlanEditor }) {
  const [isOpen, setOpen] = useState(false)
  const hasProblem = ADVANCED_FIELDS.some((name) => editor.errors[name] !== undefined)
  const open = isOpen || hasProblem
  return (
    <section className={classes.more}>
      <button type="button" className={classes.moreHead} aria-expanded={open} onClick={() => setOpen(!isOpen)}>
        <ChevronRight size={15} aria-hidden data-open={open || undefined} /> Advanced
      </button>
      {open && <AdvancedPart {...editor} />}
    </section>
  )
}

function CommandPanel({ input, problems }: { input: SweepInput | undefined; problems: string[] }) {
  const command = input && sweepCommand(input)
  return (
    <Panel
      title="The same on the command line"
      actions={command !== undefined && <CopyButton value={command} label="Copy the command" />}
    >
      {command === undefined ? (
        <ul className={classes.quiet}>
          {problems.map((problem) => (
            <li key={problem}>{problem}.</li>
          ))}
        </ul>
      ) : (
        <pre className={classes.command}>{command}</pre>
      )}
    </Panel>
  )
}
