import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createPerson, type Person } from '../program/speedgrid.ts'
import { startSshd, type TestSshd } from '../sshd.ts'

/** A lab machine: a real sshd on loopback whose account has a home of its own, and a real vLLM. */
export interface Lab {
  sshd: TestSshd
  person: Person
  vllm: string
  model: string
  hostHome: string
  /** Words after `launch lab --`; speed of start over speed of tokens. */
  serveWords(extra?: string[], environment?: string[]): string[]
  /** What lies below the host's cache folder, as a list of paths. */
  leftOnHost(): string[]
  dispose(): Promise<void>
}

export async function openLab(): Promise<Lab> {
  const vllm = process.env.SPEEDGRID_VLLM
  if (!vllm) throw new Error('SPEEDGRID_VLLM names no vllm executable')
  const model = join(dirname(dirname(vllm)), 'models', 'tiny-qwen2')
  const hostHome = mkdtempSync(join(tmpdir(), 'speedgrid-lab-'))
  mkdirSync(join(hostHome, '.cache'))
  // Where people have it, so that it is found without being told.
  mkdirSync(join(hostHome, 'venv-vllm', 'bin'), { recursive: true })
  symlinkSync(vllm, join(hostHome, 'venv-vllm', 'bin', 'vllm'))
  const sshd = await startSshd({ home: hostHome })
  const person = createPerson()
  return {
    sshd,
    person,
    vllm,
    model,
    hostHome,
    serveWords: (extra = [], environment = ['VLLM_CPU_KVCACHE_SPACE=3']) => [
      ...environment,
      'vllm',
      'serve',
      model,
      ...'--served-model-name qwen --load-format dummy --dtype bfloat16 --enforce-eager --max-model-len 262144 --max-num-seqs 128'.split(
        ' ',
      ),
      ...extra,
    ],
    leftOnHost() {
      const base = join(hostHome, '.cache', 'speedgrid')
      try {
        return readdirSync(base, { recursive: true, encoding: 'utf8' })
      } catch {
        return []
      }
    },
    async dispose() {
      person.dispose()
      await sshd.stop()
      rmSync(hostHome, { recursive: true, force: true })
    },
  }
}

export interface ProcessEntry {
  pid: number
  state: string
  session: number
  argv: string
  environ: string
}

/** Every living process of this machine that this account may look at; a zombie holds nothing and waits only for its parent. */
export function processes(): ProcessEntry[] {
  const read = (path: string) => {
    try {
      return readFileSync(path, 'utf8')
    } catch {
      return ''
    }
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      const stat = read(`/proc/${name}/stat`)
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return {
        pid: Number(name),
        state: fields[0] ?? '',
        session: Number(fields[3]),
        argv: read(`/proc/${name}/cmdline`).replaceAll('\0', ' '),
        environ: read(`/proc/${name}/environ`),
      }
    })
    .filter(({ state }) => state !== 'Z' && state !== 'X')
}

/** Files below the folders that hold the text. */
export function filesWith(text: string, folders: string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => readFileSync(path).includes(text)),
  )
}
