import { randomBytes } from 'node:crypto'
import fs from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { ErrorCode } from '../../shared/model/error.ts'
import { SpeedgridError } from '../../shared/model/error.ts'

/** Writes a text or bytes beside its place and renames it. A device or pipe (`/dev/stdout`) is written to as it is; a link keeps pointing where it did. */
export async function writeFileWhole(path: string, data: string | Buffer): Promise<void> {
  try {
    const there = await fs.stat(path).catch(() => undefined)
    if (there?.isDirectory() === true) {
      throw new SpeedgridError('conflict', `${path} is a folder.`, { nextStep: 'Name the file itself.' })
    }
    if (there !== undefined && !there.isFile()) await fs.writeFile(path, data)
    else await replace(there === undefined ? path : await fs.realpath(path), data)
  } catch (error) {
    throw error instanceof SpeedgridError ? error : explained(path, error)
  }
}

async function replace(path: string, data: string | Buffer): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path).slice(0, 60)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    const file = await fs.open(temporary, 'wx', 0o666)
    try {
      await file.writeFile(data)
      await file.sync()
    } finally {
      await file.close()
    }
    await fs.rename(temporary, path)
  } catch (error) {
    await fs.rm(temporary, { force: true }).catch(() => undefined)
    throw error
  }
}

const EXPLANATIONS: Record<string, [ErrorCode, string, string]> = {
  ENOENT: ['not_found', 'There is no folder', 'Make the folder, or choose another place.'],
  ENOTDIR: ['not_found', 'There is no folder', 'Make the folder, or choose another place.'],
  ENOSPC: ['disk_full', 'The disk is full for', 'Free some space, or choose another place.'],
  EDQUOT: ['disk_full', 'Your quota is used up for', 'Free some space, or choose another place.'],
  EROFS: ['read_only', 'The file system is read-only for', 'Choose another place.'],
  EACCES: ['read_only', 'You may not write', 'Choose a place where you may.'],
  EPERM: ['read_only', 'You may not write', 'Choose a place where you may.'],
  ENAMETOOLONG: ['usage', 'The name is too long:', 'Choose a shorter name.'],
}

function explained(path: string, error: unknown): SpeedgridError {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  const [kind, cause, nextStep] = EXPLANATIONS[code] ?? ['internal', 'Could not write', 'Choose another place.']
  const subject = kind === 'not_found' ? dirname(path) : path
  return new SpeedgridError(kind, `${cause} ${subject}`, { evidence: [(error as Error).message], nextStep, from: error })
}
