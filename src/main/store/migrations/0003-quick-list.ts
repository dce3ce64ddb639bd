import type { Migration } from './index.ts'

/** How far a run is, kept with it: counting the outcomes of thousands of runs for a list takes most of a second. */
export const quickList: Migration = {
  version: 3,
  sql: `
ALTER TABLE runs ADD COLUMN cells_done INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN cells_total INTEGER NOT NULL DEFAULT 0;
UPDATE runs SET
  cells_total = json_array_length(plan, '$.contexts') * json_array_length(plan, '$.concurrency'),
  cells_done = (
    SELECT count(*) FROM (
      SELECT 1 FROM outcomes WHERE run_id = runs.id AND status NOT IN ('cancelled', 'pending')
      GROUP BY context_tokens, concurrency HAVING count(DISTINCT repeat) >= json_extract(runs.plan, '$.repeats')
    )
  );
`,
}
