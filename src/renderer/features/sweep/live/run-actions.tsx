import { ActionIcon, Button, Menu, Tooltip } from '@mantine/core'
import { Ellipsis, Pause, Play, RotateCw, SkipForward, Square } from 'lucide-react'
import { useCommands } from '../../../app/commands-context.ts'
import { hrefOf } from '../../../app/routes.ts'
import { navigate } from '../../../app/use-route.ts'
import { useApp } from '../../../state/context.ts'
import { Kbd } from '../../../ui/kbd.tsx'
import { showDone, showProblem } from '../../../ui/toasts.tsx'
import { writeDraft } from '../plan/draft.ts'
import { formOfPlan } from '../plan/form-of-plan.ts'
import { useSweep } from '../state/sweep-feed.ts'
import { type RunControl, useRunControl } from './use-run-control.ts'

const PAUSE_KEYS = 'Mod+Alt+P'
const SKIP_KEYS = 'Mod+Alt+S'
const STOP_KEYS = 'Mod+.'

/** The controls of the run in the header. Only what can be done now is there. */
export function RunActions() {
  const control = useRunControl()
  useRunCommands(control)
  const { can } = control
  return (
    <>
      {can.resume && (
        <Button leftSection={<RotateCw size={14} aria-hidden />} onClick={() => void control.resume()}>
          Go on with the run
        </Button>
      )}
      {can.skip && (
        <Tooltip label={<KeyedLabel text="Leave out the cell that is being measured" keys={SKIP_KEYS} />}>
          <Button
            variant="default"
            leftSection={<SkipForward size={14} aria-hidden />}
            onClick={() => void control.skipCurrent()}
          >
            Skip
          </Button>
        </Tooltip>
      )}
      {can.pause && (
        <Tooltip label={<KeyedLabel text="Pause after this cell" keys={PAUSE_KEYS} />}>
          <Button variant="default" leftSection={<Pause size={14} aria-hidden />} onClick={() => void control.pause()}>
            Pause
          </Button>
        </Tooltip>
      )}
      {can.goOn && (
        <Tooltip label={<KeyedLabel text="Go on measuring" keys={PAUSE_KEYS} />}>
          <Button leftSection={<Play size={14} aria-hidden />} onClick={() => void control.goOn()}>
            Go on
          </Button>
        </Tooltip>
      )}
      {can.stop && (
        <Tooltip label={<KeyedLabel text="End the run now; what is measured is kept" keys={STOP_KEYS} />}>
          <Button variant="default" leftSection={<Square size={13} aria-hidden />} onClick={() => void control.stop()}>
            Stop
          </Button>
        </Tooltip>
      )}
      <MoreMenu />
    </>
  )
}

function KeyedLabel({ text, keys }: { text: string; keys: string }) {
  return (
    <span>
      {text} <Kbd keys={keys} />
    </span>
  )
}

function useRunCommands(control: RunControl) {
  const { can } = control
  useCommands([
    {
      id: 'sweep.pause',
      title: can.goOn ? 'Go on with the sweep' : 'Pause the sweep',
      section: 'Sweep',
      shortcuts: [PAUSE_KEYS],
      when: () => can.pause || can.goOn,
      run: () => void (can.goOn ? control.goOn() : control.pause()),
    },
    {
      id: 'sweep.skip',
      title: 'Skip this cell',
      section: 'Sweep',
      shortcuts: [SKIP_KEYS],
      when: () => can.skip,
      run: () => void control.skipCurrent(),
    },
    {
      id: 'sweep.stop',
      title: 'Stop the sweep',
      section: 'Sweep',
      shortcuts: [STOP_KEYS, 'Ctrl+Cancel'],
      when: () => can.stop,
      run: () => void control.stop(),
    },
    {
      id: 'sweep.resume',
      title: 'Go on with the run',
      section: 'Sweep',
      when: () => can.resume,
      run: () => void control.resume(),
    },
  ])
}

function MoreMenu() {
  const { client, settings } = useApp()
  const runId = useSweep((state) => state.head.runId)
  const name = useSweep((state) => state.head.name)
  const again = async () => {
    try {
      const { plan, host } = await client.runs.document.query({ runId })
      writeDraft(formOfPlan(plan, { host: host?.name }))
      navigate({ screen: 'sweep' })
    } catch (error) {
      showProblem(error)
    }
  }
  const asBaseline = () =>
    settings
      .getState()
      .change({ baselineRunId: runId })
      .then(() => {
        showDone(`${name} is the baseline now`)
      }, showProblem)
  useCommands([
    {
      id: 'sweep.baseline',
      title: 'Use this run as baseline',
      section: 'Sweep',
      shortcuts: ['B'],
      when: () => document.activeElement?.closest('[role="grid"]') != null,
      run: () => void asBaseline(),
    },
  ])
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size={30} aria-label="More about this run">
          <Ellipsis size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={hrefOf({ screen: 'report', runId })}>
          Report
        </Menu.Item>
        <Menu.Item component="a" href={hrefOf({ screen: 'history', runId })}>
          Show in history
        </Menu.Item>
        <Menu.Item onClick={() => void asBaseline()}>Use as baseline</Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={() => void again()}>New sweep like this one</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
