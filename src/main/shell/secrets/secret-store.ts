import { z } from 'zod'
import type { JsonFile } from '../system/json-file.ts'
import type { Keyring } from './keyring.ts'

/** Name → what the keyring made of the secret, in base64. Never anything plain. */
export const keptSecretsSchema = z.record(z.string(), z.string())
type Kept = z.infer<typeof keptSecretsSchema>

export interface SecretStore {
  /** Resolves to why it is not kept, for people; undefined when it is. */
  keep(name: string, value: string): Promise<string | undefined>
  /** Undefined when it isn't kept or can't be read any more (another keyring). */
  read(name: string): Promise<string | undefined>
  forget(name: string): void
  names(): string[]
  refusal(): string | undefined
}

export function createSecretStore({ file, keyring }: { file: JsonFile<Kept>; keyring: Keyring }): SecretStore {
  const all = () => file.read() ?? {}
  return {
    refusal: () => keyring.refusal(),
    keep: async (name, value) => {
      const note = keyring.refusal()
      if (note !== undefined) return note
      try {
        const encrypted = await keyring.encrypt(value)
        file.write({ ...all(), [name]: encrypted.toString('base64') })
        return undefined
      } catch {
        return 'Not stored: the keyring or the disk refused it. Speedgrid will ask again after a restart.'
      }
    },
    read: async (name) => {
      const encrypted = all()[name]
      if (encrypted === undefined || keyring.refusal() !== undefined) return undefined
      try {
        return await keyring.decrypt(Buffer.from(encrypted, 'base64'))
      } catch {
        return undefined
      }
    },
    forget: (name) => {
      const { [name]: gone, ...rest } = all()
      if (gone !== undefined) file.write(rest)
    },
    names: () => (keyring.refusal() === undefined ? Object.keys(all()) : []),
  }
}
