import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createStore } from '../src/main/store/index.ts'
import { planSchema } from '../src/shared/model/plan.ts'
import { runRows } from '../src/renderer/testing/fake/runs-data.ts'

/** As much as hardware, engine facts and a started command of a real run take. */
const HARDWARE = JSON.stringify({
  gpus: Array.from({ length: 8 }, (_, index) => ({ index, name: 'NVIDIA H200', note: 'x'.repeat(200) })),
})
const ENGINE = JSON.stringify({ name: 'vllm', servedModel: 'qwen', capabilities: {}, note: 'x'.repeat(1500) })

/** A data folder with this many runs, every row as bulky as a real one. */
export function fillHistory(dataDir: string, count: number): void {
  createStore({ dataDir }).dispose()
  const file = new DatabaseSync(join(dataDir, 'history.db'))
  const insert = file.prepare(
    `INSERT INTO runs (id, name, demo, created_at, started_at, finished_at, state, plan, host_name, hardware, engine, model, note, trashed_at, cells_done, cells_total)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const tag = file.prepare('INSERT INTO tags (run_id, tag) VALUES (?, ?)')
  const plan = JSON.stringify(planSchema.parse({ contexts: [0, 8192, 32_768], concurrency: [1, 8, 32] }))
  file.exec('BEGIN')
  for (const run of runRows(count).reverse()) {
    const ended = run.finishedAt ?? null
    insert.run(
      run.id,
      run.name,
      run.demo ? 1 : 0,
      run.createdAt,
      run.startedAt ?? null,
      ended,
      run.state,
      plan,
      run.host ?? null,
      HARDWARE,
      ENGINE,
      run.model ?? null,
      run.note ?? null,
      run.trashed ? run.createdAt : null,
      run.cellsDone,
      run.cellsTotal,
    )
    for (const one of run.tags) tag.run(run.id, one)
  }
  file.exec('COMMIT')
  file.close()
}
