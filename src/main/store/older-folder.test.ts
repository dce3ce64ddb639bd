import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { RunRow } from '../../shared/contract/runs.ts'
import type { RunDocument } from '../../shared/model/run.ts'
import { createStore } from './create-store.ts'

const FOLDER = join(import.meta.dirname, 'fixtures/folder-of-0.1.0')
/** `runs --json` and `show RUN --json` of the version that made the folder. */
const before = JSON.parse(readFileSync(join(FOLDER, 'shown.json'), 'utf8')) as { runs: RunRow[]; shown: RunDocument[] }

/** The one thing that is meant to differ: a total that was estimated from bare events has no width any more. */
function cellsNow({ cells }: RunDocument) {
  return cells.map((cell) => {
    if (cell.tokenSource !== 'events') return cell
    const { confidence95Percent: _width, confidenceSource: _source, ...rest } = cell
    return rest
  })
}

function openCopy() {
  const dataDir = mkdtempSync(join(tmpdir(), 'speedgrid-older-'))
  copyFileSync(join(FOLDER, 'history.db'), join(dataDir, 'history.db'))
  const store = createStore({ dataDir })
  onTestFinished(() => {
    store.dispose()
    rmSync(dataDir, { recursive: true, force: true })
  })
  return store
}

test.each(before.shown.map((run) => [run.name, run] as const))('%s shows what it showed when it was measured', (_name, run) => {
  expect(openCopy().runs.document(run.id)).toEqual({ ...run, cells: cellsNow(run) })
})

test('the list of runs shows what it showed', () => {
  expect(JSON.parse(JSON.stringify(openCopy().runs.list()))).toEqual(before.runs)
})

test.each(before.shown.map((run) => [run.name, run] as const))('the screen of %s shows the same rows', (_name, run) => {
  const { view } = openCopy().runs.sweep(run.id, { link: 'not_attached' })
  const { state, prefill } = run
  expect(view).toMatchObject({ state, cells: cellsNow(run), prefill })
})
