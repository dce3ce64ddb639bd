import { type ReactNode, useId } from 'react'
import classes from './panel.module.css'

interface PanelProps {
  title?: ReactNode
  /** Small text beside the title. */
  note?: ReactNode
  actions?: ReactNode
  /** `none`: the content reaches the edges (tables, logs, charts). */
  padding?: 'normal' | 'none'
  /** Takes the height it is given and scrolls inside. */
  fill?: boolean
  className?: string | undefined
  children: ReactNode
}

/** A titled piece of a screen. */
export function Panel({ title, note, actions, padding = 'normal', fill = false, className, children }: PanelProps) {
  const id = useId()
  return (
    <section
      className={[classes.panel, className].filter(Boolean).join(' ')}
      data-fill={fill || undefined}
      aria-labelledby={title === undefined ? undefined : id}
    >
      {title !== undefined && (
        <div className={classes.head}>
          <h2 id={id} className={classes.title}>
            {title}
          </h2>
          {note !== undefined && <span className={classes.note}>{note}</span>}
          {actions !== undefined && <div className={classes.actions}>{actions}</div>}
        </div>
      )}
      <div className={classes.body} data-padding={padding}>
        {children}
      </div>
    </section>
  )
}
