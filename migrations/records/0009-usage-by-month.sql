-- What settlements come to, by the UTC month of their end, so that a year is a few rows of each key. `day` is the first of the month (days
-- since 1970); all else is as in `usage_by_key` and `usage_further`.

CREATE TABLE usage_by_month (
  day INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  model TEXT NOT NULL,
  backend TEXT NOT NULL,
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

CREATE INDEX usage_by_month_of_account ON usage_by_month (account_id, day);

CREATE TABLE usage_further_by_month (
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

-- Row by row: a sum that overflows becomes a larger real number, of which `min` takes the largest integer; `sum` would fail.
INSERT INTO usage_by_month
SELECT unixepoch(day * 86400, 'unixepoch', 'start of month') / 86400, account_id, key_id, model, backend, owner, requests, voided,
  units_input, units_cached_input, units_cache_write, units_output, units_reasoning, cost, charged, overrun, expense
FROM usage_by_key WHERE true
ON CONFLICT DO UPDATE SET
  requests = requests + excluded.requests,
  voided = voided + excluded.voided,
  units_input = min(units_input + excluded.units_input, 9223372036854775807),
  units_cached_input = min(units_cached_input + excluded.units_cached_input, 9223372036854775807),
  units_cache_write = min(units_cache_write + excluded.units_cache_write, 9223372036854775807),
  units_output = min(units_output + excluded.units_output, 9223372036854775807),
  units_reasoning = min(units_reasoning + excluded.units_reasoning, 9223372036854775807),
  cost = min(cost + excluded.cost, 9223372036854775807),
  charged = min(charged + excluded.charged, 9223372036854775807),
  overrun = min(overrun + excluded.overrun, 9223372036854775807),
  expense = min(expense + excluded.expense, 9223372036854775807);

INSERT INTO usage_further_by_month
SELECT unixepoch(day * 86400, 'unixepoch', 'start of month') / 86400, account_id, key_id, model, backend, owner, kind, units
FROM usage_further WHERE true
ON CONFLICT DO UPDATE SET units = min(units + excluded.units, 9223372036854775807);
