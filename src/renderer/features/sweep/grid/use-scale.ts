import { useMemo } from 'react'
import { useStore } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import { useSweepFeed } from '../state/sweep-feed.ts'
import type { Metric } from './metrics.ts'
import { createScale, type Scale } from './scale.ts'

/** The scale of the shown figure over the valid cells; the same object until its ends move, so that cells aren't rendered for nothing. */
export function useScale(metric: Metric): Scale | undefined {
  const ends = useStore(
    useSweepFeed(),
    useShallow(({ value }) => {
      let [low, high] = [Number.POSITIVE_INFINITY, 0]
      for (const cell of value?.cells.values() ?? []) {
        const figure = cell.status === 'valid' ? metric.read(cell) : undefined
        if (figure === undefined || !(figure > 0)) continue
        low = Math.min(low, figure)
        high = Math.max(high, figure)
      }
      return [low, high] as const
    }),
  )
  const [low, high] = ends
  return useMemo(() => createScale([low, high]), [low, high])
}
