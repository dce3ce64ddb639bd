import { describe, expect, it } from 'vitest'
import { cellColors, contrast, luminance, type Rgb, type Theme } from './color-scale.ts'

const positions = Array.from({ length: 201 }, (_, index) => index / 200)
const rgb = (css: string) => css.match(/\d+/g)?.map(Number) as unknown as Rgb
const hex = (text: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16)) as unknown as Rgb

describe.each<Theme>(['light', 'dark'])('colours in the %s theme', (theme) => {
  it('have text that can be read at every step', () => {
    const worst = positions.map((at) => cellColors(theme, at)).map(({ background, ink }) => contrast(rgb(background), hex(ink)))
    expect(Math.min(...worst)).toBeGreaterThanOrEqual(4.5)
  })

  it('keep their order in grey', () => {
    const values = positions.map((at) => luminance(rgb(cellColors(theme, at).background)))
    const steps = values.slice(1).map((value, index) => value - (values[index] ?? 0))
    expect(steps.every((step) => (theme === 'light' ? step <= 1e-6 : step >= -1e-6))).toBe(true)
    expect(Math.abs((values.at(-1) ?? 0) - (values[0] ?? 0))).toBeGreaterThan(0.6)
  })

  it('holds outside 0…1', () => {
    expect(cellColors(theme, -1)).toEqual(cellColors(theme, 0))
    expect(cellColors(theme, 7)).toEqual(cellColors(theme, 1))
  })
})
