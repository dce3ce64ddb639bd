import type { Flag } from '../../../shared/model/cell.ts'
import { FLAG_MEANINGS, flagLabel } from '../../../shared/report/flags.ts'
import classes from './cell.module.css'

/** The doubts about a valid cell: what each means and what was seen. */
export function FlagsList({ flags }: { flags: readonly Flag[] }) {
  if (flags.length === 0) return null
  return (
    <section aria-label="Doubts" className={classes.flags}>
      <h3 className={classes.groupTitle}>Valid, but know this</h3>
      <ul>
        {flags.map((flag) => (
          <li key={`${flag.flag} ${flag.detail}`}>
            <strong>≈ {flagLabel(flag.flag)}.</strong> {FLAG_MEANINGS[flag.flag]}
            {flag.detail !== '' && <span className={classes.detail}> Seen: {flag.detail}.</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}
