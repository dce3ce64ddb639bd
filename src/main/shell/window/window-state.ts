import { z } from 'zod'

/** Positions and sizes in the display's own (DIP) pixels. */
interface Rectangle {
  x: number
  y: number
  width: number
  height: number
}

const whole = z.number().int().min(-100_000).max(100_000)
export const windowStateSchema = z.object({
  bounds: z.object({ x: whole, y: whole, width: whole.min(1), height: whole.min(1) }).optional(),
  maximized: z.boolean().default(false),
  fullScreen: z.boolean().default(false),
  zoom: z.number().min(0.25).max(5).default(1),
  appearance: z.enum(['light', 'dark', 'system']).default('system'),
})
export type WindowState = z.infer<typeof windowStateSchema>

export const SMALLEST = { width: 720, height: 480 }
const FIRST = { width: 1280, height: 800 }
/** So much of a title bar has to be reachable for a person to move the window. */
const REACHABLE = { width: 120, height: 40 }

/**
 * Where a window comes up: where it was, as long as a display is still there to show it; else in the middle of the first one.
 * Without x and y the system places it.
 */
export function placeWindow(kept: Rectangle | undefined, workAreas: readonly Rectangle[]): Partial<Rectangle> & typeof FIRST {
  const [first] = workAreas
  const largest = { width: first?.width ?? FIRST.width, height: first?.height ?? FIRST.height }
  if (kept === undefined) return { width: Math.min(FIRST.width, largest.width), height: Math.min(FIRST.height, largest.height) }
  const width = Math.max(SMALLEST.width, kept.width)
  const height = Math.max(SMALLEST.height, kept.height)
  const home = workAreas.find((area) => shows(area, { ...kept, width, height }))
  if (home === undefined) return { width: Math.min(width, largest.width), height: Math.min(height, largest.height) }
  return { x: kept.x, y: kept.y, width: Math.min(width, home.width), height: Math.min(height, home.height) }
}

function shows(area: Rectangle, window: Rectangle): boolean {
  const across = Math.min(area.x + area.width, window.x + window.width) - Math.max(area.x, window.x)
  const down = Math.min(area.y + area.height, window.y + REACHABLE.height) - Math.max(area.y, window.y)
  return across >= REACHABLE.width && down >= REACHABLE.height / 2
}
