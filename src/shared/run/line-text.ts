import { contextLabel, durationText, fineMsText, msText, percentText, rateText, totalWithUnit } from '../format/index.ts'
import type { SpoolLine } from '../model/spool.ts'
import { modelOf } from './run-head.ts'

/** One spool line in words, or nothing where it isn't worth a line of its own. */
export function spoolText(line: SpoolLine): string | undefined {
  switch (line.kind) {
    case 'hello':
      return `driver ${line.driverVersion} runs on ${line.hostName} (${line.place})`
    case 'state':
      return `${line.state}${line.reason ? `: ${line.reason}` : ''}`
    case 'facts':
      return factsText(line)
    case 'planned': {
      const run = line.cells.filter((cell) => cell.verdict === 'run').length
      return `${run} of ${line.cells.length} cells to measure, about ${durationText(line.estimateSeconds)}`
    }
    case 'prompt':
      return `prompt of ${line.countedTokens.toLocaleString('en-US')} tokens built`
    case 'prefill': {
      const { contextTokens, status, reason, ttftMs, tokensPerSecond } = line.result
      const figures = status === 'valid' ? `${rateText(tokensPerSecond)} tok/s, TTFT ${msText(ttftMs)}` : words(status, reason)
      return `prefill ${contextLabel(contextTokens)}: ${figures}`
    }
    case 'attempt': {
      const { contextTokens, concurrency, status, reason, figures, flags, cutBy } = line.record
      const result =
        status === 'valid'
          ? [
              `${totalWithUnit(figures)}${figures.confidence95Percent === undefined || figures.tokenSource === 'events' ? '' : ` ± ${percentText(figures.confidence95Percent)}`}`,
              `TTFT ${msText(figures.ttftMs)}`,
              `${fineMsText(figures.timeBetweenTokensMs)} between tokens`,
            ].join(', ')
          : status === 'cancelled' && cutBy !== undefined
            ? `broken off, to be measured again: ${reason ?? ''}`
            : words(status, reason)
      const doubts = flags.length > 0 ? ` [${flags.map((flag) => flag.flag).join(', ')}]` : ''
      return `cell ${contextLabel(contextTokens)} × ${concurrency}: ${result}${doubts}`
    }
    case 'settled':
      return `cell ${contextLabel(line.contextTokens)} × ${line.concurrency}: ${words(line.status, line.reason)}`
    case 'event':
      return line.text
    case 'end':
      return `${line.state}${line.reason ? `: ${line.reason}` : ''}`
    default:
      return undefined
  }
}

function factsText({ facts, path }: Extract<SpoolLine, { kind: 'facts' }>): string {
  const parts = [
    `${facts.name}${facts.version ? ` ${facts.version}` : ''}`,
    modelOf(facts),
    facts.maxModelLen === undefined ? undefined : `max length ${contextLabel(facts.maxModelLen)}`,
    facts.kvTokens === undefined ? undefined : `KV cache ${facts.kvTokens.toLocaleString('en-US')} tokens`,
    path ? `round trip ${fineMsText(path.roundTripMs)}` : undefined,
  ]
  return parts.filter((part) => part !== undefined).join(', ')
}

const words = (status: string, reason: string | undefined) => `${status.replaceAll('_', ' ')}${reason ? `: ${reason}` : ''}`
