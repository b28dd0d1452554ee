-- The file that decides money. Amounts are integer nano-dollars; 9007199254740991 = 2^53 - 1, the largest integer that
-- every part of the program can carry.

CREATE TABLE epoch (
  number INTEGER PRIMARY KEY,
  started_at_ms INTEGER NOT NULL,
  -- The last batch that this process committed: tells what became of a commit that ended in doubt.
  last_batch INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE account (
  id TEXT PRIMARY KEY CHECK (length(id) > 0),
  name TEXT NOT NULL UNIQUE CHECK (length(name) > 0),
  kind TEXT NOT NULL CHECK (kind IN ('prepaid', 'unmetered')),
  disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1)),
  balance INTEGER NOT NULL DEFAULT 0 CHECK (balance BETWEEN -9007199254740991 AND 9007199254740991),
  created_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE key (
  id TEXT PRIMARY KEY CHECK (length(id) > 0),
  account_id TEXT NOT NULL REFERENCES account (id),
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  prefix TEXT NOT NULL,
  models TEXT CHECK (models IS NULL OR json_type(models) = 'array'),
  created_at_ms INTEGER NOT NULL,
  revoked_at_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX key_by_account ON key (account_id, name, id);

-- Money set aside: a row, not an entry. Its end removes it.
CREATE TABLE hold (
  request_id TEXT PRIMARY KEY CHECK (length(request_id) > 0),
  account_id TEXT NOT NULL REFERENCES account (id),
  key_id TEXT NOT NULL REFERENCES key (id),
  epoch INTEGER NOT NULL REFERENCES epoch (number),
  opened_at_ms INTEGER NOT NULL,
  amount INTEGER NOT NULL CHECK (amount BETWEEN 0 AND 9007199254740991),
  covers TEXT NOT NULL CHECK (json_type(covers) = 'array'),
  checkpoint_offer TEXT,
  checkpoint_units INTEGER CHECK (checkpoint_units >= 0),
  CHECK ((checkpoint_offer IS NULL) = (checkpoint_units IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE settlement (
  seq INTEGER PRIMARY KEY,
  request_id TEXT NOT NULL UNIQUE CHECK (length(request_id) > 0),
  account_id TEXT NOT NULL REFERENCES account (id),
  key_id TEXT NOT NULL REFERENCES key (id),
  ending TEXT NOT NULL CHECK (ending IN ('settled', 'voided')),
  reason TEXT NOT NULL,
  units_input INTEGER NOT NULL CHECK (units_input >= 0),
  units_cached_input INTEGER NOT NULL CHECK (units_cached_input >= 0),
  units_cache_write INTEGER NOT NULL CHECK (units_cache_write >= 0),
  units_output INTEGER NOT NULL CHECK (units_output >= 0),
  units_reasoning INTEGER NOT NULL CHECK (units_reasoning >= 0),
  usage_source TEXT CHECK (usage_source IN ('reported', 'estimate', 'recovered')),
  offer TEXT,
  backend TEXT,
  -- {price, cost, promptUnits} of the offer, as they were when the hold was made.
  prices TEXT CHECK (prices IS NULL OR json_type(prices) = 'object'),
  cost INTEGER NOT NULL CHECK (cost BETWEEN 0 AND 9007199254740991),
  charged INTEGER NOT NULL CHECK (charged BETWEEN 0 AND 9007199254740991),
  overrun INTEGER NOT NULL CHECK (overrun BETWEEN 0 AND 9007199254740991),
  expense INTEGER NOT NULL CHECK (expense BETWEEN 0 AND 9007199254740991),
  held INTEGER NOT NULL CHECK (held BETWEEN 0 AND 9007199254740991),
  ended_at_ms INTEGER NOT NULL,
  posting_account INTEGER NOT NULL GENERATED ALWAYS AS (-charged) VIRTUAL,
  posting_overrun_loss INTEGER NOT NULL GENERATED ALWAYS AS (-overrun) VIRTUAL,
  posting_revenue INTEGER NOT NULL GENERATED ALWAYS AS (cost) VIRTUAL,
  posting_provider_expense INTEGER NOT NULL GENERATED ALWAYS AS (-expense) VIRTUAL,
  posting_provider_payable INTEGER NOT NULL GENERATED ALWAYS AS (expense) VIRTUAL,
  CHECK (
    posting_account + posting_overrun_loss + posting_revenue + posting_provider_expense + posting_provider_payable = 0
  ),
  CHECK ((offer IS NULL) = (backend IS NULL) AND (offer IS NULL) = (prices IS NULL)),
  CHECK (ending = 'settled' OR (cost = 0 AND charged = 0 AND expense = 0))
) STRICT;

CREATE INDEX settlement_by_account ON settlement (account_id, seq);

CREATE TABLE entry (
  seq INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('top_up', 'adjustment')),
  account_id TEXT NOT NULL REFERENCES account (id),
  amount INTEGER NOT NULL CHECK (amount BETWEEN -9007199254740991 AND 9007199254740991 AND amount <> 0),
  note TEXT,
  actor TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  balance_after INTEGER NOT NULL CHECK (balance_after BETWEEN -9007199254740991 AND 9007199254740991),
  posting_account INTEGER NOT NULL GENERATED ALWAYS AS (amount) VIRTUAL,
  posting_funding INTEGER NOT NULL GENERATED ALWAYS AS (-amount) VIRTUAL,
  CHECK (posting_account + posting_funding = 0),
  CHECK (kind = 'adjustment' OR amount > 0)
) STRICT;

CREATE INDEX entry_by_account ON entry (account_id, seq);

CREATE TRIGGER settlement_no_update BEFORE UPDATE ON settlement
BEGIN SELECT RAISE(ABORT, 'settlements are append-only'); END;

CREATE TRIGGER settlement_no_delete BEFORE DELETE ON settlement
BEGIN SELECT RAISE(ABORT, 'settlements are append-only'); END;

CREATE TRIGGER entry_no_update BEFORE UPDATE ON entry
BEGIN SELECT RAISE(ABORT, 'entries are append-only'); END;

CREATE TRIGGER entry_no_delete BEFORE DELETE ON entry
BEGIN SELECT RAISE(ABORT, 'entries are append-only'); END;
