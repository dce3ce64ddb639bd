import type { ReactNode } from 'react'
import type { EngineFacts } from '../../../../shared/model/engine-facts.ts'
import type { Server } from '../../../../shared/model/server.ts'
import { contextLabel, countText } from '../../../../shared/format/index.ts'
import { Panel } from '../../../ui/panel.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import classes from './server.module.css'

/** What is known of a running server; what isn't known isn't there. */
export function ServerFacts({ server, known }: { server: Server; known?: Partial<EngineFacts> | undefined }) {
  const facts: [string, ReactNode][] = [
    ['Port', server.address === undefined ? String(server.port) : `${server.address}:${String(server.port)}`],
    ['API key', server.hasApiKey ? 'its own, in the server’s environment only' : 'none'],
    ['Process', server.identity === undefined ? undefined : `${String(server.identity.pid)} and its children`],
    ['Started', <TimeText key="at" at={server.startedAt} />],
    ['Environment', server.vllm],
    ['Folder', server.folder],
  ]
  const engine: [string, ReactNode][] = [
    ['Engine', known?.version === undefined ? undefined : `${known.name ?? 'vllm'} ${known.version}`],
    ['Model', known?.model],
    ['Served name', known?.servedModel],
    ['KV cache', known?.kvTokens === undefined ? undefined : `${countText(known.kvTokens)} tokens`],
    ['Max model length', lengthText(known?.maxModelLen)],
    ['Max sequences', known?.maxNumSeqs === undefined ? undefined : countText(known.maxNumSeqs)],
    ['Quantization', known?.quantization],
    ['Attention', known?.backend],
  ]
  return (
    <Panel title="Server" note={server.adopted ? 'adopted: Speedgrid did not start it and does not stop it' : undefined}>
      <dl className={classes.facts}>
        {[...engine, ...facts]
          .filter(([, value]) => value !== undefined && value !== '')
          .map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </Panel>
  )
}

function lengthText(tokens: number | undefined): string | undefined {
  if (tokens === undefined) return undefined
  return `${countText(tokens)} tokens${tokens % 1024 === 0 ? ` (${contextLabel(tokens)})` : ''}`
}
