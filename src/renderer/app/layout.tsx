import { type ReactNode, Suspense } from 'react'
import { Loading } from '../ui/loading.tsx'
import { ConnectionBanner } from './connection-banner.tsx'
import classes from './layout.module.css'
import { Rail } from './rail.tsx'
import { ScreenBoundary } from './screen-boundary.tsx'
import { LAZY_SCREENS } from './screens.ts'
import { useRoute } from './use-route.ts'

export function Layout({ children }: { children?: ReactNode }) {
  const route = useRoute()
  const Current = LAZY_SCREENS[route.screen]
  return (
    <div className={classes.layout}>
      <a className={classes.skip} href="#screen" onClick={skipToScreen}>
        Skip to the screen
      </a>
      <Rail current={route.screen} />
      <div className={classes.column}>
        <ConnectionBanner />
        <ScreenBoundary key={route.screen}>
          <Suspense fallback={<Loading what="the screen" />}>
            <Current route={route as never} />
          </Suspense>
        </ScreenBoundary>
      </div>
      {children}
    </div>
  )
}

function skipToScreen(event: { preventDefault(): void }) {
  event.preventDefault()
  document.getElementById('screen')?.focus()
}
