import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pagePolicy } from './content-security.ts'
import { mediaTypeOf, resolvePage } from './resolve-path.ts'

const folders = { renderer: '/app/out/renderer', shell: '/app/resources/shell' }

describe('addresses of our pages', () => {
  it.each([
    ['app://speedgrid/', 'out/renderer/index.html'],
    ['app://speedgrid/index.html#/hosts', 'out/renderer/index.html'],
    ['app://speedgrid/index.html?x=1', 'out/renderer/index.html'],
    ['app://speedgrid/assets/index-B1.js', 'out/renderer/assets/index-B1.js'],
    ['app://speedgrid/shell/attach.html', 'resources/shell/attach.html'],
    // The URL parser folds these itself; what is left lies below the folder.
    ['app://speedgrid/assets/../../../etc/passwd', 'out/renderer/etc/passwd'],
    ['app://speedgrid/shell/../secrets.json', 'out/renderer/secrets.json'],
  ])('%s → %s', (url, file) => {
    expect(resolvePage(url, folders)).toBe(join('/app', file))
  })

  it.each([
    'app://speedgrid/..%2f..%2fetc/passwd',
    'app://speedgrid/%2e%2e%2f%2e%2e%2fetc/passwd',
    'app://speedgrid/a%5c..%5c..%5cetc',
    'app://speedgrid/assets/%00.js',
    'app://speedgrid/c:/windows/win.ini',
    'app://speedgrid/.env',
    'app://speedgrid/%',
    'app://other/index.html',
    'file:///etc/passwd',
    'not an address',
  ])('%s leads nowhere', (url) => {
    expect(resolvePage(url, folders)).toBeUndefined()
  })

  it('serve what a page is made of and nothing else', () => {
    expect(mediaTypeOf('/a/index.html')).toBe('text/html; charset=utf-8')
    expect(mediaTypeOf('/a/b.js')).toBe('text/javascript; charset=utf-8')
    expect(mediaTypeOf('/a/b.js.map')).toBeUndefined()
    expect(mediaTypeOf('/a/README')).toBeUndefined()
  })
})

describe('policies', () => {
  const directive = (policy: string, name: string) => policy.split('; ').find((one) => one.startsWith(`${name} `))

  it('let scripts be our files only', () => {
    expect(directive(pagePolicy('n0nce'), 'script-src')).toBe("script-src 'self'")
    expect(directive(pagePolicy('n0nce'), 'default-src')).toBe("default-src 'none'")
    expect(pagePolicy('n0nce')).not.toContain('unsafe-eval')
  })

  it('let nothing be fetched from the window', () => {
    expect(directive(pagePolicy('n0nce'), 'connect-src')).toBe("connect-src 'none'")
    expect(directive(pagePolicy('n0nce'), 'style-src')).toBe("style-src 'self' 'nonce-n0nce'")
  })
})
