import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ssh2 from 'ssh2'
import type { BaseAgent, IdentityCallback, ParsedKey, SignCallback, SigningRequestOptions } from 'ssh2'
import type { WhileOpen } from './connection-life.ts'
import { fingerprintOf } from './known-hosts.ts'
import type { Hop } from './hops.ts'
import { nameOf } from './hops.ts'
import type { SecretMemory } from './secrets.ts'

/** One key to authenticate with; the private part is unlocked only when the host has said that it would accept the key. */
interface Identity {
  description: string
  agent: BaseAgent
}

const DEFAULT_KEYS = ['id_ed25519', 'id_ecdsa', 'id_rsa']
const PASSPHRASE_TRIES = 3

type Sign = (data: Buffer, hash: string | undefined) => Promise<Buffer>

/** The library asks an agent for keys and signatures; this one holds a single key, wherever its private part is. */
class OneKeyAgent extends ssh2.BaseAgent<ParsedKey> {
  readonly #key: () => Promise<ParsedKey>
  readonly #sign: Sign
  readonly #whileOpen: WhileOpen

  constructor(key: () => Promise<ParsedKey>, sign: Sign, whileOpen: WhileOpen) {
    super()
    this.#key = key
    this.#sign = sign
    this.#whileOpen = whileOpen
  }

  override getIdentities(callback: IdentityCallback<ParsedKey>): void {
    void answer(
      this.#key(),
      this.#whileOpen((error, key) => callback(error, key ? [key] : undefined)),
    )
  }

  override sign(_key: ParsedKey, data: Buffer, options?: SigningRequestOptions | SignCallback, done?: SignCallback): void {
    const callback = typeof options === 'function' ? options : done
    const hash = typeof options === 'object' ? options.hash : undefined
    void answer(
      this.#sign(data, hash),
      this.#whileOpen((error, signature) => callback?.(error, signature)),
    )
  }
}

/** A promise for a library that wants a callback. */
async function answer<T>(promise: Promise<T>, callback: (error: Error | null, value?: T) => void): Promise<void> {
  let value: T
  try {
    value = await promise
  } catch (error) {
    return callback(error instanceof Error ? error : new Error(String(error)))
  }
  callback(null, value)
}

/** Keys to offer at a hop: those in the agent first (the ones the configuration names before the others), then key files. */
export async function findIdentities(
  hop: Hop,
  deps: { homeDir: string; env: Record<string, string | undefined>; secrets: SecretMemory; whileOpen: WhileOpen },
  onProblem: (text: string) => void,
): Promise<Identity[]> {
  const { target } = hop
  const named = target.identityFiles.length > 0
  const paths = named ? target.identityFiles : DEFAULT_KEYS.map((name) => join(deps.homeDir, '.ssh', name))
  const files = paths.flatMap((path) => readKeyFile(path, named, onProblem))
  const socket = target.identityAgent === 'none' ? undefined : (target.identityAgent ?? deps.env['SSH_AUTH_SOCK'])
  const inAgent = socket ? await agentKeys(socket, onProblem) : []
  const isNamed = (key: ParsedKey) => files.some((file) => file.publicKey?.getPublicSSH().equals(key.getPublicSSH()))
  const fromAgent = [...inAgent.filter(isNamed), ...(target.identitiesOnly ? [] : inAgent.filter((key) => !isNamed(key)))]
  const agentHas = (file: KeyFile) => fromAgent.some((key) => file.publicKey?.getPublicSSH().equals(key.getPublicSSH()))
  return [
    ...fromAgent.map((key) => agentIdentity(socket ?? '', key, deps.whileOpen)),
    ...files.filter((file) => file.text !== undefined && !agentHas(file)).map((file) => fileIdentity(file, hop, deps)),
  ]
}

function agentKeys(socket: string, onProblem: (text: string) => void): Promise<ParsedKey[]> {
  return new Promise((resolve) => {
    const agent = ssh2.createAgent(socket)
    agent.getIdentities((error, keys) => {
      if (error || !keys) {
        onProblem(`the SSH agent at ${socket} could not be asked (${error?.message ?? 'no answer'})`)
        resolve([])
        return
      }
      const parsed = keys.map((key) => ssh2.utils.parseKey(key as ParsedKey))
      resolve(parsed.filter((key): key is ParsedKey => !(key instanceof Error)))
    })
  })
}

function agentIdentity(socket: string, key: ParsedKey, whileOpen: WhileOpen): Identity {
  const sign: Sign = (data, hash) =>
    new Promise((resolve, reject) => {
      if (isSha1(key, hash)) return reject(sha1Error())
      const options = hash === 'sha256' || hash === 'sha512' ? { hash } : {}
      ssh2.createAgent(socket).sign(key, data, options as SigningRequestOptions, (error, signature) => {
        if (error || !signature) reject(error ?? new Error('the SSH agent gave no signature'))
        else resolve(signature)
      })
    })
  return {
    description: `publickey from the agent (${key.comment || key.type}, ${fingerprintOf(key.getPublicSSH())})`,
    agent: new OneKeyAgent(() => Promise.resolve(key), sign, whileOpen),
  }
}

