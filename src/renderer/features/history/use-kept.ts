import { useState } from 'react'

/** The last value there was: what is asked again stays on the screen until the answer comes. */
export function useKept<Value>(value: Value | undefined): Value | undefined {
  const [kept, setKept] = useState(value)
  if (value !== undefined && value !== kept) setKept(value)
  return value ?? kept
}
