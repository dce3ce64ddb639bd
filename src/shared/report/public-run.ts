import type { RunDocument } from '../model/run.ts'
import { createRedactor, redactCommand, redactWords } from '../secrets/index.ts'
import { isDemo } from './build.ts'

type PublicRun = Omit<RunDocument, 'plan'> & { plan: Omit<RunDocument['plan'], 'prompts'> }

/** The same run without what looks like a secret: an older version may have stored one. */
export function cleanRun(run: RunDocument): RunDocument {
  const clean = createRedactor().value(run)
  return {
    ...clean,
    ...(run.launchCommand === undefined ? {} : { launchCommand: redactCommand(run.launchCommand) }),
    ...(run.startedArgv === undefined ? {} : { startedArgv: redactWords(run.startedArgv) }),
  }
}

/** A run as JSON that may leave the machine: the person's own prompt text stays here, its name and checksum (`promptText`) go. */
export function publicRun(run: RunDocument): PublicRun {
  const { prompts: _prompts, ...plan } = run.plan
  return { ...cleanRun({ ...run, plan }), plan, demo: isDemo(run) }
}
