/**
 * xterm adds <style> elements of its own and has no option for the nonce that the content security policy asks for. While `act` runs (it must
 * not wait for anything), every style element that the page makes gets one.
 */
export function withStyleNonce<Result>(page: Document, nonce: string | undefined, act: () => Result): Result {
  if (nonce === undefined) return act()
  const plain = page.createElement.bind(page)
  const create = (name: string, options?: ElementCreationOptions) => {
    const element = plain(name, options)
    if (element instanceof HTMLStyleElement) element.nonce = nonce
    return element
  }
  Object.defineProperty(page, 'createElement', { value: create, configurable: true })
  try {
    return act()
  } finally {
    Reflect.deleteProperty(page, 'createElement')
  }
}

/* oxlint-disable no-underscore-dangle -- xterm's own names */

/** The way to the part of xterm 6 that writes style attributes. Undefined anywhere in between: another version, and nothing is changed. */
interface Inside {
  _core?: {
    _renderService?: { _renderer?: { value?: { _rowFactory?: { _addStyle?: (element: HTMLElement, style: string) => void } } } }
  }
}

/** The ground of a selection comes as a `style` attribute, which the policy forbids; the same through the CSSOM is allowed. */
export function styleByCssom(terminal: unknown) {
  const factory = (terminal as Inside)._core?._renderService?._renderer?.value?._rowFactory
  if (factory?._addStyle === undefined) return
  factory._addStyle = (element, style) => {
    element.style.cssText += style
  }
}
