import { useEffect, useState } from 'react'
import { PAGE_KEY_HEADER } from '../../shared/contract/page-key.ts'
import { readPageKey } from '../state/page-key.ts'
import { useAbilities } from '../state/context.ts'

const LOOK_MS = 3000

/** True where an engine answers that doesn't know this page's session: it was started anew, and only its link opens it. */
export function useSessionGone(isDown: boolean): boolean {
  const isPage = useAbilities()?.front === 'page'
  const [isGone, setIsGone] = useState(false)
  useEffect(() => {
    if (!isDown || !isPage) return
    const look = () => {
      fetch('/session', { headers: { [PAGE_KEY_HEADER]: readPageKey() ?? '' } }).then(
        ({ status }) => {
          setIsGone(status === 401)
        },
        () => {
          setIsGone(false)
        },
      )
    }
    look()
    const looking = setInterval(look, LOOK_MS)
    return () => {
      clearInterval(looking)
      setIsGone(false)
    }
  }, [isDown, isPage])
  return isGone
}
