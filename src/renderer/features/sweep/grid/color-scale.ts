export type Rgb = readonly [number, number, number]
export type Theme = 'light' | 'dark'

/**
 * Sequential ramps of one hue family, so that every kind of colour vision reads them by lightness alone; lightness is monotonic, so that a
 * print in grey keeps the order. Light theme: more is darker; dark theme: more is brighter.
 */
const RAMPS: Record<Theme, readonly string[]> = {
  light: ['#eff5fd', '#cfe2f9', '#98c1f0', '#5a99e4', '#2a6dcb', '#184a97', '#0d2a5c'],
  dark: ['#162131', '#183356', '#1b4a86', '#2468bd', '#5294e0', '#97c2f2', '#deecfd'],
}
const SOFT_INK = '#0b1622'
const DARK_INK = '#000000'
const LIGHT_INK = '#ffffff'

/** Background and text of a cell at 0…1 of the scale; the text always has a contrast of at least 4.5. */
export function cellColors(theme: Theme, position: number): { background: string; ink: string } {
  const background = rampColor(RAMPS[theme], position)
  const onDark = contrast(background, parse(LIGHT_INK))
  const onLight = contrast(background, parse(DARK_INK))
  const dark = contrast(background, parse(SOFT_INK)) >= 7 ? SOFT_INK : DARK_INK
  return { background: css(background), ink: onDark >= onLight ? LIGHT_INK : dark }
}

export function rampCss(theme: Theme, steps = 12): string {
  const stops = Array.from({ length: steps + 1 }, (_, index) => css(rampColor(RAMPS[theme], index / steps)))
  return `linear-gradient(90deg, ${stops.join(', ')})`
}

/** WCAG contrast ratio, 1…21. */
export function contrast(a: Rgb, b: Rgb): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

/** Relative luminance (WCAG 2), 0…1. */
export function luminance([r, g, b]: Rgb): number {
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

function parse(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16)
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255]
}

function rampColor(stops: readonly string[], position: number): Rgb {
  const at = Math.min(1, Math.max(0, position)) * (stops.length - 1)
  const index = Math.min(stops.length - 2, Math.floor(at))
  const a = toLab(parse(stops[index] ?? DARK_INK))
  const b = toLab(parse(stops[index + 1] ?? DARK_INK))
  const part = at - index
  return fromLab([a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part, a[2] + (b[2] - a[2]) * part])
}

const css = ([r, g, b]: Rgb) => `rgb(${r}, ${g}, ${b})`
const linear = (channel: number) => {
  const value = channel / 255
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
}
const encoded = (value: number) => {
  const channel = value <= 0.003_130_8 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055
  return Math.round(255 * Math.min(1, Math.max(0, channel)))
}

// OKLab, https://bottosson.github.io/posts/oklab/: equal steps look equal.
function toLab([red, green, blue]: Rgb): Rgb {
  const [r, g, b] = [linear(red), linear(green), linear(blue)]
  const l = Math.cbrt(0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b)
  const m = Math.cbrt(0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b)
  const s = Math.cbrt(0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b)
  return [
    0.210_454_255_3 * l + 0.793_617_785 * m - 0.004_072_046_8 * s,
    1.977_998_495_1 * l - 2.428_592_205 * m + 0.450_593_709_9 * s,
    0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766 * s,
  ]
}

function fromLab([lightness, a, b]: Rgb): Rgb {
  const l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b) ** 3
  const m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b) ** 3
  const s = (lightness - 0.089_484_177_5 * a - 1.291_485_548 * b) ** 3
  return [
    encoded(4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s),
    encoded(-1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s),
    encoded(-0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701 * s),
  ]
}
