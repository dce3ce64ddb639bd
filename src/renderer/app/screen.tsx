import { type ReactNode, useEffect } from 'react'
import { HeaderTools } from './header-tools.tsx'
import classes from './screen.module.css'

interface ScreenFrameProps {
  title: string
  /** What the screen is about right now: a host, a run, a cell. Text from outside stays text. */
  context?: ReactNode
  /** Buttons of this screen, the main one last. */
  actions?: ReactNode
  /** `fill`: the screen lays out its own scroll areas in the whole room. */
  layout?: 'page' | 'fill'
  children: ReactNode
}

/** The frame of every screen: header with title, context and actions, then the screen's room. */
export function Screen({ title, context, actions, layout = 'page', children }: ScreenFrameProps) {
  useEffect(() => {
    document.title = `${title} · Speedgrid`
  }, [title])
  return (
    <main className={classes.screen}>
      {/* Inside main: a dialog over it brings a header of its own, and there may be one banner only. */}
      <header className={classes.header}>
        <h1 className={classes.title}>{title}</h1>
        {context !== undefined && <div className={classes.context}>{context}</div>}
        <div className={classes.actions}>{actions}</div>
        <HeaderTools />
      </header>
      <div id="screen" tabIndex={-1} className={layout === 'fill' ? classes.fill : classes.page}>
        {children}
      </div>
    </main>
  )
}
