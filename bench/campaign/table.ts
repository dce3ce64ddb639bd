import { table } from '../harness.ts'
import { KINDS, PLACES } from './cases.ts'
import { FAULTS } from './judge.ts'
import type { Verdict } from './run-case.ts'

/** Kinds × places: how many cases, and how many of them had a fault. */
export function verdictTable(verdicts: readonly Verdict[]): string {
  const cell = (list: readonly Verdict[]) => {
    const bad = list.filter(({ faults }) => faults.length > 0).length
    return list.length === 0 ? '·' : bad === 0 ? String(list.length) : `${String(list.length)} (${String(bad)} bad)`
  }
  const kinds = KINDS.filter((kind) => verdicts.some(({ one }) => one.kind === kind))
  const rows = kinds.map((kind) => {
    const own = verdicts.filter(({ one }) => one.kind === kind)
    return [kind, ...PLACES.map((place) => cell(own.filter(({ one }) => one.place === place))), cell(own)]
  })
  const faults = verdicts.flatMap((verdict) => verdict.faults)
  const counts = FAULTS.map((name) => `${String(faults.filter(({ fault }) => fault === name).length)} ${name}`)
  return [table([['kind', ...PLACES, 'all'], ...rows]), '', `${String(verdicts.length)} cases: ${counts.join(', ')}`].join('\n')
}

export function verdictText({ one, faults, seconds, resumes }: Verdict): string {
  const what = `${one.id}  ${one.kind} (${one.driver}) at ${one.place} ${String(one.nth)} + ${String(one.delayMs)} ms, ${String(one.lastsMs)} ms`
  const head = `${faults.length === 0 ? 'ok ' : 'BAD'} ${what}  ${seconds.toFixed(1)} s, ${String(resumes)} resumed`
  const replay = `npm run campaign -- --kills ${String(Number(one.id.split('/')[1]) + 1)} --seed ${one.id.split('/')[0] ?? ''} --only ${one.id}`
  return [
    head,
    ...faults.map(({ fault, evidence }) => `      ${fault}: ${evidence}`),
    ...(faults.length > 0 ? [`      ${replay}`] : []),
  ].join('\n')
}
