import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseAst } from 'vite'

export interface Pattern {
  /** file:line */
  at: string
  source: string
  flags: string
}

interface Node {
  type: string
  start: number
  [field: string]: unknown
}

const SRC = join(import.meta.dirname, '../../src')
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

/**
 * Every regular expression of the product, found by parsing each module of src: literals, and what is given to RegExp where that is a text or
 * made of texts (what is put into it at run time counts as a word). One that can't be told is an error: then this must learn it.
 */
export function collectPatterns(): Pattern[] {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter(
      (name) => /\.tsx?$/.test(name) && !/\.(?:test|testing)\.tsx?$|(?:^|\/)test-[\w-]+\.tsx?$|(?:^|\/)testing\//.test(name),
    )
    .sort()
  return files.flatMap((name) => patternsOf(join(SRC, name)))
}

export function patternsOf(path: string, text = readFileSync(path, 'utf8')): Pattern[] {
  const tree: unknown = parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }, path)
  const texts = new Map<string, Node>()
  const copied = new Set<string>()
  walk(tree, (node) => {
    const { id, init } = node
    if (node.type === 'VariableDeclarator' && isNode(id) && isNode(init) && typeof id.name === 'string') texts.set(id.name, init)
  })
  // A parameter that is a RegExp: a copy of a pattern that is found where it is written.
  walk(tree, (node) => {
    const { typeAnnotation, name } = node
    if (node.type !== 'Identifier' || !isNode(typeAnnotation) || !isNode(typeAnnotation.typeAnnotation)) return
    const { typeName } = typeAnnotation.typeAnnotation
    if (isNode(typeName) && typeName.name === 'RegExp') copied.add(String(name))
  })
  const found: Pattern[] = []
  const add = (node: Node, source: string, flags: string) => {
    const line = text.slice(0, node.start).split('\n').length
    found.push({ at: `${relative(join(SRC, '..'), path)}:${String(line)}`, source, flags })
  }
  walk(tree, (node) => {
    if (node.type === 'Literal' && isRegex(node.regex)) add(node, node.regex.pattern, node.regex.flags)
    if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return
    const { callee, arguments: given } = node
    if (!isNode(callee) || callee.name !== 'RegExp' || !Array.isArray(given)) return
    const [pattern, flags] = given as Node[]
    if (pattern?.type === 'Identifier' && copied.has(String(pattern.name))) return
    const source = pattern && textOf(pattern, texts)
    if (source === undefined) throw new Error(`${path}: can't tell what is given to RegExp at character ${String(node.start)}`)
    add(node, source, flags ? (textOf(flags, texts) ?? '') : '')
  })
  return found
}

function isRegex(value: unknown): value is { pattern: string; flags: string } {
  return typeof value === 'object' && value !== null && 'pattern' in value
}

function textOf(node: Node, texts: ReadonlyMap<string, Node>): string | undefined {
  if (node.type === 'Literal')
    return typeof node.value === 'string' ? node.value : isRegex(node.regex) ? node.regex.pattern : undefined
  if (node.type === 'Identifier') {
    const known = texts.get(String(node.name))
    return known && textOf(known, texts)
  }
  if (node.type === 'TaggedTemplateExpression') return isNode(node.quasi) ? textOf(node.quasi, texts) : undefined
  if (node.type === 'MemberExpression') return isNode(node.object) ? textOf(node.object, texts) : undefined
  if (node.type !== 'TemplateLiteral') return undefined
  const quasis = node.quasis as { value: { cooked: string } }[]
  const inside = node.expressions as Node[]
  return quasis
    .map((quasi, index) => quasi.value.cooked + (inside[index] ? (textOf(inside[index], texts) ?? 'word') : ''))
    .join('')
}

function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, visit)
  } else if (typeof value === 'object' && value !== null) {
    if (isNode(value)) visit(value)
    for (const child of Object.values(value)) if (typeof child === 'object' && child !== null) walk(child, visit)
  }
}
