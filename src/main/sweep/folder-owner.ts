import { z } from 'zod'
import type { RunFolder } from './run-folder.ts'

/** `owner.json` in a run folder: which history it belongs to, and what of it. Without it nobody but a person may say that it is needed no more. */
const ownerSchema = z.object({ history: z.string(), runId: z.string(), epoch: z.int().min(1) })
export type FolderOwner = z.infer<typeof ownerSchema>

export async function writeOwner(folder: RunFolder, owner: FolderOwner): Promise<void> {
  await folder.write('owner.json', JSON.stringify(owner))
}

export async function readOwner(folder: RunFolder): Promise<FolderOwner | undefined> {
  try {
    return ownerSchema.parse(JSON.parse((await folder.read('owner.json')).toString('utf8')))
  } catch {
    return undefined
  }
}
