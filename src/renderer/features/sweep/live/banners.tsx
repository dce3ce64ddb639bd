import { CircleAlert, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { isRunOver } from '../../../../shared/model/states.ts'
import { ErrorNotice } from '../../../ui/error-notice.tsx'
import { useSweep } from '../state/sweep-feed.ts'
import classes from './live.module.css'

/** What stands between the person and the truth: a lost link, a dead driver, why the run ended. */
export function Banners() {
  const head = useSweep((state) => state.head)
  const { link, linkReason, state, reason, error } = head
  const over = isRunOver(state)
  return (
    <>
      {link === 'link_down' && !over && (
        <Banner tone="warn">
          <strong>
            {head.place === 'local' ? 'The driver’s folder on this machine can’t be read.' : 'The link to the host is down.'}
          </strong>{' '}
          {head.place === 'host' && 'The sweep runs on there; the grid catches up when the link is back. '}
          {head.place === 'tunnel' && 'The sweep waits for it. '}
          {linkReason}
        </Banner>
      )}
      {link === 'history_down' && !over && (
        <Banner tone="warn">
          <strong>The history can’t be written:</strong> {linkReason}. Measuring goes on; what the driver says is stored when the
          history can be written again.
        </Banner>
      )}
      {link === 'driver_silent' && !over && (
        <Banner tone="warn">
          <strong>The driver says nothing:</strong> {linkReason}.
        </Banner>
      )}
      {link === 'driver_gone' && !over && (
        <Banner tone="bad">
          <strong>The driver is gone.</strong> {linkReason} Finished cells are kept; “Go on with the run” measures what is
          missing.
        </Banner>
      )}
      {link === 'not_attached' && !over && state !== 'interrupted' && (
        <Banner tone="info">
          <strong>Nobody reads this run right now.</strong> {linkReason ?? 'Another engine owns it, or none does.'} “Go on with
          the run” takes it over where it is.
        </Banner>
      )}
      {error !== undefined && (
        <div className={classes.error}>
          <ErrorNotice error={error} />
        </div>
      )}
      {error === undefined &&
        reason !== undefined &&
        (state === 'failed' || state === 'interrupted' || state === 'stopped' || state === 'paused') && (
          <Banner tone={state === 'failed' ? 'bad' : 'info'}>{reason}</Banner>
        )}
    </>
  )
}

const ICONS = { info: Info, warn: TriangleAlert, bad: CircleAlert }

function Banner({ tone, children }: { tone: 'info' | 'warn' | 'bad'; children: ReactNode }) {
  const Icon = ICONS[tone]
  return (
    <div className={classes.banner} data-tone={tone} role={tone === 'info' ? 'status' : 'alert'}>
      <Icon size={16} aria-hidden />
      <span>{children}</span>
    </div>
  )
}
