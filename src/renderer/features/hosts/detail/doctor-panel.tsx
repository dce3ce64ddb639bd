import { ActionIcon, Button, Loader } from '@mantine/core'
import { X } from 'lucide-react'
import type { DoctorCheckView } from '../../../../shared/contract/hosts.ts'
import { markdownTable, markdownText } from '../../../../shared/format/index.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { Panel } from '../../../ui/panel.tsx'
import classes from './doctor-panel.module.css'
import { type DoctorState, useDoctor } from './use-doctor.ts'

const LABELS: Record<string, string> = {
  dns: 'Name (DNS)',
  tcp: 'Port of SSH',
  host_key: 'Host key',
  authentication: 'Authentication',
  shell: 'Shell',
  python: 'Python',
  vllm: 'vLLM',
  gpus: 'GPUs',
  disk: 'Free disk',
  node: 'Node for the driver',
  session: 'Processes after logout',
  port: 'Port of the server',
}
const SIGNS = { pass: '✓', fail: '✕', skipped: '–' } as const
const WORDS = { pass: 'Pass', fail: 'Fail', skipped: 'Not checked' } as const

export function DoctorPanel({ name, onClose }: { name: string; onClose: () => void }) {
  const doctor = useDoctor(name)
  const isRunning = doctor.state === 'running'
  return (
    <Panel
      title="Doctor"
      note={<span aria-live="polite">{verdict(doctor)}</span>}
      padding="none"
      actions={
        <>
          {isRunning ? (
            <Button size="compact-sm" variant="default" onClick={doctor.stop}>
              Stop
            </Button>
          ) : (
            <Button size="compact-sm" variant="default" onClick={doctor.again}>
              Check again
            </Button>
          )}
          <CopyButton value={() => doctorMarkdown(name, doctor.checks)} label="Copy the checks as Markdown" />
          <ActionIcon variant="subtle" color="gray" size={24} aria-label="Close the doctor" onClick={onClose}>
            <X size={14} aria-hidden />
          </ActionIcon>
        </>
      }
    >
      <ol className={classes.checks}>
        {doctor.checks.map((check) => (
          <li key={check.check} className={classes.check} data-outcome={check.outcome}>
            <span className={classes.sign} aria-hidden>
              {SIGNS[check.outcome]}
            </span>
            <div className={classes.text}>
              <strong className={classes.label}>
                {labelOf(check)} <span className="visually-hidden">{WORDS[check.outcome]}</span>
              </strong>
              <div className={classes.evidence}>{check.evidence}</div>
              {check.remedy !== undefined && <div className={classes.remedy}>→ {check.remedy}</div>}
            </div>
          </li>
        ))}
        {isRunning && (
          <li className={classes.check}>
            <span className={classes.sign}>
              <Loader size={12} aria-hidden />
            </span>
            <span className={classes.evidence}>Checking…</span>
          </li>
        )}
      </ol>
      {doctor.error !== undefined && <ErrorNotice error={doctor.error} onRetry={doctor.again} />}
    </Panel>
  )
}

const labelOf = ({ check }: DoctorCheckView) => LABELS[check] ?? check

function verdict({ checks, state }: DoctorState): string {
  const failed = checks.filter((check) => check.outcome === 'fail').length
  if (state === 'running') return `${String(checks.length)} checked…`
  if (state === 'stopped') return `stopped after ${String(checks.length)}`
  if (state === 'failed') return ''
  return failed === 0 ? 'everything is fine' : `${String(failed)} of ${String(checks.length)} failed`
}

function doctorMarkdown(name: string, checks: readonly DoctorCheckView[]): string {
  const rows = checks.map((check) => [labelOf(check), WORDS[check.outcome], check.evidence, check.remedy ?? ''].map(markdownText))
  return `Doctor of ${markdownText(name)}\n\n${markdownTable(['Check', 'Outcome', 'Evidence', 'Remedy'], rows)}`
}
