import { FitAddon } from '@xterm/addon-fit'
import { SearchAddon } from '@xterm/addon-search'
import { type ITheme, Terminal } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'
import { readNonce } from '../../../app/style-nonce.ts'
import { createOverwriter } from './overwritten.ts'
import { styleByCssom, withStyleNonce } from './with-style-nonce.ts'

/** More would cost hundreds of megabytes at once; the whole log stays on the host. */
export const LINES_SHOWN = 20_000

export interface Found {
  /** 0-based; -1 where there are too many to count. */
  index: number
  count: number
}

export interface LogTerminal {
  write: (text: string) => void
  clear: () => void
  find: (text: string, direction: 'next' | 'previous', options?: { whileTyping?: boolean }) => void
  endSearch: () => void
  onFound: (listener: (found: Found) => void) => void
  toEnd: () => void
  /** Told whenever the last line comes into or goes out of sight. */
  onFollow: (listener: (isFollowing: boolean) => void) => void
  setTheme: (theme: 'light' | 'dark') => void
  selection(): string
  allText(): string
  focus: () => void
  dispose: () => void
}

/** A read-only terminal in an element that has a size. */
export function createLogTerminal(element: HTMLElement, theme: 'light' | 'dark'): LogTerminal {
  const nonce = readNonce(document)
  const terminal = new Terminal({
    disableStdin: true,
    convertEol: true,
    cursorInactiveStyle: 'none',
    cursorStyle: 'bar',
    cursorWidth: 1,
    scrollback: LINES_SHOWN,
    fontFamily: getComputedStyle(element).getPropertyValue('--sg-mono'),
    fontSize: 12,
    lineHeight: 1.3,
    theme: THEMES[theme],
    smoothScrollDuration: 0,
    screenReaderMode: false,
    allowProposedApi: true,
    overviewRuler: { width: 12 },
  })
  const fit = new FitAddon()
  const search = new SearchAddon({ highlightLimit: 1000 })
  terminal.loadAddon(fit)
  terminal.loadAddon(search)
  withStyleNonce(document, nonce, () => {
    terminal.open(element)
  })
  styleByCssom(terminal)
  // Keys belong to the page: Tab leaves, Ctrl+F searches, Ctrl+C copies what is selected.
  terminal.attachCustomKeyEventHandler(() => false)
  terminal.textarea?.setAttribute('aria-label', 'Log')
  terminal.textarea?.setAttribute('readonly', '')
  fit.fit()
  const resized = new ResizeObserver(() => {
    if (element.clientWidth > 0 && element.clientHeight > 0) fit.fit()
  })
  resized.observe(element)
  let colours = SEARCH_COLOURS[theme]
  const overwrite = createOverwriter(() => terminal.cols)

  return {
    write: (text) => {
      terminal.write(overwrite(text))
    },
    clear: () => {
      terminal.reset()
    },
    find: (text, direction, { whileTyping = false } = {}) => {
      const options = { decorations: colours, incremental: whileTyping }
      if (direction === 'next') search.findNext(text, options)
      else search.findPrevious(text, options)
    },
    endSearch: () => {
      search.clearDecorations()
      terminal.clearSelection()
    },
    onFound: (listener) => {
      search.onDidChangeResults(({ resultIndex, resultCount }) => {
        listener({ index: resultIndex, count: resultCount })
      })
    },
    toEnd: () => {
      terminal.scrollToBottom()
    },
    onFollow: (listener) => {
      const tell = () => {
        const { viewportY, baseY } = terminal.buffer.active
        listener(viewportY >= baseY)
      }
      terminal.onScroll(tell)
      terminal.onWriteParsed(tell)
      element.addEventListener('wheel', () => requestAnimationFrame(tell), { passive: true })
      element.addEventListener('keydown', () => requestAnimationFrame(tell))
    },
    setTheme: (next) => {
      terminal.options.theme = THEMES[next]
      colours = SEARCH_COLOURS[next]
    },
    selection: () => terminal.getSelection(),
    allText: () => {
      const { active } = terminal.buffer
      const lines: string[] = []
      for (let at = 0; at < active.length; at += 1) {
        const line = active.getLine(at)
        const text = line?.translateToString(true) ?? ''
        if (line?.isWrapped === true && lines.length > 0) lines[lines.length - 1] += text
        else lines.push(text)
      }
      return lines.join('\n').trimEnd()
    },
    focus: () => {
      terminal.focus()
    },
    dispose: () => {
      resized.disconnect()
      terminal.dispose()
    },
  }
}

/** Every colour has 4.5 : 1 on its ground; xterm's own contrast correction would need inline styles. */
const THEMES: Record<'light' | 'dark', ITheme> = {
  light: {
    background: '#ffffff',
    foreground: '#171b21',
    cursor: '#ffffff',
    selectionBackground: '#c9dbfa',
    selectionInactiveBackground: '#dfe3e8',
    overviewRulerBorder: '#ffffff00',
    scrollbarSliderBackground: '#8a94a366',
    scrollbarSliderHoverBackground: '#8a94a3aa',
    black: '#171b21',
    red: '#b3261e',
    green: '#16703f',
    yellow: '#8a5300',
    blue: '#1a55c4',
    magenta: '#8a2a8f',
    cyan: '#0b6b78',
    white: '#48515e',
    brightBlack: '#5d6775',
    brightRed: '#a5211a',
    brightGreen: '#12633a',
    brightYellow: '#7a4a00',
    brightBlue: '#15469f',
    brightMagenta: '#76247b',
    brightCyan: '#095c67',
    brightWhite: '#2c333c',
  },
  dark: {
    background: '#171b20',
    foreground: '#e8ebef',
    cursor: '#171b20',
    selectionBackground: '#2b4a80',
    selectionInactiveBackground: '#2a3138',
    overviewRulerBorder: '#ffffff00',
    scrollbarSliderBackground: '#6f7a8766',
    scrollbarSliderHoverBackground: '#6f7a87aa',
    black: '#949eaa',
    red: '#ff8f86',
    green: '#62cf90',
    yellow: '#e9b35a',
    blue: '#7fabff',
    magenta: '#e29be6',
    cyan: '#6fd0dd',
    white: '#d5dbe2',
    brightBlack: '#949eaa',
    brightRed: '#ffa59e',
    brightGreen: '#7fdca6',
    brightYellow: '#f2c67c',
    brightBlue: '#a3c3ff',
    brightMagenta: '#ecb7ef',
    brightCyan: '#92dee8',
    brightWhite: '#ffffff',
  },
}

/** Borders only: a background would be an inline style, which the policy forbids. log.module.css colours the matches. */
const SEARCH_COLOURS = {
  light: {
    matchBorder: '#b97700',
    matchOverviewRuler: '#b97700',
    activeMatchBorder: '#b3261e',
    activeMatchColorOverviewRuler: '#b3261e',
  },
  dark: {
    matchBorder: '#e9b35a',
    matchOverviewRuler: '#e9b35a',
    activeMatchBorder: '#ff8f86',
    activeMatchColorOverviewRuler: '#ff8f86',
  },
}
