-- Where accounts are told of their money, and what they are to be told: written in the transaction of what caused it.
CREATE TABLE webhook (
  account_id TEXT PRIMARY KEY REFERENCES account (id),
  url TEXT NOT NULL CHECK (length(url) BETWEEN 1 AND 2048),
  -- What signs: encrypted with the master key, bound to the account; base64.
  sealed TEXT NOT NULL,
  -- A balance below this is told. NULL: none is.
  low_balance INTEGER CHECK (low_balance BETWEEN 1 AND 9007199254740991),
  -- Whether it was told already: not again until the balance is a tenth above.
  is_low INTEGER NOT NULL DEFAULT 0 CHECK (is_low IN (0, 1)),
  updated_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Shares of keys' budgets that were reached, each once in each window. A budget that is changed is another.
CREATE TABLE budget_crossing (
  key_id TEXT NOT NULL REFERENCES key (id),
  budget TEXT NOT NULL CHECK (budget IN ('total', 'day', 'week', 'month')),
  first_day INTEGER NOT NULL,
  percent INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (key_id, budget, first_day, percent, amount)
) STRICT, WITHOUT ROWID;

CREATE TABLE webhook_event (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL REFERENCES account (id),
  kind TEXT NOT NULL CHECK (kind IN ('balance.low', 'budget.reached', 'test')),
  data TEXT NOT NULL CHECK (json_type(data) = 'object'),
  created_at_ms INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'delivered', 'dead')),
  tries INTEGER NOT NULL DEFAULT 0 CHECK (tries >= 0),
  -- When it is sent, or sent again; of one that waits alone.
  next_at_ms INTEGER CHECK ((next_at_ms IS NOT NULL) = (state = 'waiting')),
  -- What went wrong with it last.
  fault TEXT
) STRICT;

CREATE INDEX webhook_event_by_account ON webhook_event (account_id, seq);
CREATE INDEX webhook_event_by_time ON webhook_event (next_at_ms) WHERE state = 'waiting';
CREATE INDEX webhook_event_by_age ON webhook_event (created_at_ms) WHERE state <> 'waiting';
