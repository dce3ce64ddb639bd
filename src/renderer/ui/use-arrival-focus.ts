import { type RefObject, useEffect, useRef } from 'react'

/**
 * For what appears in a dialog after it has opened (`data-autofocus` counts only at its opening): the element takes the focus when it
 * comes. Give it both.
 */
export function useArrivalFocus<Kind extends HTMLElement>(): RefObject<Kind | null> {
  const element = useRef<Kind>(null)
  useEffect(() => {
    element.current?.focus()
  }, [])
  return element
}
