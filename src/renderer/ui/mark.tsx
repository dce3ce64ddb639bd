/** The mark: a matrix whose cells grow. Decorative; the rail's label names the app. */
export function Mark({ size = 24 }: { size?: number }) {
  const cells = [
    [0, 0.95],
    [1, 0.75],
    [2, 0.5],
    [3, 0.75],
    [4, 0.5],
    [5, 0.3],
    [6, 0.5],
    [7, 0.3],
    [8, 0.16],
  ] as const
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" fill="currentColor" role="img" aria-label="Speedgrid">
      {cells.map(([index, opacity]) => (
        <rect
          key={index}
          x={2 + (index % 3) * 7}
          y={2 + Math.floor(index / 3) * 7}
          width={6}
          height={6}
          rx={1.4}
          opacity={opacity}
        />
      ))}
    </svg>
  )
}
