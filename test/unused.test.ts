import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const folders = ['src', 'test', 'e2e', 'bench', 'scripts', 'bin']

/** Tests, and what only tests import: `test-*.ts`, `*.testing.ts`, `testing-*.ts` and `testing/`. */
function isTestCode(path: string): boolean {
  return (
    !path.startsWith('src/') ||
    /\.test(ing)?\.tsx?$/.test(path) ||
    /(^|\/)test(ing)?-[^/]+\.tsx?$/.test(path) ||
    path.includes('/testing/')
  )
}

function readFolder(folder: string, names: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path}`)
    .filter((path) => names.test(path))
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** Without comments, so that a name in one isn't a use. */
function codeOf(path: string): string {
  return read(path).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
}

const tops = readdirSync(root).filter((path) => path.endsWith('.ts'))
const code = new Map(
  [...folders.flatMap((folder) => readFolder(folder, /\.(m?ts|tsx|mjs)$/)), ...tops].map((path) => [path, codeOf(path)]),
)

function namesIn(list: string, side: 'from' | 'as'): string[] {
  return list
    .split(',')
    .map((one) =>
      one
        .trim()
        .replace(/^type\s+/, '')
        .split(/\s+as\s+/),
    )
    .map((words) => (side === 'from' ? words[0] : words.at(-1)) ?? '')
    .filter((name) => name !== '')
}

/** What a module declares and exports, and what it hands on of another's by name. */
function exportsOf(text: string): { declared: string[]; handedOn: string[] } {
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)]
  return {
    declared: [...text.matchAll(/^export (?:async )?(?:const|function\*?|class|interface|type|enum|let) ([\w$]+)/gm)].map(
      ([, name]) => name ?? '',
    ),
    handedOn: lists.flatMap(([, list]) => namesIn(list ?? '', 'as')),
  }
}

/** Every name that a module takes from another one of ours, as `path name`; `path *` takes all of it. */
function takenBy([path, text]: [string, string]): string[] {
  const target = (written = '') => relative(root, resolve(root, dirname(path), written))
  const lists = [...text.matchAll(/\b(?:import|export)\s+(?:type\s+)?(?:\w+,\s*)?\{([^}]*)\}\s*from\s+'(\.[^']+)'/g)]
  const spaces = [...text.matchAll(/\bimport\s+(?:type\s+)?\*\s+as\s+(\w+)\s+from\s+'(\.[^']+)'/g)]
  const whole = [...text.matchAll(/\bimport\(\s*'(\.[^']+)'\s*\)/g)]
  return [
    ...lists.flatMap(([, list, from]) => namesIn(list ?? '', 'from').map((name) => `${target(from)} ${name}`)),
    ...spaces.flatMap(([, space, from]) =>
      [...text.matchAll(new RegExp(`\\b${space}\\.(\\w+)`, 'g'))].map(([, name]) => `${target(from)} ${name}`),
    ),
    ...whole.map(([, from]) => `${target(from)} *`),
  ]
}

/** An index that hands on everything of a module (`export *`): who takes a name from the one takes it from the other. */
const stars = [...code].flatMap(([path, text]) =>
  [...text.matchAll(/\bexport\s+(?:type\s+)?\*\s+from\s+'(\.[^']+)'/g)].map(([, from]) => ({
    index: path,
    module: relative(root, resolve(root, dirname(path), from ?? '')),
  })),
)

function takers(tests: boolean): Set<string> {
  const direct = [...code].filter(([path]) => isTestCode(path) === tests).flatMap(takenBy)
  const through = direct.flatMap((taken) => {
    const [path, name] = taken.split(' ')
    return stars.filter(({ index }) => index === path).map(({ module }) => `${module} ${name}`)
  })
  return new Set([...direct, ...through])
}

describe('exports', () => {
  const product = [...code].filter(([path]) => path.startsWith('src/') && !isTestCode(path))
  const exported = product.flatMap(([path, text]) => {
    const { declared, handedOn } = exportsOf(text)
    return [
      ...declared.map((name) => ({ path, name, worksAtHome: text.split(new RegExp(`(?<![\\w$])${name}(?![\\w$])`)).length > 2 })),
      ...handedOn.map((name) => ({ path, name, worksAtHome: true })),
    ]
  })
  const takenByProduct = takers(false)
  const takenByTests = takers(true)

  it('were really read', () => {
    expect(exported.length).toBeGreaterThan(800)
    expect(takenByProduct.size).toBeGreaterThan(800)
    expect(takenByTests.size).toBeGreaterThan(300)
  })

  it('all have a user: another module, or the test of something that works in its own', () => {
    const isTaken = (takenOnes: Set<string>, path: string, name: string) =>
      takenOnes.has(`${path} ${name}`) || takenOnes.has(`${path} *`)
    const unused = exported.filter(
      ({ path, name, worksAtHome }) =>
        !isTaken(takenByProduct, path, name) && !(worksAtHome && isTaken(takenByTests, path, name)),
    )
    expect(unused.map(({ path, name }) => `${path} ${name}`)).toEqual([])
  })
})

describe('procedures of the contract', () => {
  const router = code.get('src/shared/contract/router.ts') ?? ''
  const domains = router.split(/^ {2}(?=\w+: router\()/m).slice(1)
  const procedures = domains.flatMap((text) => {
    const domain = /^\w+/.exec(text)?.[0]
    return [...text.matchAll(/^ {4}(\w+): procedure/gm)].map(([, name]) => `${domain}.${name}`)
  })

  it('were really read', () => {
    expect(domains.length).toBeGreaterThan(5)
    expect(procedures.length).toBe(router.match(/: procedure\b/g)?.length)
  })

  it('all are asked for by the window, the page or the command line', () => {
    const callers = [...code].filter(
      ([path]) => path.startsWith('src/') && !isTestCode(path) && !/^src\/(shared\/contract|main\/engine\/api)\//.test(path),
    )
    const text = callers.map(([, one]) => one).join('\n')
    expect(procedures.filter((name) => !new RegExp(`\\b${name.replace('.', '\\s*\\.\\s*')}\\b`).test(text))).toEqual([])
  })
})

describe('error and exit codes', () => {
  const product = [...code].filter(([path]) => path.startsWith('src/') && !isTestCode(path))

  it('are all given by something: an error code by who throws it, an exit code for an error code or by a command', () => {
    const list = /ERROR_CODES = \[([^\]]*)\]/.exec(code.get('src/shared/model/error.ts') ?? '')?.[1] ?? ''
    const errorCodes = [...list.matchAll(/'(\w+)'/g)].map(([, name]) => name ?? '')
    expect(errorCodes.length).toBeGreaterThan(15)
    const throwers = product
      .filter(([path]) => path !== 'src/shared/model/error.ts')
      .map(([, text]) => text)
      .join('\n')
    expect(errorCodes.filter((name) => !throwers.includes(`'${name}'`))).toEqual([])

    const table = /EXIT = \{([^}]*)\}/.exec(code.get('src/main/cli/exit-codes.ts') ?? '')?.[1] ?? ''
    const exits = [...table.matchAll(/(\w+): (\d+)/g)].map(([, name = '', number = '']) => ({ name, number }))
    expect(exits.length).toBeGreaterThan(5)
    expect(exits.filter(({ name }) => !new RegExp(`EXIT\\.${name}\\b`).test(throwers))).toEqual([])
    const promised = /0 done · [^.]*/.exec(read('README.md'))?.[0] ?? ''
    expect([...promised.matchAll(/(?:^|· )(\d+) /g)].map(([, number]) => number)).toEqual(exits.map(({ number }) => number))
  })
})

describe('classes of CSS modules', () => {
  const modules = readFolder('src', /\.module\.css$/)
  const classes = modules.flatMap((path) => {
    const rules = read(path).replace(/\/\*[\s\S]*?\*\//g, '')
    return [...new Set([...rules.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name]) => name ?? ''))].map((name) => ({ path, name }))
  })
  /** Classes of the libraries whose parts are styled. */
  const own = classes.filter(({ name }) => !/^(mantine|xterm)-/.test(name))

  it('were really read', () => {
    expect(own.length).toBeGreaterThan(200)
  })

  it('all have a user among the parts that import the module', () => {
    const users = new Map(modules.map((path) => [path, '']))
    for (const [user, text] of code) {
      for (const [, from] of text.matchAll(/from '(\.[^']+\.module\.css)'/g)) {
        const path = relative(root, resolve(root, dirname(user), from ?? ''))
        users.set(path, `${users.get(path)}${text}`)
      }
    }
    const unused = own.filter(({ path, name }) => !new RegExp(`\\.${name}(?![\\w-])|\\['${name}'\\]`).test(users.get(path) ?? ''))
    expect(unused.map(({ path, name }) => `${path} .${name}`)).toEqual([])
  })
})

describe('dependencies', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<
    'dependencies' | 'devDependencies',
    Record<string, string>
  >
  const styles = readFolder('src', /\.css$/).map(read)
  const commands = read('package.json').split('"devDependencies"')[0] ?? ''

  /** Tools that a command or another tool finds by itself. */
  const isFound = (name: string) =>
    name.startsWith('@types/') ||
    (name === 'oxlint-tsgolint' && /oxlint --type-aware/.test(commands)) ||
    (name === 'typescript' && /\btsc /.test(commands)) ||
    (name === '@biomejs/biome' && /\bbiome /.test(commands))

  it('all have a user, of the product where they come with it', () => {
    const product = [...code].filter(([path]) => path.startsWith('src/') && !isTestCode(path)).map(([, text]) => text)
    const everything = [...[...code.keys()].map(read), commands]
    const isNamed = (name: string, texts: string[]) =>
      texts.some((text) => new RegExp(`['"\\s/]${name}(?:['"\\s]|/[^'"]*['"])`).test(text))
    const names = Object.keys(dependencies)
    const tools = Object.keys(devDependencies)
    expect(names.length).toBeGreaterThan(10)
    expect(tools.length).toBeGreaterThan(10)
    expect(names.filter((name) => !isNamed(name, [...product, ...styles]))).toEqual([])
    expect(tools.filter((name) => !isFound(name) && !isNamed(name, everything))).toEqual([])
  })
})
