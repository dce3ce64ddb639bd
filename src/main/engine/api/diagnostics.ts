import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { arch, release } from 'node:os'
import { join } from 'node:path'
import { harmless, homeAsVariable } from '../../../shared/format/index.ts'
import { redactCommand, redactText } from '../../../shared/secrets/index.ts'
import type { AppInfo, Settings } from '../../../shared/contract/app.ts'
import type { HostView } from '../../../shared/contract/hosts.ts'
import { logPath } from '../log/index.ts'
import type { Engine } from '../types.ts'

const LOG_BYTES = 64 * 1024
const LOG_LINES = 200

interface Input {
  info: AppInfo
  settings: Settings
  hosts: HostView[]
  engine: Pick<Engine, 'store'>
  nowMs: number
  homeDir: string
}

/**
 * A text for a bug report. Left out on purpose: user names, key files, notes, prompts, saved commands. Everything that comes from
 * elsewhere goes through the redactor once more.
 */
export function diagnosticsOf({ info, settings, hosts, engine, nowMs, homeDir }: Input): { fileName: string; text: string } {
  const at = new Date(nowMs).toISOString()
  const sections: [string, string[]][] = [
    [
      'Speedgrid',
      [
        `version ${info.version}, Node ${info.nodeVersion}, ${info.platform} ${arch()} ${release()}`,
        `data folder ${info.dataDir}`,
        `Chromium for PDF and PNG: ${info.chromium ?? 'none found'}`,
        `written ${at}`,
      ],
    ],
    ['Settings', Object.entries(settings).map(([name, value]) => `${name}: ${String(value)}`)],
    ['Hosts', hosts.length === 0 ? ['none'] : hosts.map(hostLine)],
    ['History', historyLines(engine)],
    ['Data folder', folderLines(info.dataDir)],
    [`Last lines of ${logPath(info.dataDir)}`, logLines(info.dataDir)],
  ]
  const text = sections.map(([title, lines]) => `## ${title}\n${lines.join('\n')}\n`).join('\n')
  const clean = homeAsVariable(text.split('\n').map(cleanLine).join('\n'), homeDir)
  return { fileName: `speedgrid-diagnostics-${at.slice(0, 19).replace(/[:T]/g, '-')}.txt`, text: clean }
}

/** A value of a secret-looking name goes whatever its form; then what looks like a secret by itself. */
function cleanLine(line: string): string {
  return harmless(redactText(redactCommand(line)))
}

function hostLine({ host, connection, reason, inventory }: HostView): string {
  const gpus = inventory?.gpus.map((gpu) => gpu.name) ?? []
  const environments = inventory?.environments.map((one) => one.version ?? 'unknown version') ?? []
  const parts = [
    `${host.name}${host.demo ? ' (demo)' : ''}: ${connection}`,
    reason === undefined ? undefined : `because: ${reason}`,
    inventory === undefined ? undefined : `${inventory.osRelease ?? inventory.os} ${inventory.arch ?? ''}`.trim(),
    gpus.length === 0 ? undefined : `GPUs ${gpus.join(', ')}`,
    environments.length === 0 ? undefined : `vLLM ${environments.join(', ')}`,
  ]
  return parts.filter((part) => part !== undefined).join('; ')
}

function historyLines({ store }: Pick<Engine, 'store'>): string[] {
  const { states } = store.runs.choices(false)
  const byState = states.map(({ value, count }) => `${String(count)} ${value}`).join(', ')
  const count = store.runs.count({})
  const trashed = store.runs.count({ trashed: true })
  return [`${String(count)} runs${byState === '' ? '' : ` (${byState})`}, ${String(trashed)} in the trash`]
}

function folderLines(dataDir: string): string[] {
  try {
    return readdirSync(dataDir, { withFileTypes: true }).map((entry) => {
      if (!entry.isFile()) return `${entry.name}${entry.isDirectory() ? '/' : ''}`
      return `${entry.name}  ${String(statSync(join(dataDir, entry.name)).size)} bytes`
    })
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

function logLines(dataDir: string): string[] {
  try {
    const path = logPath(dataDir)
    const { size } = statSync(path)
    const file = openSync(path, 'r')
    try {
      const buffer = Buffer.alloc(Math.min(size, LOG_BYTES))
      readSync(file, buffer, 0, buffer.length, size - buffer.length)
      const lines = buffer.toString('utf8').split('\n')
      // The first one is cut where the file is longer.
      return (size > LOG_BYTES ? lines.slice(1) : lines).filter((line) => line !== '').slice(-LOG_LINES)
    } finally {
      closeSync(file)
    }
  } catch {
    return ['there is none: nothing unexpected has happened yet']
  }
}
