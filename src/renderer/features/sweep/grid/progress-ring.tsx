import classes from './running.module.css'

const RADIUS = 6
const LENGTH = 2 * Math.PI * RADIUS

/** How much of the window is over; without a share it only says that something goes on. */
export function ProgressRing({ share, size = 14 }: { share: number | undefined; size?: number }) {
  const done = Math.min(1, Math.max(0, share ?? 0.25))
  return (
    <svg
      className={classes.ring}
      data-open={share === undefined || undefined}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      aria-hidden
    >
      <circle cx="8" cy="8" r={RADIUS} className={classes.track} />
      <circle
        cx="8"
        cy="8"
        r={RADIUS}
        className={classes.arc}
        strokeDasharray={LENGTH}
        strokeDashoffset={LENGTH * (1 - done)}
        transform="rotate(-90 8 8)"
      />
    </svg>
  )
}
