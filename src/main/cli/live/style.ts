type Paint = (text: string) => string

/** Colours as an addition: everything must read the same without them. */
export interface Style {
  readonly color: boolean
  readonly bold: Paint
  readonly dim: Paint
  readonly green: Paint
  readonly yellow: Paint
  readonly red: Paint
  readonly cyan: Paint
  readonly inverse: Paint
}

export function createStyle(color: boolean): Style {
  const wrap = (open: number, close: number) => (text: string) =>
    color && text ? `\u001b[${open}m${text}\u001b[${close}m` : text
  return {
    color,
    bold: wrap(1, 22),
    dim: wrap(2, 22),
    green: wrap(32, 39),
    yellow: wrap(33, 39),
    red: wrap(31, 39),
    cyan: wrap(36, 39),
    inverse: wrap(7, 27),
  }
}
