-- Derived from the ledger, and best effort beside it: no decision about money ever reads this file.

-- How far the ledger's settlements have been taken over.
CREATE TABLE follower (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  settlement_seq INTEGER NOT NULL
) STRICT;

INSERT INTO follower (id, settlement_seq) VALUES (1, 0);

-- Details and money arrive apart, in either order: a row without `generation_id` lost its details in a crash,
-- one without `settlement_seq` never held money (or not yet).
CREATE TABLE request (
  request_id TEXT PRIMARY KEY,
  generation_id TEXT,
  client_request_id TEXT,
  account_id TEXT,
  key_id TEXT,
  operation TEXT,
  model_asked TEXT,
  model TEXT,
  backend TEXT,
  stream INTEGER CHECK (stream IN (0, 1)),
  status INTEGER,
  error_code TEXT,
  started_at_ms INTEGER,
  gw_us INTEGER,
  stages TEXT,
  upstream_us INTEGER,
  post_us INTEGER,
  post_hold_us INTEGER,
  total_us INTEGER,
  ended_us INTEGER,
  skips TEXT,
  settlement_seq INTEGER UNIQUE,
  ending TEXT,
  reason TEXT,
  units_input INTEGER,
  units_cached_input INTEGER,
  units_cache_write INTEGER,
  units_output INTEGER,
  units_reasoning INTEGER,
  usage_source TEXT,
  cost INTEGER,
  charged INTEGER,
  held INTEGER
) STRICT;

CREATE TABLE attempt (
  request_id TEXT NOT NULL REFERENCES request (request_id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  offer TEXT NOT NULL,
  backend TEXT NOT NULL,
  credential TEXT,
  outcome TEXT NOT NULL,
  reason TEXT,
  status INTEGER,
  started_us INTEGER NOT NULL,
  ended_us INTEGER NOT NULL,
  dns_us INTEGER,
  connect_us INTEGER,
  tls_us INTEGER,
  write_us INTEGER,
  first_byte_us INTEGER,
  connection TEXT NOT NULL,
  connection_age_ms INTEGER,
  absorbed INTEGER NOT NULL CHECK (absorbed IN (0, 1)),
  PRIMARY KEY (request_id, number)
) STRICT, WITHOUT ROWID;
