import type { StopView } from '../../../../shared/contract/servers.ts'
import { bytesText, durationText } from '../../../../shared/format/index.ts'
import { Panel } from '../../../ui/panel.tsx'
import classes from './server.module.css'

const MIB = 1024 ** 2

/** What stopping did, and what shows that nothing is left. */
export function StopProof({ report }: { report: StopView }) {
  const { stopped, signalled, left, portFree, gpuMemory, seconds, notes } = report
  return (
    <Panel title={stopped ? 'Stopped, and nothing is left' : 'Not everything ended'} note={`took ${durationText(seconds)}`}>
      <ul className={classes.proof}>
        <Proof isGood={left.length === 0}>
          {left.length === 0
            ? 'Every process of the server is gone.'
            : `${String(left.length)} of its processes ${left.length === 1 ? 'is' : 'are'} still there.`}
          <ul className={classes.processes}>
            {signalled.map(({ pid, signal, command }) => (
              <li key={`${String(pid)} ${signal}`}>
                <code>
                  {pid} {command}
                </code>{' '}
                {signal}
              </li>
            ))}
            {left.map(({ pid, command }) => (
              <li key={`left ${String(pid)}`}>
                <code>
                  {pid} {command}
                </code>{' '}
                still running
              </li>
            ))}
          </ul>
        </Proof>
        <Proof isGood={portFree}>{portFree ? 'Its port is free.' : 'Its port is still taken.'}</Proof>
        {gpuMemory?.map(({ index, beforeMiB, afterMiB }) => (
          <Proof
            key={index}
            isGood={afterMiB === undefined || beforeMiB === undefined || afterMiB < Math.max(2048, beforeMiB / 10)}
          >
            GPU {index}: {memory(beforeMiB)} in use before, {memory(afterMiB)} after
            <MemoryBar beforeMiB={beforeMiB} afterMiB={afterMiB} />
          </Proof>
        ))}
        {notes.map((note) => (
          <li key={note} className={classes.note}>
            {note}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function Proof({ isGood, children }: { isGood: boolean; children: React.ReactNode }) {
  return (
    <li className={classes.proofLine} data-good={isGood}>
      <span className={classes.proofSign} role="img" aria-label={isGood ? 'good' : 'not good'}>
        {isGood ? '✓' : '!'}
      </span>
      <div>{children}</div>
    </li>
  )
}

const memory = (mib: number | undefined) => (mib === undefined ? 'unknown' : bytesText(mib * MIB))

function MemoryBar({ beforeMiB, afterMiB }: { beforeMiB: number | undefined; afterMiB: number | undefined }) {
  if (beforeMiB === undefined || afterMiB === undefined || beforeMiB <= 0) return null
  return (
    <span className={classes.memory} aria-hidden>
      <span style={{ width: `${String(Math.min(100, (afterMiB / beforeMiB) * 100))}%` }} />
    </span>
  )
}
