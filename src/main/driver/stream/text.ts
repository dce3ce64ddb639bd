import { ADJECTIVES, NOUNS, PEOPLE, PLACES, SUBJECTS, VERBS } from './words.ts'

/** sfc32: small, fast, and the same on every machine. Returns integers below 2³². */
function createRandom(seed: number, stream: number): () => number {
  let a = seed >>> 0
  let b = stream >>> 0
  let c = 0x9e37_79b9
  let counter = 1
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    return sum >>> 0
  }
  for (let round = 0; round < 15; round++) next()
  return next
}

type Pick = (list: readonly string[]) => string

const SENTENCES: readonly ((pick: Pick, number: () => number) => string)[] = [
  (p, n) =>
    `In ${1200 + (n() % 800)} the ${p(ADJECTIVES)} ${p(NOUNS)} of ${p(PLACES)} was ${p(VERBS)} by ${p(PEOPLE)} and a ${p(NOUNS)} maker.`,
  (p) =>
    `${p(PEOPLE)} ${p(VERBS)} the ${p(NOUNS)} beside the ${p(ADJECTIVES)} ${p(NOUNS)}, while ${p(PEOPLE)} ${p(VERBS)} a ${p(NOUNS)}.`,
  (p, n) =>
    `About ${2 + (n() % 900)} pages on ${p(SUBJECTS)} were ${p(VERBS)} there before the ${p(NOUNS)} near ${p(PLACES)} was ${p(VERBS)}.`,
  (p) =>
    `A ${p(ADJECTIVES)} ${p(NOUNS)} does not explain why the ${p(NOUNS)} and the ${p(NOUNS)} at ${p(PLACES)} were ${p(VERBS)} together.`,
  (p, n) =>
    `The road from ${p(PLACES)} to ${p(PLACES)} took ${2 + (n() % 60)} hours with a ${p(ADJECTIVES)} ${p(NOUNS)} and a ${p(NOUNS)}.`,
  (p) =>
    `When the ${p(NOUNS)} was ${p(VERBS)}, the ${p(ADJECTIVES)} ${p(NOUNS)} that ${p(PEOPLE)} had ${p(VERBS)} became a ${p(ADJECTIVES)} ${p(NOUNS)}.`,
  (p) =>
    `Students of ${p(SUBJECTS)} in ${p(PLACES)} ${p(VERBS)} each ${p(NOUNS)}, but hardly any ${p(ADJECTIVES)} ${p(NOUNS)} was ${p(VERBS)}.`,
  (p, n) =>
    `Its ${p(NOUNS)} weighed ${1 + (n() % 400)}.${n() % 10} pounds, as a ${p(ADJECTIVES)} ${p(NOUNS)} from ${p(PLACES)} would have.`,
  (p) =>
    `Nobody in ${p(PLACES)} asked whether the ${p(NOUNS)}, once ${p(VERBS)}, could serve the ${p(ADJECTIVES)} ${p(NOUNS)} as a ${p(NOUNS)}.`,
  (p) =>
    `"Keep the ${p(NOUNS)} away from the ${p(ADJECTIVES)} ${p(NOUNS)}," wrote ${p(PEOPLE)}, who had ${p(VERBS)} the ${p(NOUNS)} of ${p(PLACES)}.`,
  (p, n) =>
    `Of ${3 + (n() % 300)} letters about ${p(SUBJECTS)}, the ${p(ADJECTIVES)} one with the ${p(NOUNS)} was ${p(VERBS)} by ${p(PEOPLE)} of ${p(PLACES)}.`,
  (p) =>
    `Between the ${p(NOUNS)} and the ${p(ADJECTIVES)} ${p(NOUNS)} ran a ${p(NOUNS)}, ${p(VERBS)} each year by the people of ${p(PLACES)}.`,
]

/** A text that can be read on and on; the same seed and variant give the same text, and a longer piece continues a shorter one. */
export interface TextSource {
  /** At least `chars` characters where the source is endless; own texts end somewhere. */
  text(chars: number): string
}

/** Seeded, natural-looking, and without repetition: each sentence draws five to eight words and a number of its own. */
export function createSeededText(seed: number, variant: number): TextSource {
  const random = createRandom(seed, variant)
  const pick: Pick = (list) => list[random() % list.length] as string
  let made = ''
  let inParagraph = 0
  return {
    text(chars) {
      const parts: string[] = [made]
      let length = made.length
      while (length < chars) {
        const write = SENTENCES[random() % SENTENCES.length] as (typeof SENTENCES)[number]
        inParagraph += 1
        const ends = inParagraph > 4 && random() % 4 === 0
        if (ends) inParagraph = 0
        const sentence = write(pick, random) + (ends ? '\n\n' : ' ')
        parts.push(sentence)
        length += sentence.length
      }
      made = parts.join('')
      return made
    },
  }
}

/** The person's own texts, one after the other, each once; another variant begins with another text. */
export function createOwnText(texts: readonly string[], variant: number): TextSource {
  const first = variant % texts.length
  const whole = [...texts.slice(first), ...texts.slice(0, first)].join('\n\n')
  return { text: () => whole }
}

/** The first `chars` characters, cut back to the end of a word (a text without spaces is cut where it is). */
export function cutAtWord(text: string, chars: number): string {
  if (chars >= text.length) return text.trimEnd()
  if (chars <= 0) return ''
  const space = text.lastIndexOf(' ', chars)
  const end = space > chars - 200 && space > 0 ? space : chars
  const cut = text.slice(0, end).trimEnd()
  // Half a surrogate pair would be replaced on the wire.
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut
}
