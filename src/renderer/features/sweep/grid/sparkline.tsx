interface SparklineProps {
  values: readonly number[]
  width: number
  height: number
  className?: string | undefined
  /** Where the scale ends; the largest value where absent. It starts at 0 unless `from` says otherwise. */
  max?: number | undefined
  from?: number | undefined
}

/** SVG path through the values, the last one at the right edge. */
export function sparkPath({ values, width, height, max, from = 0 }: Omit<SparklineProps, 'className'>): string {
  if (values.length === 0) return ''
  const high = Math.max(max ?? Math.max(...values), from + 1e-9)
  const step = values.length > 1 ? width / (values.length - 1) : 0
  const y = (value: number) => height - 1 - ((Math.min(high, Math.max(from, value)) - from) / (high - from)) * (height - 2)
  return values.map((value, index) => `${index === 0 ? 'M' : 'L'}${round(index * step)} ${round(y(value))}`).join('')
}

const round = (value: number) => Math.round(value * 10) / 10

/** A decoration: the number beside it says what matters. */
export function Sparkline({ className, ...shape }: SparklineProps) {
  const { width, height } = shape
  return (
    <svg
      className={className}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      <path
        d={sparkPath(shape)}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  )
}
