import type { Migration } from './index.ts'

export const history: Migration = {
  version: 1,
  sql: `
CREATE TABLE hosts (
  name TEXT PRIMARY KEY,
  json TEXT NOT NULL
) STRICT;

CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  note TEXT,
  demo INTEGER NOT NULL,
  trashed_at TEXT,
  created_at TEXT NOT NULL,
  started_at TEXT,
  finished_at TEXT,
  state TEXT NOT NULL,
  reason TEXT,
  plan TEXT NOT NULL,
  host_name TEXT,
  host_address TEXT,
  hardware TEXT,
  engine TEXT,
  model TEXT,
  launch_command TEXT,
  started_argv TEXT,
  place TEXT,
  path TEXT,
  request_template TEXT,
  location TEXT,
  -- of the spool: live and beat lines are counted here without being kept
  last_line INTEGER NOT NULL DEFAULT 0,
  lease_host TEXT,
  lease_pid INTEGER,
  lease_ticks TEXT,
  lease_token TEXT,
  lease_heartbeat_ms INTEGER
) STRICT;
CREATE INDEX runs_by_time ON runs (created_at);

CREATE TABLE tags (
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  tag TEXT NOT NULL,
  PRIMARY KEY (run_id, tag)
) STRICT;

-- one driver of a run; a resume starts another
CREATE TABLE epochs (
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  first_line INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  place TEXT NOT NULL,
  driver_version TEXT NOT NULL,
  node_version TEXT NOT NULL,
  -- the driver's monotonic clock at its last line
  last_ms REAL NOT NULL,
  PRIMARY KEY (run_id, first_line)
) STRICT;

CREATE TABLE spool (
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  n INTEGER NOT NULL,
  kind TEXT NOT NULL,
  time_ms REAL NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (run_id, n)
) STRICT;
CREATE INDEX spool_by_kind ON spool (run_id, kind, n);

-- how a try at a cell ended: attempts, and cells settled without one. The whole record stays in the spool row of the same number.
CREATE TABLE outcomes (
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  n INTEGER NOT NULL,
  context_tokens INTEGER NOT NULL,
  concurrency INTEGER NOT NULL,
  repeat INTEGER NOT NULL,
  attempt INTEGER,
  status TEXT NOT NULL,
  -- without series, requests and raw events, so that a document needs no bulk
  summary TEXT NOT NULL,
  PRIMARY KEY (run_id, n)
) STRICT;
CREATE INDEX outcomes_by_cell ON outcomes (run_id, context_tokens, concurrency, repeat, n);

CREATE TABLE prefills (
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  n INTEGER NOT NULL,
  context_tokens INTEGER NOT NULL,
  source TEXT NOT NULL,
  status TEXT NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (run_id, n)
) STRICT;

CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  -- line of the spool; absent where the engine itself says it
  n INTEGER,
  time_ms REAL NOT NULL,
  level TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE INDEX events_by_run ON events (run_id, id);
`,
}
