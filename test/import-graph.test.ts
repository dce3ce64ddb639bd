import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const src = resolve(import.meta.dirname, '../src')

interface Import {
  from: string
  /** Path under src for our own modules, the package's name otherwise. */
  to: string
  external: boolean
  typeOnly: boolean
}

/** Tests, and what only tests import: `test-*.ts` and `testing/`. */
function isTestCode(path: string): boolean {
  return /\.test\.tsx?$/.test(path) || /(^|\/)test-[^/]+\.ts$/.test(path) || path.includes('/testing/')
}

function readImports(): { modules: string[]; imports: Import[] } {
  const modules = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !isTestCode(path))
    .sort()
  const imports = modules.flatMap((from) => {
    const text = readFileSync(join(src, from), 'utf8')
    const statements = text.matchAll(
      /^(?:import|export)\s+(type\s+)?[^'"`;]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm,
    )
    return [...statements].map((match): Import => {
      const target = match[2] ?? match[3] ?? match[4] ?? ''
      const external = !target.startsWith('.')
      const to = external ? target : relative(src, resolve(src, dirname(from), target))
      return { from, to, external, typeOnly: match[1] !== undefined }
    })
  })
  return { modules, imports }
}

/** The room a module belongs to: `shared`, `main/ssh`, `renderer` … */
function room(path: string): string {
  const [first, second] = path.split('/')
  return first === 'main' ? `main/${second}` : (first ?? '')
}

// Who may import whom, beside itself: ARCHITECTURE.md "Folders and who may import whom".
const services = ['main/hosts', 'main/servers', 'main/sweep', 'main/reports']
const belowServices = ['main/ssh', 'main/store', 'shared']
const allowed: Record<string, string[]> = {
  shared: [],
  'main/ssh': ['shared'],
  'main/store': ['shared'],
  ...Object.fromEntries(services.map((service) => [service, [...services, ...belowServices]])),
  'main/driver': ['shared'],
  'main/demo-host': ['shared'],
  'main/engine': [...services, ...belowServices],
  'main/cli': ['main/engine', 'main/serve', ...services, ...belowServices],
  'main/serve': ['main/engine', ...services, ...belowServices],
  'main/shell': ['shared'],
  preload: ['shared'],
  renderer: ['shared'],
}

describe('the import graph', () => {
  const { modules, imports } = readImports()
  const own = imports.filter((one) => !one.external)

  it('was really read', () => {
    expect(modules.length).toBeGreaterThan(100)
    expect(own.length).toBeGreaterThan(200)
  })

  it('goes one way', () => {
    const wrong = own.filter(({ from, to }) => room(from) !== room(to) && !(allowed[room(from)] ?? []).includes(room(to)))
    expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([])
  })

  it('enters another service through its index or its types', () => {
    const doors = /\/(index|types)\.ts$/
    const wrong = own.filter(({ from, to }) => to.startsWith('main/') && room(from) !== room(to) && !doors.test(to))
    expect(wrong.map(({ from, to }) => `${from} → ${to}`)).toEqual([])
  })

  it('keeps test code out of the product', () => {
    expect(own.filter(({ to }) => isTestCode(to)).map(({ from, to }) => `${from} → ${to}`)).toEqual([])
  })

  it('points at files that exist', () => {
    expect(own.filter(({ to }) => !existsSync(join(src, to))).map(({ from, to }) => `${from} → ${to}`)).toEqual([])
  })

  it('has electron in the shell and its bridge only, and only zod in shared', () => {
    const outside = imports.filter(({ external }) => external)
    expect(outside.filter(({ from, to }) => to === 'electron' && !['main/shell', 'preload'].includes(room(from)))).toEqual([])
    const shared = outside.filter(({ from, to }) => room(from) === 'shared' && to !== 'zod')
    expect(shared.filter(({ from, to }) => !(from.startsWith('shared/contract/') && to === '@trpc/server'))).toEqual([])
  })

  it('has no cycle of run-time imports', () => {
    const next = Map.groupBy(
      own.filter(({ typeOnly }) => !typeOnly),
      ({ from }) => from,
    )
    const state = new Map<string, 'open' | 'done'>()
    const cycles: string[] = []
    const visit = (path: string, trail: string[]) => {
      if (state.get(path) === 'done') return
      if (state.get(path) === 'open') {
        cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '))
        return
      }
      state.set(path, 'open')
      for (const { to } of next.get(path) ?? []) visit(to, [...trail, path])
      state.set(path, 'done')
    }
    for (const path of modules) visit(path, [])
    expect(cycles).toEqual([])
  })
})
