/*
 * xterm makes <style> elements without a nonce and writes `style` attributes, and a content security policy forbids both. What it wants is
 * allowed all the same when it is said in another way: a nonce on the element, and styles through the CSSOM.
 */

/** A document for xterm's `documentOverride`: elements that come from it keep to the policy. */
export function policyDocument(page: Document, nonce: string | undefined): Document {
  const create = (name: string) => {
    const element = page.createElement(name)
    if (element instanceof HTMLStyleElement && nonce !== undefined) element.nonce = nonce
    if (element instanceof HTMLSpanElement) element.setAttribute = setByCssom
    return element
  }
  return new Proxy(page, {
    get: (target, key) => {
      if (key === 'createElement') return create
      const value: unknown = Reflect.get(target, key, target)
      // A document's own functions refuse to work for a proxy.
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value
    },
  })
}

function setByCssom(this: HTMLElement, name: string, value: string) {
  if (name === 'style') this.style.cssText = value
  else Element.prototype.setAttribute.call(this, name, value)
}

/** While `act` runs (it must not wait for anything) the page itself gives its style elements the nonce: xterm's scroll bar asks it directly. */
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
