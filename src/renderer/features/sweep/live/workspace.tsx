import { SegmentedControl, Select, useComputedColorScheme } from '@mantine/core'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useCommands } from '../../../app/commands-context.ts'
import { CopyMenu, copyAndSay } from '../../../ui/copy-menu.tsx'
import { Loading } from '../../../ui/loading.tsx'
import { Legend } from '../grid/legend.tsx'
import { type CopyInput, cellsAsMarkdown, cellsAsTsv, type GridColumn } from '../grid/copy-cells.ts'
import { METRIC_IDS, type MetricId, METRICS } from '../grid/metrics.ts'
import { isRange, type Place, rangeOf } from '../grid/navigation.ts'
import { SweepGrid } from '../grid/sweep-grid.tsx'
import { useGridControl } from '../grid/use-grid-control.ts'
import { useScale } from '../grid/use-scale.ts'
import { useSweep, useSweepFeed } from '../state/sweep-feed.ts'
import { ascending } from '../state/sweep-state.ts'
import classes from './live.module.css'
import { PanelToggle } from './panel-toggle.tsx'
import { SidePanel, type OpenCell } from './side-panel.tsx'
import { TelemetryStrip } from './telemetry-strip.tsx'
import { useBaseline } from './use-baseline.ts'
import { useRunControl } from './use-run-control.ts'

const ChartsView = lazy(async () => ({ default: (await import('./charts-view.tsx')).ChartsView }))

const VIEWS = ['Grid', 'Charts', 'Telemetry'] as const
type View = (typeof VIEWS)[number]

/** Grid with its tools, the machine below it, cell and events beside it. */
export function Workspace() {
  const [view, setView] = useState<View>('Grid')
  const [metricId, setMetricId] = useState<MetricId>('total')
  const [open, setOpen] = useState<OpenCell>()
  const [side, setSide] = useState(true)
  const [takesFocus, setTakesFocus] = useState(false)
  const focusTaken = useCallback(() => setTakesFocus(false), [])
  const metric = METRICS[metricId]
  const theme = useComputedColorScheme('light', { getInitialValueInEffect: false })
  const { contexts, columns } = useGridShape()
  const scale = useScale(metric)
  const baseline = useBaseline()
  const feed = useSweepFeed()

  const cellAt = useCallback(
    ({ row, column }: Place): OpenCell | undefined => {
      const [contextTokens, level] = [contexts[row], columns[column]]
      return contextTokens === undefined || level === undefined
        ? undefined
        : { contextTokens, concurrency: level === 'prefill' ? undefined : level }
    },
    [contexts, columns],
  )
  const show = (place: Place) => {
    setOpen(cellAt(place))
    setSide(true)
  }
  const copyInput = (): CopyInput => {
    const { value } = feed.getState()
    const range = isRange(control.focus)
      ? rangeOf(control.focus)
      : { top: 0, bottom: contexts.length - 1, left: 0, right: columns.length - 1 }
    return { contexts, columns, metric, range, cells: value?.cells ?? new Map(), prefill: value?.prefill ?? new Map() }
  }
  const control = useGridControl({
    rows: contexts.length,
    columns: columns.length,
    onSelect: show,
    onOpen: (place) => {
      show(place)
      setTakesFocus(true)
    },
    onCopy: () =>
      void copyAndSay(
        isRange(control.focus) ? 'the selection' : 'the cell',
        'TSV',
        cellsAsTsv({ ...copyInput(), range: rangeOf(control.focus) }),
      ),
    onLeave: () => setOpen(undefined),
  })
  useCellCommands(() => cellAt(control.focus))

  return (
    <div className={classes.workspace}>
      <div className={classes.main}>
        <div className={classes.tools}>
          <SegmentedControl
            aria-label="View"
            data={[...VIEWS]}
            value={view}
            onChange={(value) => setView(VIEWS.find((it) => it === value) ?? 'Grid')}
          />
          {view === 'Grid' && (
            <>
              <MetricSwitch value={metricId} onChange={setMetricId} />
              <Legend metric={metric} scale={scale} theme={theme} />
              <span className={classes.grow} />
              <CopyMenu
                what={isRange(control.focus) ? 'the selection' : 'the grid'}
                markdown={() => cellsAsMarkdown(copyInput())}
                tsv={() => cellsAsTsv(copyInput())}
              />
            </>
          )}
          {view !== 'Grid' && <span className={classes.grow} />}
          <PanelToggle isOpen={side} onToggle={() => setSide(!side)} />
        </div>
        {view === 'Grid' ? (
          <SweepGrid
            contexts={contexts}
            columns={columns}
            metric={metric}
            scale={scale}
            theme={theme}
            baseline={baseline?.cells}
            control={control}
            open={open}
          />
        ) : (
          <div className={classes.scroll}>
            <Suspense fallback={<Loading what="the charts" />}>
              <ChartsView what={view} />
            </Suspense>
          </div>
        )}
        {view !== 'Telemetry' && <TelemetryStrip />}
      </div>
      {side && (
        <SidePanel
          open={open}
          baseline={baseline}
          takesFocus={takesFocus}
          onFocusTaken={focusTaken}
          onLeave={control.takeFocus}
        />
      )}
    </div>
  )
}

/** Rows and columns. Picked so that a beat of the driver renders nothing here. */
function useGridShape() {
  const planned = useSweep((state) => state.head.contexts)
  const levels = useSweep((state) => state.head.concurrency)
  const hasPrefill = useSweep((state) => state.prefill.size > 0)
  const contexts = useMemo(() => ascending(planned), [planned])
  const columns = useMemo<GridColumn[]>(
    () => [...(hasPrefill ? (['prefill'] as const) : []), ...ascending(levels)],
    [levels, hasPrefill],
  )
  return { contexts, columns }
}

function MetricSwitch({ value, onChange }: { value: MetricId; onChange: (value: MetricId) => void }) {
  return (
    <Select
      aria-label="Figure shown"
      w={150}
      data={METRIC_IDS.map((id) => ({ value: id, label: METRICS[id].label }))}
      value={value}
      allowDeselect={false}
      onChange={(next) => next !== null && onChange(next)}
    />
  )
}

/** Single keys act only where the person sees what they act on. */
const isOnGrid = () => document.activeElement?.closest('[role="grid"]') != null

/** Keys that act on the cell that has the focus. */
function useCellCommands(focused: () => OpenCell | undefined) {
  const control = useRunControl()
  const act = (on: (contextTokens: number, concurrency: number) => Promise<void>) => () => {
    const cell = focused()
    if (cell?.concurrency !== undefined) void on(cell.contextTokens, cell.concurrency)
  }
  useCommands([
    {
      id: 'sweep.remeasure',
      title: 'Measure the focused cell again',
      section: 'Sweep',
      shortcuts: ['R'],
      when: () => control.can.remeasure && isOnGrid(),
      run: act(control.remeasure),
    },
    {
      id: 'sweep.skipFocused',
      title: 'Skip the focused cell',
      section: 'Sweep',
      shortcuts: ['X'],
      when: () => control.can.skip && isOnGrid(),
      run: act(control.skip),
    },
  ])
}
