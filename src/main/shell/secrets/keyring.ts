import { safeStorage } from 'electron'

/** Newer calls are absent in the oldest Electron the shell runs in. */
type Storage = typeof safeStorage
const storage = safeStorage as Pick<Storage, 'isEncryptionAvailable' | 'encryptString' | 'decryptString'> &
  Partial<Pick<Storage, 'encryptStringAsync' | 'decryptStringAsync' | 'getSelectedStorageBackend'>>

export interface Keyring {
  /** Undefined where secrets can be kept; else why not, for people. */
  refusal(): string | undefined
  encrypt(text: string): Promise<Buffer>
  decrypt(encrypted: Buffer): Promise<string>
}

/** Electron's safeStorage: its newer asynchronous calls where they exist. Usable only after the app is ready. */
export function createKeyring(platform: NodeJS.Platform): Keyring {
  return {
    refusal: () => {
      if (platform === 'linux') {
        // Encrypted under a password that is in Electron's source: as good as plain.
        if (storage.isEncryptionAvailable() && linuxBackend() !== 'basic_text') return undefined
        return 'Not stored: this system has no unlocked keyring (GNOME Keyring, KWallet). Speedgrid will ask again after a restart.'
      }
      if (storage.isEncryptionAvailable()) return undefined
      return 'Not stored: the system’s keyring is not available. Speedgrid will ask again after a restart.'
    },
    encrypt: (text) =>
      storage.encryptStringAsync ? storage.encryptStringAsync(text) : Promise.resolve(storage.encryptString(text)),
    decrypt: async (encrypted) =>
      storage.decryptStringAsync ? (await storage.decryptStringAsync(encrypted)).result : storage.decryptString(encrypted),
  }
}

/** Electron 25 can't tell; without a keyring `isEncryptionAvailable` is false there. */
const linuxBackend = () => storage.getSelectedStorageBackend?.() ?? 'unknown'
