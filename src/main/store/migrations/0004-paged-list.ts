import type { Migration } from './index.ts'

/**
 * The list a page at a time. A row of `runs` carries kilobytes of plan, hardware and engine facts, so that a pass over 50,000 of them reads
 * hundreds of megabytes; `runs_listed` has all that a list looks for, sorts by and counts.
 */
export const pagedList: Migration = {
  version: 4,
  sql: `
CREATE INDEX runs_listed ON runs (
  trashed_at, created_at, started_at, finished_at, id, name, state, host_name, model, note, demo, cells_done, cells_total
);
CREATE INDEX runs_by_name ON runs (name);
CREATE INDEX runs_by_state ON runs (state);
CREATE INDEX runs_with_driver ON runs (created_at) WHERE location IS NOT NULL;
CREATE INDEX tags_by_tag ON tags (tag, run_id);
`,
}
