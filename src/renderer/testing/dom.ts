/** What Mantine asks a browser for and jsdom doesn't have. Import it first in tests that render. */
import { afterEach } from 'vitest'
import { cleanup } from '@testing-library/react'

window.matchMedia = (query: string) =>
  ({
    matches: false,
    media: query,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    addListener: () => undefined,
    removeListener: () => undefined,
    dispatchEvent: () => false,
    onchange: null,
  }) as MediaQueryList

class NoObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
  takeRecords() {
    return []
  }
}
window.ResizeObserver = NoObserver
window.IntersectionObserver = NoObserver as unknown as typeof IntersectionObserver
Element.prototype.scrollIntoView = () => undefined

afterEach(() => {
  cleanup()
  window.location.hash = ''
  localStorage.clear()
})