interface KeyFile {
  path: string
  /** Absent where only the public half is here (its private half is in the agent). */
  text: string | undefined
  /** Absent where it can't be read without the passphrase. */
  publicKey: ParsedKey | undefined
}

function readKeyFile(path: string, named: boolean, onProblem: (text: string) => void): KeyFile[] {
  const publicText = readText(`${path}.pub`) ?? readText(path)
  const text = readText(path)
  if (text === undefined && publicText === undefined) {
    if (named) onProblem(`the key ${path} can't be read`)
    return []
  }
  const isPrivate = text !== undefined && /PRIVATE KEY|PuTTY-User-Key-File/.test(text)
  const publicKey = publicHalf(publicText) ?? publicHalf(text) ?? opensshPublicHalf(text)
  if (!isPrivate && !publicKey) {
    onProblem(`${path} is not a key that can be read`)
    return []
  }
  return [{ path, text: isPrivate ? text : undefined, publicKey }]
}

function fileIdentity(file: KeyFile, hop: Hop, deps: { secrets: SecretMemory; whileOpen: WhileOpen }): Identity {
  const unlock = () => unlockKey(file, hop, deps.secrets)
  const sign: Sign = async (data, hash) => {
    const key = await unlock()
    if (isSha1(key, hash)) throw sha1Error()
    const signature: Buffer | Error = key.sign(data, hash)
    if (signature instanceof Error) throw signature
    return signature
  }
  const getKey = () => (file.publicKey ? Promise.resolve(file.publicKey) : unlock())
  return { description: `publickey ${file.path}`, agent: new OneKeyAgent(getKey, sign, deps.whileOpen) }
}

async function unlockKey(file: KeyFile, hop: Hop, secrets: SecretMemory): Promise<ParsedKey> {
  const kept = secrets.key(file.path)
  if (kept) return kept
  const text = file.text ?? ''
  const plain = parsePrivate(text)
  if (!(plain instanceof Error)) return plain
  if (!/encrypted/i.test(plain.message)) throw new Error(`${file.path}: ${plain.message}`)
  return secrets.oneAtATime(async () => {
    for (let attempt = 1; attempt <= PASSPHRASE_TRIES; attempt++) {
      const unlocked = secrets.key(file.path)
      if (unlocked) return unlocked
      const again = attempt > 1 ? 'That was not it. ' : ''
      const passphrase = await secrets.prompter.secret(`${again}Passphrase for the key ${file.path}, for ${nameOf(hop)}: `)
      if (passphrase === undefined) throw new Error(`the passphrase of ${file.path} was not given`)
      const key = passphrase === '' ? plain : parsePrivate(text, passphrase)
      if (key instanceof Error) continue
      secrets.keepKey(file.path, key)
      return key
    }
    throw new Error(`the passphrase of ${file.path} was wrong ${PASSPHRASE_TRIES} times`)
  })
}

function parsePrivate(text: string, passphrase?: string): ParsedKey | Error {
  const key = ssh2.utils.parseKey(text, passphrase)
  return Array.isArray(key) ? (key[0] as ParsedKey) : key
}

function publicHalf(text: string | undefined): ParsedKey | undefined {
  if (text === undefined) return undefined
  const key = parsePrivate(text)
  return key instanceof Error ? undefined : key
}

/** An encrypted key in OpenSSH's own format carries its public half in the clear (PROTOCOL.key of OpenSSH). */
function opensshPublicHalf(text: string | undefined): ParsedKey | undefined {
  const body = text?.match(/-----BEGIN OPENSSH PRIVATE KEY-----([^-]+)-----END/)?.[1]
  if (body === undefined) return undefined
  const blob = Buffer.from(body, 'base64')
  let at = 'openssh-key-v1\0'.length
  const next = () => {
    const length = blob.readUInt32BE(at)
    at += 4 + length
    return blob.subarray(at - length, at)
  }
  try {
    // cipher, kdf, kdf options
    next()
    next()
    next()
    at += 4 // number of keys
    const key = next()
    const type = key.toString('latin1', 4, 4 + key.readUInt32BE(0))
    return publicHalf(`${type} ${key.toString('base64')}`)
  } catch {
    return undefined
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** The library falls back to SHA-1 for RSA where the server announces nothing better. */
function isSha1(key: ParsedKey, hash: string | undefined): boolean {
  return key.type === 'ssh-rsa' && (hash === undefined || hash === 'sha1')
}

function sha1Error(): Error {
  return new Error('the host accepts RSA keys only with SHA-1 signatures, which we do not make')
}
