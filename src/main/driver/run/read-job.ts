import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SpeedgridError } from '../../../shared/model/error.ts'
import { type Job, jobSchema } from '../../../shared/model/job.ts'

/** The job of a run folder. Throws SpeedgridError `not_found` or `plan`. */
export function readJob(folder: string): Job {
  const path = join(folder, 'job.json')
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new SpeedgridError('not_found', 'The run folder has no job.json that can be read.', {
      evidence: [`${path}: ${String(error)}`],
    })
  }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new SpeedgridError('plan', 'job.json is not JSON.', { evidence: [path] })
  }
  const parsed = jobSchema.safeParse(json)
  if (parsed.success) return parsed.data
  const evidence = parsed.error.issues.slice(0, 10).map((issue) => `${issue.path.join('.') || 'job'}: ${issue.message}`)
  throw new SpeedgridError('plan', "job.json isn't a job this driver understands.", { evidence })
}
