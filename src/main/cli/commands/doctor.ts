import { harmless } from '../../../shared/format/index.ts'
import type { DoctorCheck } from '../../hosts/types.ts'
import type { CommandContext } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import type { Output } from '../output.ts'
import type { Registration } from '../program.ts'

/** Checks that stand for "can't reach or authenticate". */
const WAY_CHECKS: readonly DoctorCheck['check'][] = ['dns', 'tcp', 'host_key', 'authentication']

export function registerDoctor({ program, run }: Registration): void {
  program
    .command('doctor')
    .argument('<host>')
    .description('check a host: every check with pass, fail or skipped, the evidence and the remedy')
    .action((host: string) => run('doctor', (context) => doctor(context, host)))
}

async function doctor(context: CommandContext, host: string): Promise<number> {
  const { output } = context
  const engine = await context.engine()
  const checks = await engine.hosts.doctor(host, (check) => {
    output.result(checkText(check, output))
    output.event(check)
  })
  const failed = checks.filter((check) => check.outcome === 'fail')
  output.document({ host, ok: failed.length === 0, checks })
  output.progress(failed.length === 0 ? `${host} is ready.` : `${failed.length} of ${checks.length} checks failed.`)
  if (failed.some((check) => WAY_CHECKS.includes(check.check))) return EXIT.unreachable
  return failed.length > 0 ? EXIT.failed : EXIT.done
}

function checkText(check: DoctorCheck, output: Output): string {
  const style = output.resultStyle
  const outcome = { pass: style.green('pass   '), fail: style.red('FAIL   '), skipped: style.dim('skipped') }[check.outcome]
  const lines = [
    `${outcome}  ${check.check.replaceAll('_', ' ').padEnd(14)}  ${harmless(check.evidence).replaceAll('\n', '\n' + ' '.repeat(25))}`,
  ]
  if (check.remedy) lines.push(`${' '.repeat(25)}→ ${harmless(check.remedy)}`)
  return lines.join('\n')
}
