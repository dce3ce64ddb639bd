import type { ErrorInfo } from '../../../shared/model/error.ts'
import { isRunOver, type RunState } from '../../../shared/model/states.ts'
import { applyLine, type SweepModel } from '../../../shared/run/index.ts'
import type { Engine } from '../../engine/types.ts'
import type { SweepHandle } from '../../sweep/types.ts'
import type { CommandContext } from '../context.ts'
import { linkText } from '../live/link-text.ts'
import type { Picture } from '../live/picture.ts'
import { createLiveView } from './live-view.ts'
import { createPlainLines } from './plain-lines.ts'

interface SessionOptions {
  /** false: the machine goes away with this command (demo), so there is nothing to come back to. */
  resumable?: boolean
}

export type SessionOutcome = { kind: 'ended'; state: RunState; reason?: string; error?: ErrorInfo } | { kind: 'detached' }

/** Follows a run until it has ended or the person left it: live grid on a terminal, else a line for each thing that happened. */
export async function followSweep(
  context: CommandContext,
  { store }: Pick<Engine, 'store'>,
  handle: SweepHandle,
  options: SessionOptions = {},
): Promise<SessionOutcome> {
  const { output, interrupts } = context
  const resumable = options.resumable !== false
  const { runId } = handle
  let model = store.runs.sweep(runId, { link: 'reading' })
  const stored = store.runs.lastLine(runId)
  const picture: Picture = { view: model.view, notes: [], gpus: store.runs.document(runId).hardware?.gpus ?? [] }
  const show = (next: SweepModel) => {
    if (next.view.remainingSeconds !== picture.view.remainingSeconds) picture.saidAtMs = context.deps.now()
    model = next
    picture.view = next.view
  }
  show({ ...model, view: { ...model.view, place: handle.place } })
  const comeBack = `speedgrid resume ${runId}`
  let detach: (outcome: SessionOutcome) => void = () => {}
  const detached = new Promise<SessionOutcome>((resolve) => {
    detach = resolve
  })
  let leaving = false
  const leave = async () => {
    leaving = true
    await handle.detach()
    detach({ kind: 'detached' })
  }
  const view = output.live
    ? createLiveView(context, picture, {
        control: (control) => handle.control(control),
        detach: resumable && handle.place === 'host' ? leave : undefined,
      })
    : undefined
  const say = (text: string) => (view ? view.note(text) : output.progress(text))
  if (handle.placeNote) say(handle.placeNote)

  const plainLine = createPlainLines()
  const stopLines = handle.onLine((line) => {
    if (line.n > stored) show(applyLine(model, line).model)
    output.event(line)
    if (view) view.touch()
    else {
      const text = plainLine(line)
      if (text !== undefined) output.progress(text)
    }
  })
  const stopLink = handle.onLink((link) => {
    const { link: before, linkReason: _reason, ...rest } = model.view
    const { state, reason } = link
    show({ ...model, view: { ...rest, link: state, ...(reason === undefined ? {} : { linkReason: reason }) } })
    if (view) return view.touch()
    if (state === before) return
    const text = linkText(model.view)
    if (text !== undefined) output.warn(`${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`)
    else output.progress(before === 'link_down' ? 'The link to the host is up again' : 'What the driver says arrives again')
  })
  const stopTaking = interrupts.takeOver(() => {
    say(
      resumable
        ? 'Interrupting; waiting until everything is stored (Ctrl-C again leaves at once)'
        : 'Stopping (Ctrl-C again leaves at once)',
    )
    handle
      .control({ kind: resumable ? 'interrupt' : 'stop' })
      .catch((error: unknown) => say(`The driver could not be told: ${error instanceof Error ? error.message : 'unknown'}`))
  })
  const stopLeaving = interrupts.onLeave(() => {
    view?.end()
    if (resumable)
      output.warn(
        handle.place === 'host'
          ? `Left. The driver on the host may run on; ${comeBack} finds it.`
          : `Left. Go on with: ${comeBack}`,
      )
  })
  const stopHangup = interrupts.onHangup(() => void leave().catch(() => {}))
  // An interrupt from before there was a run.
  if (interrupts.signal.aborted) await handle.control({ kind: resumable ? 'interrupt' : 'stop' })
  try {
    // Detaching ends `finished` too, with the state the run is in.
    const ended = handle.finished.then(
      (end): SessionOutcome => (leaving && !isRunOver(end.state) ? { kind: 'detached' } : { kind: 'ended', ...end }),
    )
    return await Promise.race([ended, detached])
  } finally {
    for (const stop of [stopLines, stopLink, stopTaking, stopLeaving, stopHangup]) stop()
    view?.end()
  }
}
