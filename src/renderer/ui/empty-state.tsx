import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import classes from './states.module.css'

interface EmptyStateProps {
  icon?: LucideIcon
  title: string
  /** What it means and what to do. */
  text: ReactNode
  /** The one obvious button, and others after it. */
  actions?: ReactNode
}

export function EmptyState({ icon: Icon, title, text, actions }: EmptyStateProps) {
  return (
    <div className={classes.empty}>
      {Icon !== undefined && <Icon size={28} strokeWidth={1.5} aria-hidden className={classes.icon} />}
      <h2 className={classes.title}>{title}</h2>
      <div className={classes.text}>{text}</div>
      {actions !== undefined && <div className={classes.actions}>{actions}</div>}
    </div>
  )
}
