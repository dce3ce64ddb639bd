import { describe, expect, it } from 'vitest'
import { dataFolder, typedPath } from './data-folder.ts'

const base = { env: {}, cwd: '/pkg', homeDir: '/home/ann', platform: 'linux' as const }

describe('typedPath', () => {
  it('is relative to where the person typed, also through npm', () => {
    expect(typedPath({ cwd: '/work', env: {} }, 'out/r.html')).toBe('/work/out/r.html')
    expect(typedPath({ cwd: '/pkg', env: { INIT_CWD: '/lab/x' } }, 'r.html')).toBe('/lab/x/r.html')
    expect(typedPath({ cwd: '/pkg', env: { INIT_CWD: '/lab/x', npm_package_json: '/pkg/package.json' } }, '../r.html')).toBe(
      '/lab/r.html',
    )
    expect(typedPath({ cwd: '/pkg', env: { INIT_CWD: '/lab/x' } }, '/abs/r.html')).toBe('/abs/r.html')
  })

  it('ignores an INIT_CWD that a shell inherited from npm', () => {
    const env = { INIT_CWD: '/lab/x', npm_package_json: '/other/package.json' }
    expect(typedPath({ cwd: '/somewhere', env }, 'r.html')).toBe('/somewhere/r.html')
  })
})

describe('dataFolder', () => {
  it('takes the option, then the variable, then the platform', () => {
    expect(dataFolder({ ...base, env: { SPEEDGRID_DATA_DIR: '/v' } }, '/o')).toBe('/o')
    expect(dataFolder({ ...base, env: { SPEEDGRID_DATA_DIR: 'v', INIT_CWD: '/typed' } })).toBe('/typed/v')
    expect(dataFolder(base)).toBe('/home/ann/.local/share/speedgrid')
    expect(dataFolder({ ...base, env: { XDG_DATA_HOME: '/xdg' } })).toBe('/xdg/speedgrid')
    expect(dataFolder({ ...base, env: { XDG_DATA_HOME: 'relative' } })).toBe('/home/ann/.local/share/speedgrid')
    expect(dataFolder({ ...base, platform: 'darwin' })).toBe('/home/ann/Library/Application Support/Speedgrid')
    expect(dataFolder({ ...base, platform: 'win32', env: { APPDATA: '/appdata' } })).toBe('/appdata/Speedgrid')
  })
})
