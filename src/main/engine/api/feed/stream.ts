/**
 * Values that are pushed, for a reader that pulls. `push` never waits: `fold` keeps what waits bounded. Ends with `end`, or when the signal aborts.
 */
interface PushStream<Value> extends AsyncIterable<Value> {
  push: (value: Value) => void
  end: (error?: unknown) => void
}

export function createPushStream<Value>(
  signal: AbortSignal,
  fold: (waiting: Value[], value: Value) => Value[] = (waiting, value) => [...waiting, value],
): PushStream<Value> {
  let waiting: Value[] = []
  let ended: { error?: unknown } | undefined
  let wake = () => {}
  const end = (error?: unknown) => {
    ended ??= error === undefined ? {} : { error }
    wake()
  }
  const leave = () => end()
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  return {
    push(value) {
      if (ended !== undefined) return
      waiting = fold(waiting, value)
      wake()
    },
    end,
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          const next = waiting.shift()
          if (next !== undefined && !signal.aborted) {
            yield next
          } else if (ended !== undefined) {
            if ('error' in ended && !signal.aborted) throw ended.error
            return
          } else {
            await new Promise<void>((resolve) => {
              wake = resolve
            })
          }
        }
      } finally {
        signal.removeEventListener('abort', leave)
        waiting = []
        ended ??= {}
      }
    },
  }
}
