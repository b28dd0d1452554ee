-- What keeps a backend out, one row each, and the credentials that accounts bring themselves, each with its own faults.

-- Each cause has columns of its own, so that one never hides another. A row stays when its last cause has ended: its version counts on.
CREATE TABLE quarantine (
  backend TEXT PRIMARY KEY CHECK (length(backend) > 0),
  version INTEGER NOT NULL DEFAULT 1 CHECK (version > 0),
  -- The operator's: who, why, from when, until when (NULL: until it is cleared). All NULL: none.
  operator_by TEXT,
  operator_reason TEXT,
  operator_since_ms INTEGER,
  operator_until_ms INTEGER,
  CHECK ((operator_by IS NULL) = (operator_reason IS NULL) AND (operator_by IS NULL) = (operator_since_ms IS NULL)),
  CHECK (operator_until_ms IS NULL OR (operator_since_ms IS NOT NULL AND operator_until_ms > operator_since_ms))
) STRICT, WITHOUT ROWID;

CREATE TABLE own_credential (
  id TEXT PRIMARY KEY CHECK (length(id) > 0),
  account_id TEXT NOT NULL REFERENCES account (id),
  provider TEXT NOT NULL CHECK (length(provider) > 0),
  name TEXT NOT NULL CHECK (length(name) > 0),
  -- Encrypted with the master key, bound to this row and its account; base64.
  sealed TEXT NOT NULL,
  -- The last characters, to tell credentials apart.
  hint TEXT NOT NULL,
  enabled INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
  version INTEGER NOT NULL DEFAULT 1 CHECK (version > 0),
  created_at_ms INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL,
  fault_cause TEXT,
  fault_reason TEXT,
  fault_since_ms INTEGER,
  fault_until_ms INTEGER,
  UNIQUE (account_id, provider, name),
  CHECK ((fault_cause IS NULL) = (fault_since_ms IS NULL)),
  CHECK (fault_cause IS NOT NULL OR (fault_reason IS NULL AND fault_until_ms IS NULL))
) STRICT, WITHOUT ROWID;

-- For sums over a time: days of usage.
CREATE INDEX settlement_by_end ON settlement (ended_at_ms);
