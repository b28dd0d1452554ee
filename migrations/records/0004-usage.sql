-- What settlements come to, by the UTC day of their end (days since 1970), so that a year is read as fast as a day. Written in the
-- transaction that moves `follower` on. Money in nano-dollars; a sum beyond what can be counted stays at the largest number that can.
-- '' stands for no backend: nobody served.

CREATE TABLE usage_by_key (
  day INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  model TEXT NOT NULL,
  backend TEXT NOT NULL,
  -- Whose credential the backend was shown.
  owner TEXT NOT NULL CHECK (owner IN ('', 'operator', 'account')),
  requests INTEGER NOT NULL,
  voided INTEGER NOT NULL,
  units_input INTEGER NOT NULL,
  units_cached_input INTEGER NOT NULL,
  units_cache_write INTEGER NOT NULL,
  units_output INTEGER NOT NULL,
  units_reasoning INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  charged INTEGER NOT NULL,
  overrun INTEGER NOT NULL,
  expense INTEGER NOT NULL,
  PRIMARY KEY (day, account_id, key_id, model, backend, owner)
) STRICT, WITHOUT ROWID;

CREATE INDEX usage_by_account ON usage_by_key (account_id, day);

-- The same over all accounts: few rows, however many keys there are.
CREATE TABLE usage_by_offer (
  day INTEGER NOT NULL,
  backend TEXT NOT NULL,
  model TEXT NOT NULL,
  owner TEXT NOT NULL CHECK (owner IN ('', 'operator', 'account')),
  requests INTEGER NOT NULL,
  voided INTEGER NOT NULL,
  units_input INTEGER NOT NULL,
  units_cached_input INTEGER NOT NULL,
  units_cache_write INTEGER NOT NULL,
  units_output INTEGER NOT NULL,
  units_reasoning INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  charged INTEGER NOT NULL,
  overrun INTEGER NOT NULL,
  expense INTEGER NOT NULL,
  PRIMARY KEY (day, backend, model, owner)
) STRICT, WITHOUT ROWID;

-- The same over all that a key used.
CREATE TABLE usage_by_payer (
  day INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  requests INTEGER NOT NULL,
  voided INTEGER NOT NULL,
  units_input INTEGER NOT NULL,
  units_cached_input INTEGER NOT NULL,
  units_cache_write INTEGER NOT NULL,
  units_output INTEGER NOT NULL,
  units_reasoning INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  charged INTEGER NOT NULL,
  overrun INTEGER NOT NULL,
  expense INTEGER NOT NULL,
  PRIMARY KEY (day, account_id, key_id)
) STRICT, WITHOUT ROWID;

-- Units of the kinds that few requests have, one row for each kind.
CREATE TABLE usage_further (
  day INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  model TEXT NOT NULL,
  backend TEXT NOT NULL,
  owner TEXT NOT NULL CHECK (owner IN ('', 'operator', 'account')),
  kind TEXT NOT NULL,
  units INTEGER NOT NULL,
  PRIMARY KEY (day, account_id, key_id, model, backend, owner, kind)
) STRICT, WITHOUT ROWID;

-- Settlements that were followed before there were these sums have to be followed again: to write their money once more changes nothing.
UPDATE follower SET settlement_seq = 0;
