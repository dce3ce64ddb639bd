import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createJsonFile } from '../system/json-file.ts'
import { placeWindow, windowStateSchema } from './window-state.ts'

const LAPTOP = { x: 0, y: 0, width: 1440, height: 900 }
const SECOND = { x: 1440, y: -200, width: 2560, height: 1440 }

describe('where a window comes up', () => {
  it('is the middle of the first display at the first start', () => {
    expect(placeWindow(undefined, [LAPTOP])).toEqual({ width: 1280, height: 800 })
    expect(placeWindow(undefined, [{ x: 0, y: 0, width: 1024, height: 700 }])).toEqual({ width: 1024, height: 700 })
  })

  it('is where it was, on whichever display', () => {
    const kept = { x: 1700, y: 100, width: 1600, height: 1000 }
    expect(placeWindow(kept, [LAPTOP, SECOND])).toEqual(kept)
  })

  it('is the first display when its own is gone', () => {
    expect(placeWindow({ x: 1700, y: 100, width: 1600, height: 1000 }, [LAPTOP])).toEqual({ width: 1440, height: 900 })
  })

  it('has a title bar a person can reach', () => {
    const offTop = { x: 100, y: -400, width: 900, height: 700 }
    expect(placeWindow(offTop, [LAPTOP])).toEqual({ width: 900, height: 700 })
    const farRight = { x: 1400, y: 10, width: 900, height: 700 }
    expect(placeWindow(farRight, [LAPTOP])).toEqual({ width: 900, height: 700 })
  })

  it('is never too small to use', () => {
    expect(placeWindow({ x: 10, y: 10, width: 1, height: 1 }, [LAPTOP])).toEqual({ x: 10, y: 10, width: 720, height: 480 })
  })
})

describe('the file it is kept in', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'speedgrid-shell-'))
  })
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  const fileAt = (path: string) => createJsonFile(path, windowStateSchema)
  const state = windowStateSchema.parse({ bounds: { x: 1, y: 2, width: 800, height: 600 }, zoom: 1.25, appearance: 'dark' })

  it('comes back as it was written, for this account only', () => {
    const path = join(folder, 'deeper', 'window-state.json')
    fileAt(path).write(state)
    expect(fileAt(path).read()).toEqual(state)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(folder, 'deeper'))).toEqual(['window-state.json'])
  })

  it('counts as absent when it is not ours to understand', () => {
    const path = join(folder, 'window-state.json')
    expect(fileAt(path).read()).toBeUndefined()
    for (const text of ['', '{', '[]', '{"zoom":"big"}', '{"bounds":{"x":1e9,"y":0,"width":1,"height":1}}']) {
      writeFileSync(path, text)
      expect(fileAt(path).read()).toBeUndefined()
    }
  })

  it('tightens the mode of a file that was open to others, and leaves the old one when the new one can not be written', () => {
    const path = join(folder, 'window-state.json')
    fileAt(path).write(state)
    chmodSync(path, 0o644)
    fileAt(path).write({ ...state, zoom: 2 })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const below = join(path, 'impossible.json')
    expect(() => {
      fileAt(below).write(state)
    }).toThrow()
    expect(existsSync(below)).toBe(false)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ zoom: 2 })
  })
})
