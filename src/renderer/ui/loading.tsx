import { Loader } from '@mantine/core'
import { useEffect, useState } from 'react'
import classes from './states.module.css'

/** Says what is waited for; nothing at all in the first moment, so that quick answers don't flicker. */
export function Loading({ what }: { what: string }) {
  const [isSlow, setIsSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => {
      setIsSlow(true)
    }, 250)
    return () => {
      clearTimeout(timer)
    }
  }, [])
  return (
    <div className={classes.loading} role="status" aria-busy="true">
      {isSlow && (
        <>
          <Loader size={16} aria-hidden /> Loading {what}…
        </>
      )}
    </div>
  )
}
