/** Numbers that repeat (mulberry32), so that a test that fails once fails again. */
export function createRandom(seed: number) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return { below, pick: <Item>(items: readonly Item[]) => items[below(items.length)] as Item }
}
export type Random = ReturnType<typeof createRandom>

const NUMBERS = [
  0,
  -1,
  0.5,
  -0.5,
  1e15,
  -1e15,
  1e20,
  -1e20,
  1e300,
  8.64e15,
  8.64e15 + 1,
  2 ** 53,
  2 ** 31,
  4e9,
  1e12,
  253_402_300_800_000,
]
const TEXTS = ['', '\0', '\u{d800}', 'x'.repeat(70_000), '__proto__', '1e999', '</script>', 'constructor', '2026-99-99T00:00:00Z']
const OTHERS = [null, true, [], {}, [[[[[]]]]], { __proto__: null, a: 1 }, ['x'], { data: 'x' }]

/** A number elsewhere than expected: of the right type, of a size that nothing honest has. */
export function withStrangeNumber(value: unknown, random: Random): unknown {
  return replaceOne(
    value,
    random,
    (found) => typeof found === 'number',
    () => random.pick(NUMBERS),
  )
}

/** One value replaced by something else, of any type. */
export function withStrangeValue(value: unknown, random: Random): unknown {
  return replaceOne(
    value,
    random,
    () => true,
    () => random.pick([NUMBERS, TEXTS, OTHERS][random.below(3)] as unknown[]),
  )
}

/** The text of a line, damaged: cut, bits turned, brackets, a number that JSON has and JavaScript doesn't. */
export function damaged(text: string, random: Random): string {
  const at = random.below(text.length)
  switch (random.below(6)) {
    case 0:
      return text.slice(0, at)
    case 1:
      return `${text.slice(0, at)}${String.fromCharCode(random.below(256))}${text.slice(at + 1)}`
    case 2:
      return `${text.slice(0, at)}${'['.repeat(20_000)}${text.slice(at)}`
    case 3:
      return text.replace(/:(\d+)/, ':1e999')
    case 4:
      return `${text.slice(0, at)}${text}`
    default:
      return text.replace('{', '{"deep":' + '{"a":'.repeat(5000) + '1' + '}'.repeat(5000) + ',')
  }
}

function replaceOne(value: unknown, random: Random, isWanted: (found: unknown) => boolean, make: () => unknown): unknown {
  const copy = structuredClone(value) as Record<string, unknown>
  const places: [Record<string, unknown>, string][] = []
  const walk = (node: Record<string, unknown>) => {
    for (const key of Object.keys(node)) {
      const child = node[key]
      if (isWanted(child)) places.push([node, key])
      if (typeof child === 'object' && child !== null) walk(child as Record<string, unknown>)
    }
  }
  walk(copy)
  const place = places.length === 0 ? undefined : random.pick(places)
  if (place !== undefined) place[0][place[1]] = make()
  return copy
}
