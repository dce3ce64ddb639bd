import type { Migration } from './index.ts'

/** What the window keeps besides the history: settings, saved launches, and what a host was last seen to have. */
export const window: Migration = {
  version: 2,
  sql: `
CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  json TEXT NOT NULL
) STRICT;

CREATE TABLE launches (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  command TEXT NOT NULL,
  environment TEXT,
  last_used_at TEXT
) STRICT;

CREATE TABLE inventories (
  host TEXT PRIMARY KEY,
  seen_at TEXT NOT NULL,
  json TEXT NOT NULL
) STRICT;
`,
}
