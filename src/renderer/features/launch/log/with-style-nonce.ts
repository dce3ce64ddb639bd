/**
 * xterm adds <style> elements of its own and has no option for a nonce. While `act` runs (it must not wait for anything), every style element
 * that is made gets one.
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
