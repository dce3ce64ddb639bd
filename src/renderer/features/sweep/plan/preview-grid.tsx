import { Tooltip } from '@mantine/core'
import type { CSSProperties } from 'react'
import { contextLabel, countText, decimalText } from '../../../../shared/format/index.ts'
import type { Preview, PreviewCell, PreviewVerdict } from './dry-run.ts'
import classes from './preview.module.css'

const GLYPHS: Record<PreviewVerdict, string> = { run: '▪', over_capacity: '∅', done: '✓', refused: '✕' }
const WORDS: Record<PreviewVerdict, string> = {
  run: 'to run',
  over_capacity: 'over capacity',
  done: 'done already',
  refused: 'refused',
}

/** Which cells run, which don't, and why: the reason of each on hover and for a screen reader. */
export function PreviewGrid({ preview, stale }: { preview: Preview; stale: boolean }) {
  const style = { '--preview-columns': `56px repeat(${preview.levels.length}, minmax(30px, 1fr))` } as CSSProperties
  return (
    <div className={classes.frame}>
      <div className={classes.grid} role="table" aria-label="Cells of the plan" data-stale={stale || undefined} style={style}>
        <div role="row" className={classes.row}>
          <span role="columnheader" className={classes.head}>
            ctx
          </span>
          {preview.levels.map((level) => (
            <span role="columnheader" key={level} className={classes.head}>
              {countText(level)}
            </span>
          ))}
        </div>
        {preview.rows.map((row) => (
          <div role="row" key={row.context} className={classes.row}>
            <span role="rowheader" className={classes.context}>
              {row.context === 'max' ? 'max' : contextLabel(row.context)}
            </span>
            {row.cells.map((cell, index) => (
              <Cell key={preview.levels[index]} cell={cell} />
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}

function Cell({ cell }: { cell: PreviewCell }) {
  const need = cell.neededTokens !== undefined && cell.kvTokens !== undefined ? cell.neededTokens / cell.kvTokens : undefined
  const tip = [
    cell.reason ?? WORDS[cell.verdict],
    cell.verdict === 'run' && need !== undefined ? `needs ${decimalText(100 * need, 0)} % of the KV cache` : undefined,
  ]
    .filter(Boolean)
    .join(', ')
  return (
    <Tooltip label={tip}>
      <span role="cell" className={classes.cell} data-verdict={cell.verdict} aria-label={tip}>
        {cell.verdict === 'run' && need !== undefined ? (
          <span className={classes.fill} style={{ height: `${Math.min(100, Math.max(4, 100 * need))}%` }} />
        ) : null}
        <span aria-hidden>{GLYPHS[cell.verdict]}</span>
      </span>
    </Tooltip>
  )
}

export function PreviewKey({ preview }: { preview: Preview }) {
  const shown = (Object.keys(WORDS) as PreviewVerdict[]).filter((verdict) => preview.counts[verdict] > 0)
  return (
    <div className={classes.key}>
      {shown.map((verdict) => (
        <span key={verdict}>
          <span className={classes.cell} data-verdict={verdict} aria-hidden>
            {GLYPHS[verdict]}
          </span>
          {countText(preview.counts[verdict])} {WORDS[verdict]}
        </span>
      ))}
    </div>
  )
}
