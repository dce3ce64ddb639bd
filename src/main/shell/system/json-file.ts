import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { z } from 'zod'

/** A small file of the shell's own. What can't be read counts as not there; a write is whole or not at all. */
export function createJsonFile<Schema extends z.ZodType>(path: string, schema: Schema) {
  return {
    read(): z.infer<Schema> | undefined {
      try {
        return schema.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data
      } catch {
        return undefined
      }
    },
    /** Throws where the folder can't be written. Mode 0600. */
    write(value: z.infer<Schema>): void {
      mkdirSync(dirname(path), { recursive: true })
      const next = `${path}.${String(process.pid)}.new`
      try {
        writeFileSync(next, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
        chmodSync(next, 0o600)
        renameSync(next, path)
      } catch (error) {
        rmSync(next, { force: true })
        throw error
      }
    },
  }
}
export type JsonFile<Value> = { read(): Value | undefined; write(value: Value): void }
