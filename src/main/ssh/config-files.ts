import { readdirSync, readFileSync } from 'node:fs'
import { dirname, isAbsolute, join, sep } from 'node:path'
import { parse } from 'ssh-config'
import { SpeedgridError } from '../../shared/model/error.ts'
import { matchesPattern } from './patterns.ts'

/** A directive with its words; a Host or Match block with its criteria and what is in it; an Include with the files it names. */
export type ConfigLine =
  | { kind: 'option'; key: string; words: string[] }
  | { kind: 'host' | 'match'; words: string[]; lines: ConfigLine[] }
  | { kind: 'include'; files: ConfigLine[][] }

/** OpenSSH's own limit. */
const MAX_INCLUDE_DEPTH = 16

type ParsedLine = ReturnType<typeof parse>[number]

/** Reads a configuration file with everything it includes; an absent file is an empty one. Throws `usage` where it can't be understood. */
export function readConfigFile(path: string, homeDir: string, depth = 0): ConfigLine[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return []
  }
  let parsed: ParsedLine[]
  try {
    parsed = parse(text)
  } catch (error) {
    throw new SpeedgridError('usage', `The SSH configuration ${path} can't be understood.`, {
      evidence: [error instanceof Error ? error.message : String(error)],
      nextStep: 'Check it with: ssh -G localhost',
    })
  }
  return convert(parsed, { folder: join(homeDir, '.ssh'), homeDir, depth, path })
}

interface Place {
  /** What a relative Include is relative to: ~/.ssh for the person's file, the file's own folder for the system's. */
  folder: string
  homeDir: string
  depth: number
  path: string
}

function convert(lines: readonly ParsedLine[], place: Place): ConfigLine[] {
  const result: ConfigLine[] = []
  for (const line of lines) {
    if (!('param' in line) || !line.param) continue
    const key = line.param.toLowerCase()
    const words = Array.isArray(line.value) ? line.value.map((word) => word.val) : [line.value]
    if (key === 'host' || key === 'match') {
      const inner = 'config' in line ? convert(line.config, place) : []
      result.push({ kind: key, words, lines: inner })
    } else if (key === 'include') {
      result.push({ kind: 'include', files: includedFiles(words, place) })
    } else {
      result.push({ kind: 'option', key, words })
    }
  }
  return result
}

function includedFiles(words: readonly string[], place: Place): ConfigLine[][] {
  if (place.depth >= MAX_INCLUDE_DEPTH) {
    throw new SpeedgridError('usage', `${place.path} includes files more than ${MAX_INCLUDE_DEPTH} levels deep.`)
  }
  const isSystem = !place.path.startsWith(place.homeDir + sep) && place.path.startsWith('/etc/')
  const base = isSystem ? dirname(place.path) : place.folder
  return words.flatMap((word) => {
    const expanded = word.startsWith('~/') ? join(place.homeDir, word.slice(2)) : word
    const pattern = isAbsolute(expanded) ? expanded : join(base, expanded)
    return expandGlob(pattern).map((path) => readConfigFile(path, place.homeDir, place.depth + 1))
  })
}

/** Files that a shell-like pattern names, sorted as glob(3) does; a leading dot must be written out. */
function expandGlob(pattern: string): string[] {
  const segments = pattern.split(sep)
  let paths = [segments[0] === '' ? sep : (segments[0] ?? '')]
  for (const segment of segments.slice(1)) {
    if (!/[*?]/.test(segment)) {
      paths = paths.map((path) => join(path, segment))
      continue
    }
    paths = paths.flatMap((path) => {
      const names = listFolder(path).filter((name) => name.startsWith('.') === segment.startsWith('.'))
      return names
        .filter((name) => matchesPattern(name, segment))
        .sort()
        .map((name) => join(path, name))
    })
  }
  return paths
}

function listFolder(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
