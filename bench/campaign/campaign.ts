import type { Case } from './cases.ts'
import { runCase, type Verdict } from './run-case.ts'

/** Runs the cases, some at once; `onVerdict` hears of each as it ends. */
export async function runCampaign(
  cases: readonly Case[],
  atOnce: number,
  onVerdict: (verdict: Verdict) => void,
): Promise<Verdict[]> {
  const waiting = [...cases]
  const verdicts: Verdict[] = []
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const verdict = await runCase(next)
      verdicts.push(verdict)
      onVerdict(verdict)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return verdicts
}
