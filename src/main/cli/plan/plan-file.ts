import { dirname, resolve } from 'node:path'
import { SpeedgridError } from '../../../shared/model/error.ts'
import { nearest } from '../nearest.ts'
import { PLAN_FIELDS, type PlanField } from './plan-fields.ts'
import { readTextFile } from './prompts-file.ts'
import { toPlanValue } from './values.ts'

/** What a plan file may say besides the plan itself: the other options of `sweep`. */
const REQUEST_NAMES = ['host', 'server', 'url', 'name', 'tag', 'tags', 'apiKeyEnv', 'like'] as const

export interface PlanFile {
  plan: Record<string, unknown>
  host?: string
  server?: string
  url?: string
  name?: string
  tags?: string[]
  apiKeyEnv?: string
  like?: string
}

/** Reads `--plan FILE`: the options' names in camelCase, or the plan's own. An unknown name is refused with the one it may have meant. */
export function readPlanFile(path: string): PlanFile {
  const fail = (cause: string, nextStep?: string) =>
    new SpeedgridError('plan', cause, { evidence: [path], ...(nextStep && { nextStep }) })
  let content: unknown
  try {
    content = JSON.parse(readTextFile(path, 'plan', '--plan'))
  } catch (error) {
    if (error instanceof SpeedgridError) throw error
    throw fail(
      `The plan file is not JSON: ${error instanceof Error ? error.message : 'unreadable'}.`,
      'Correct it; the options are its fields.',
    )
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw fail('The plan file must be one JSON object.')
  const file: PlanFile = { plan: {} }
  for (const [name, value] of Object.entries(content)) {
    const known = PLAN_FIELDS.find((candidate) => candidate.option === name || candidate.field === name)
    if (known) setPlanValue(file.plan, known, name, value, path)
    else setRequestValue(file, name, value, fail)
  }
  return file
}

function setPlanValue(plan: Record<string, unknown>, known: PlanField, name: string, value: unknown, path: string): void {
  if (known.field in plan) {
    const cause = `The plan file says ${known.option} and ${known.field}, which are the same.`
    throw new SpeedgridError('plan', cause, { evidence: [path], nextStep: 'Keep one of them.' })
  }
  plan[known.field] = toPlanValue(known, value, `"${name}" in the plan file`, (file) => resolve(dirname(path), file))
}

function setRequestValue(file: PlanFile, name: string, value: unknown, fail: (cause: string, nextStep?: string) => Error): void {
  const known = REQUEST_NAMES.find((candidate) => candidate === name)
  if (!known) {
    const near = nearest(name, [...PLAN_FIELDS.flatMap((item) => [item.option, item.field]), ...REQUEST_NAMES])
    throw fail(
      `The plan file has an unknown field "${name}".`,
      near ? `Did you mean "${near}"?` : 'See `speedgrid sweep --help`: the options are its fields.',
    )
  }
  if (known === 'tag' || known === 'tags') {
    const list = Array.isArray(value) ? value : [value]
    if (!list.every((item) => typeof item === 'string')) throw fail(`"${name}" in the plan file must be text or a list of texts.`)
    file.tags = [...(file.tags ?? []), ...list]
  } else if (typeof value === 'string' && value !== '') file[known] = value
  else throw fail(`"${name}" in the plan file must be text.`)
}
