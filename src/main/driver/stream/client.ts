import { createConnections } from './connection.ts'
import { controlRequest } from './control-request.ts'
import { createStartQueue } from './start-queue.ts'
import { patienceMs } from './stream-limits.ts'
import { startStream } from './stream-request.ts'
import type { ClientOptions, DriverClient, InFlight } from './types.ts'

/** HTTP to one server. `dispose` cancels what is in flight and closes every connection. */
export function createDriverClient(options: ClientOptions): DriverClient {
  const connections = createConnections(options)
  const starts = createStartQueue()
  const inFlight = new Set<InFlight>()
  let waitingBytes = 0
  const patience = () => patienceMs(options.silenceMs, waitingBytes)
  const stop = new AbortController()
  return {
    stream(request) {
      const started = startStream(connections, starts, request, patience)
      waitingBytes += request.body.length
      inFlight.add(started)
      void started.done.then(() => {
        inFlight.delete(started)
        waitingBytes -= request.body.length
      })
      return started
    },
    request: (method, path, requestOptions) =>
      controlRequest(connections, method, path, { ...requestOptions, signal: stop.signal }),
    dispose() {
      for (const each of inFlight) each.cancel()
      stop.abort()
      connections.dispose()
    },
  }
}
