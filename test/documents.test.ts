import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')

interface Citation {
  /** Where it stands, and how it is written. */
  from: string
  document: string
  /** `3.1`, or a heading's or a paragraph's first words in quotes. */
  section: string | undefined
}

function readFolder(folder: string, names: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path}`)
    .filter((path) => names.test(path))
}

/** Only comments: a document's name in code is a file that the program writes. */
function commentsOf(text: string): string {
  return [...text.matchAll(/\/\*[\s\S]*?\*\/|(?:^|\s)\/\/ .*$|^""".*$/gm)].map(([comment]) => comment).join('\n')
}

function citationsOf(path: string): Citation[] {
  const text = commentsOf(readFileSync(join(root, path), 'utf8')).replace(/\s*\n\s*(?:\*|\/\/)\s?/g, ' ')
  return [...text.matchAll(/([\w./-]+\.md)\b(?:,? "([^"]+)"|((?:(?: and |, | )\d+(?:\.\d+)*)+))?/g)].flatMap(
    ([, name = '', quoted, numbers]) => {
      const sections = quoted === undefined ? numbers?.match(/\d+(?:\.\d+)*/g) : [quoted]
      return (sections ?? [undefined]).map((section) => ({ from: path, document: name, section }))
    },
  )
}

/** The numbered headings, the numbered steps below them (`3.5` is step 5 of section 3), and what is named in bold or as a heading. */
function sectionsOf(document: string): Set<string> {
  const found = new Set<string>()
  let heading = ''
  for (const line of readFileSync(document, 'utf8').split('\n')) {
    const title = /^#+ (?:(\d+(?:\.\d+)*)\.? )?(.*)$/.exec(line)
    const bold = /^\*\*(.+?)\.?\*\*/.exec(line)?.[1]
    const step = /^(\d+)\. /.exec(line)?.[1]
    if (title) {
      heading = title[1] ?? heading
      for (const name of title.slice(1)) if (name !== undefined) found.add(name)
    } else if (step !== undefined) found.add(`${heading}.${step}`)
    // A name in bold may end in the middle of the sentence that it begins.
    if (bold !== undefined) for (const name of [bold, ...bold.split(',')]) found.add(name)
  }
  return found
}

describe('documents that comments cite', () => {
  const sources = ['src', 'test', 'bench', 'e2e', 'scripts'].flatMap((folder) => readFolder(folder, /\.(m?ts|tsx|mjs|py)$/))
  const citations = sources.flatMap(citationsOf).filter(({ from }) => from !== 'test/documents.test.ts')
  /** From the root; a folder's own README from the folder, or the nearest one above. */
  const places = ({ from, document }: Citation) => {
    const folders = dirname(from).split('/')
    return [...folders.map((_, depth) => folders.slice(0, folders.length - depth).join('/')), ''].map((folder) =>
      join(root, folder, document),
    )
  }
  const written = ({ from, document, section }: Citation) => `${from}: ${document}${section === undefined ? '' : ` ${section}`}`

  it('were really found', () => {
    expect(citations.length).toBeGreaterThan(50)
    expect(citations.filter(({ section }) => section !== undefined).length).toBeGreaterThan(45)
  })

  it('are in the repository', () => {
    expect(citations.filter((one) => !places(one).some(existsSync)).map(written)).toEqual([])
  })

  it('have the section', () => {
    const lost = citations.filter((one) => {
      const document = places(one).find(existsSync)
      return document !== undefined && one.section !== undefined && !sectionsOf(document).has(one.section)
    })
    expect(lost.map(written)).toEqual([])
  })
})
