import { Button, Loader } from '@mantine/core'
import { RefreshCw } from 'lucide-react'
import { useMemo } from 'react'
import type { DryRunView } from '../../../../shared/contract/sweeps.ts'
import { contextLabel, countText, durationText } from '../../../../shared/format/index.ts'
import type { Plan } from '../../../../shared/model/plan.ts'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { PLACE_LABELS } from '../live/head-text.ts'
import { previewOf, type Refusal, shapeOf } from './dry-run.ts'
import { contextText } from './lists.ts'
import classes from './plan.module.css'
import type { PlanForm } from './plan-form.ts'
import { PreviewGrid, PreviewKey } from './preview-grid.tsx'
import type { DryRunState } from './use-dry-run.ts'
import type { PlanEditor } from './use-plan-editor.ts'

interface DryRunPanelProps {
  dryRun: DryRunState
  isReady: boolean
  editor: PlanEditor
}

/** What would happen: asked of the server itself, nothing is measured. */
export function DryRunPanel({ dryRun, isReady, editor }: DryRunPanelProps) {
  const { outcome, busy, stale, ask, input } = dryRun
  return (
    <Panel
      title="Dry run"
      note={busy ? 'asking the server…' : stale ? 'the plan has changed since' : undefined}
      actions={
        <Button
          variant="default"
          size="compact-sm"
          disabled={!isReady || busy}
          leftSection={busy ? <Loader size={12} aria-hidden /> : <RefreshCw size={13} aria-hidden />}
          onClick={ask}
        >
          Ask the server
        </Button>
      }
    >
      <div className={classes.dry} aria-live="polite" aria-busy={busy}>
        {outcome === undefined && <Unasked plan={editor.plan} isReady={isReady} />}
        {outcome?.kind === 'error' && <ErrorNotice error={outcome.error} onRetry={ask} />}
        {outcome?.kind === 'answer' && input && (
          <Answer
            view={outcome.view}
            refusals={outcome.refusals}
            concurrency={input.plan.concurrency}
            stale={stale}
            form={editor.form}
            change={editor.change}
          />
        )}
      </div>
    </Panel>
  )
}

/** The plan's shape before any server was asked. */
function Unasked({ plan, isReady }: { plan: Plan | undefined; isReady: boolean }) {
  const shape = useMemo(() => plan && shapeOf(plan), [plan])
  return (
    <>
      {shape && plan && (
        <>
          <p className={classes.eta}>
            <strong>{countText(shape.preview.counts.run * plan.repeats)} cells</strong> in about{' '}
            <strong>{durationText(shape.seconds)}</strong>
            <span className={classes.quiet}> · a first guess</span>
          </p>
          <PreviewGrid preview={shape.preview} stale={false} />
        </>
      )}
      <p className={classes.quiet}>
        {isReady
          ? 'Ask the server which of them can’t run and how long the rest really takes. Nothing is measured.'
          : 'Choose what is measured: the server then says which cells can’t run, why, and how long the rest takes, before anything is measured.'}
      </p>
    </>
  )
}

interface AnswerProps {
  view: DryRunView
  refusals: Refusal[]
  concurrency: number[]
  stale: boolean
  form: PlanForm
  change: (change: Partial<PlanForm>) => void
}

function Answer({ view, refusals, concurrency, stale, form, change }: AnswerProps) {
  const preview = useMemo(() => previewOf(view, refusals, concurrency), [view, refusals, concurrency])
  const repeats = Math.max(1, ...view.cells.map((cell) => cell.repeat))
  return (
    <>
      <p className={classes.eta}>
        <strong>{countText(preview.counts.run * repeats)} cells</strong> in about{' '}
        <strong>{durationText(view.estimateSeconds)}</strong>
        <span className={classes.quiet}> · {PLACE_LABELS[view.place]}</span>
      </p>
      {view.placeNote !== undefined && <p className={classes.note}>{view.placeNote}</p>}
      <PreviewGrid preview={preview} stale={stale} />
      <PreviewKey preview={preview} />
      {refusals.length > 0 && <Refusals refusals={refusals} form={form} change={change} />}
      <Facts view={view} />
    </>
  )
}

function Refusals({
  refusals,
  form,
  change,
}: {
  refusals: Refusal[]
  form: PlanForm
  change: (change: Partial<PlanForm>) => void
}) {
  const left = (of: Refusal['of']) => form[of].filter((context) => !refusals.some((it) => it.of === of && it.context === context))
  return (
    <section className={classes.refused} aria-label="Refused contexts">
      <ul>
        {refusals.map((refusal) => (
          <li key={`${refusal.of} ${refusal.context}`}>
            <strong>
              {refusal.of === 'contexts' ? '' : 'Prefill '}
              {contextText(refusal.context)}
            </strong>{' '}
            {refusal.reason}
          </li>
        ))}
      </ul>
      <p>{[...new Set(refusals.map((refusal) => refusal.nextStep))].filter(Boolean).join(' ')}</p>
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => change({ contexts: left('contexts'), prefillContexts: left('prefillContexts') })}
      >
        Take what doesn’t fit out of the plan
      </Button>
    </section>
  )
}

function Facts({ view }: { view: DryRunView }) {
  const { facts, prefillContexts } = view
  const lines: [string, string | undefined][] = [
    ['Model', facts.model ?? facts.servedModel],
    ['Engine', [facts.name, facts.version].filter(Boolean).join(' ')],
    ['Longest request', facts.maxModelLen === undefined ? undefined : `${countText(facts.maxModelLen)} tokens`],
    [
      'KV cache',
      facts.kvTokens === undefined
        ? 'size unknown: no cell can be ruled out'
        : `${countText(facts.kvTokens)} tokens${facts.kvTokensSource ? ` (${facts.kvTokensSource})` : ''}`,
    ],
    [
      'Requests at once',
      facts.maxNumSeqs === undefined ? undefined : `at most ${countText(facts.maxNumSeqs)}; more are queued and flagged`,
    ],
    ['Prefill at', prefillContexts.length === 0 ? 'none' : prefillContexts.map(contextLabel).join(', ')],
  ]
  return (
    <dl className={classes.facts}>
      {lines.map(([label, text]) =>
        text === undefined ? null : (
          <div key={label}>
            <dt>{label}</dt>
            <dd className="figure">{text}</dd>
          </div>
        ),
      )}
    </dl>
  )
}
