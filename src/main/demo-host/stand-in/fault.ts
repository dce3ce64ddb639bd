const FAULTS = ['cut', 'error_event', 'no_usage', 'http_500', 'html', 'die_mid_stream', 'slow_sigterm'] as const
type FaultName = (typeof FAULTS)[number]

/** What SPEEDGRID_DEMO_FAULT asks for: `name` or `name:number` (events before it happens; for slow_sigterm: seconds). */
export interface Fault {
  name: FaultName
  amount: number
}

export function readFault(value: string | undefined): Fault | undefined {
  if (!value) return undefined
  const [name = '', amount] = value.split(':')
  const known = FAULTS.find((fault) => fault === name)
  if (!known) throw new Error(`SPEEDGRID_DEMO_FAULT=${value}: one of ${FAULTS.join(', ')} was expected`)
  const number = Number(amount)
  const usual = known === 'slow_sigterm' ? 12 : 20
  return { name: known, amount: amount !== undefined && Number.isFinite(number) ? number : usual }
}

/** Requests this short warm something up: faults in the middle of a stream leave them alone. */
export const FAULT_MIN_TOKENS = 64
