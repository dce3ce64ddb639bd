import { NOT_MEASURED, decimalText } from './numbers.ts'

/** A duration in seconds for people: 0.4 → "0.4 s", 65 → "1 min 05 s", 3780 → "1 h 03 min", 90000 → "1 d 1 h". */
export function durationText(seconds: number | undefined): string {
  if (seconds === undefined || !Number.isFinite(seconds)) return NOT_MEASURED
  const whole = Math.round(seconds)
  if (whole < 10) return `${decimalText(seconds, 1)} s`
  if (whole < 60) return `${String(whole)} s`
  if (whole < 3600) return `${String(Math.floor(whole / 60))} min ${two(whole % 60)} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 24 * 60) return `${String(Math.floor(minutes / 60))} h ${two(minutes % 60)} min`
  const hours = Math.round(seconds / 3600)
  return `${String(Math.floor(hours / 24))} d ${String(hours % 24)} h`
}

/** A running clock: 65 → "1:05", 3725 → "1:02:05". */
export function clockText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const hours = Math.floor(whole / 3600)
  const minutes = Math.floor((whole % 3600) / 60)
  return hours > 0 ? `${String(hours)}:${two(minutes)}:${two(whole % 60)}` : `${String(minutes)}:${two(whole % 60)}`
}

/** An instant (ISO text or Unix ms) in UTC, so that a report reads the same everywhere: "2026-10-07 18:03 UTC". */
export function absoluteTime(instant: string | number | undefined): string {
  if (instant === undefined) return NOT_MEASURED
  const date = new Date(instant)
  if (Number.isNaN(date.getTime())) return NOT_MEASURED
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

const MAX_ISO_MS = 253_402_300_799_999

/**
 * Unix ms as ISO text with a year of four digits. Older versions stored times that a host sent as they came: one that no date can have
 * becomes the nearest that one can, so that the run it stands in still opens.
 */
export function isoTime(ms: number): string {
  const known = Number.isNaN(ms) ? 0 : ms
  return new Date(Math.min(MAX_ISO_MS, Math.max(0, known))).toISOString()
}

/** ISO text that was stored, as `isoTime` would write it. */
export function saneIsoTime(text: string): string {
  return /^\d{4}-/.test(text) ? text : isoTime(Date.parse(text))
}

/** Only the day, in UTC: "2026-10-07". */
export function dayText(instant: string | number | undefined): string {
  const text = absoluteTime(instant)
  return text === NOT_MEASURED ? text : text.slice(0, 10)
}

const STEPS = [
  { unit: 'minute', seconds: 60 },
  { unit: 'hour', seconds: 3600 },
  { unit: 'day', seconds: 86_400 },
] as const

/** How long ago: "just now", "3 minutes ago", "in 2 hours"; beyond 14 days the day itself. */
export function relativeTime(instant: string | number, nowMs: number): string {
  const at = new Date(instant).getTime()
  if (Number.isNaN(at)) return NOT_MEASURED
  const seconds = (nowMs - at) / 1000
  const away = Math.abs(seconds)
  if (away < 45) return 'just now'
  if (away > 14 * 86_400) return dayText(at)
  const step = [...STEPS].reverse().find((it) => away >= it.seconds * 0.75) ?? STEPS[0]
  const count = Math.max(1, Math.round(away / step.seconds))
  const text = `${String(count)} ${step.unit}${count === 1 ? '' : 's'}`
  return seconds >= 0 ? `${text} ago` : `in ${text}`
}

const two = (value: number) => String(value).padStart(2, '0')
