import { Tooltip } from '@mantine/core'
import { absoluteTime, relativeTime } from '../../shared/format/index.ts'
import { useNow } from './use-now.ts'

/** "3 minutes ago"; the exact time, here and in UTC, on hover and focus. */
export function TimeText({ at }: { at: string | number }) {
  const now = useNow(15_000)
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return <span>—</span>
  return (
    <Tooltip label={exactTime(date)}>
      <time dateTime={date.toISOString()}>{relativeTime(at, now)}</time>
    </Tooltip>
  )
}

export function exactTime(date: Date): string {
  const here = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' }).format(date)
  return `${here} here · ${absoluteTime(date.getTime())}`
}
