import { readdirSync, readFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
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
  session: number
  argv: string
  environ: string
}

/** Every process of this machine that this account may look at. */
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
      return {
        pid: Number(name),
        session: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3]),
        argv: read(`/proc/${name}/cmdline`).replaceAll('\0', ' '),
        environ: read(`/proc/${name}/environ`),
      }
    })
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
