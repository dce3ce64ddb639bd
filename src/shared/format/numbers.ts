/** What stands where a figure was not measured. */
export const NOT_MEASURED = '—'

/** Rounds half away from zero on the decimal text people see (1.005 → "1.01", where toFixed alone says "1.00"). */
export function fixed(value: number, decimals: number): string {
  if (!Number.isFinite(value)) return NOT_MEASURED
  const scaled = Number(`${Math.abs(value).toPrecision(15)}e${String(decimals)}`)
  const text = (Number.isNaN(scaled) ? Math.abs(value) : Number(`${String(Math.round(scaled))}e-${String(decimals)}`)).toFixed(
    decimals,
  )
  const negative = value < 0 && /[1-9]/.test(text)
  return negative ? `-${text}` : text
}

/** Digits in groups of three: "262144" → "262,144". Own code: the first toLocaleString of a process loads locale data for hundreds of ms. */
export function withCommas(digits: string): string {
  const groups: string[] = []
  let rest = digits
  for (; /\d{4}$/.test(rest); rest = rest.slice(0, -3)) groups.unshift(rest.slice(-3))
  return [rest, ...groups].join(',')
}

function grouped(text: string): string {
  const [whole = '', fraction] = text.split('.')
  const commas = withCommas(whole)
  return fraction === undefined ? commas : `${commas}.${fraction}`
}

type Measured = number | undefined

const orDash = (value: Measured, write: (value: number) => string) =>
  value === undefined || !Number.isFinite(value) ? NOT_MEASURED : write(value)

/** Whole number with thousands commas: 13659 → "13,659". */
export const countText = (value: Measured): string => orDash(value, (it) => grouped(fixed(it, 0)))

/** One decimal (or as many as asked) with thousands commas: 1742.5 → "1,742.5". */
export const decimalText = (value: Measured, decimals = 1): string => orDash(value, (it) => grouped(fixed(it, decimals)))

/** Tokens per second as published: below 10,000 one decimal ("1,742.5"), from there in thousands with a trailing .0 dropped ("11.8K", "15K"). */
export const rateText = (value: Measured): string =>
  orDash(value, (it) => {
    if (Number(fixed(it, 1)) < 10_000) return decimalText(it, 1)
    return `${grouped(fixed(it / 1000, 1)).replace(/\.0$/, '')}K`
  })

/** A cell's total in tok/s; where nobody knows how many tokens an event holds, events per second that say so: "229.9 ev/s". */
export function totalText(figures: { totalTokensPerSecond?: Measured; eventsPerSecond?: Measured }): string {
  const { totalTokensPerSecond, eventsPerSecond } = figures
  if (totalTokensPerSecond === undefined && eventsPerSecond !== undefined) return `${rateText(eventsPerSecond)} ev/s`
  return rateText(totalTokensPerSecond)
}

/** The same with its unit in running text. */
export const totalWithUnit = (figures: Parameters<typeof totalText>[0]): string =>
  figures.totalTokensPerSecond === undefined && figures.eventsPerSecond !== undefined
    ? totalText(figures)
    : `${totalText(figures)} tok/s`

/** Whole milliseconds: 1173.4 → "1,173 ms". */
export const msText = (value: Measured): string => orDash(value, (it) => `${countText(it)} ms`)

/** Time between tokens, in milliseconds with one decimal: 2.34 → "2.3 ms". */
export const fineMsText = (value: Measured, decimals = 1): string => orDash(value, (it) => `${decimalText(it, decimals)} ms`)

/** Seconds with one decimal: 30 → "30.0 s". */
export const secondsText = (value: Measured): string => orDash(value, (it) => `${decimalText(it, 1)} s`)

/** Seconds of a plan, as short as they are exact: 30 → "30 s", 0.5 → "0.5 s". */
export const shortSecondsText = (value: number): string => `${decimalText(value, 3).replace(/\.?(?<!0)0+$/, '')} s`

/** 0.42 percent points → "0.42 %"; from 10 on without decimals. */
export const percentText = (value: Measured): string =>
  orDash(value, (it) => `${Math.abs(it) >= 9.95 ? countText(it) : decimalText(it, Math.abs(it) >= 0.995 ? 1 : 2)} %`)

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const

/** Bytes in binary units: 1536 → "1.5 KiB", 127000000 → "121 MiB". */
export const bytesText = (value: Measured): string =>
  orDash(value, (it) => {
    let unit = 0
    let size = it
    while (Math.abs(size) >= 1023.5 && unit < UNITS.length - 1) {
      size /= 1024
      unit += 1
    }
    return `${unit === 0 || Math.abs(size) >= 99.95 ? countText(size) : decimalText(size, 1)} ${UNITS[unit] ?? 'B'}`
  })
