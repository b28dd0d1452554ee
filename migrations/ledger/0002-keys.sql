-- What a key may do, and how much of it was used. Amounts are nano-dollars; NULL is without a bound.

ALTER TABLE account ADD COLUMN version INTEGER NOT NULL DEFAULT 1;

ALTER TABLE key ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE key ADD COLUMN expires_at_ms INTEGER;
-- Address ranges that may use the key: a JSON list of CIDR texts.
ALTER TABLE key ADD COLUMN addresses TEXT CHECK (addresses IS NULL OR json_type(addresses) = 'array');
ALTER TABLE key ADD COLUMN budget_total INTEGER CHECK (budget_total BETWEEN 0 AND 9007199254740991);
ALTER TABLE key ADD COLUMN budget_day INTEGER CHECK (budget_day BETWEEN 0 AND 9007199254740991);
ALTER TABLE key ADD COLUMN budget_week INTEGER CHECK (budget_week BETWEEN 0 AND 9007199254740991);
ALTER TABLE key ADD COLUMN budget_month INTEGER CHECK (budget_month BETWEEN 0 AND 9007199254740991);
ALTER TABLE key ADD COLUMN requests_per_minute INTEGER CHECK (requests_per_minute > 0);
ALTER TABLE key ADD COLUMN tokens_per_minute INTEGER CHECK (tokens_per_minute > 0);
ALTER TABLE key ADD COLUMN concurrency INTEGER CHECK (concurrency > 0);

-- When the request's hold was opened: its budgets are those of that day. NULL before this migration: its end stands for it.
ALTER TABLE settlement ADD COLUMN held_at_ms INTEGER;

-- What each key's requests were charged, by the UTC day of their holds (days since 1970), written in the settlements' own transaction.
-- A sum beyond what can be counted stays at the largest number that can.
CREATE TABLE key_spend (
  key_id TEXT NOT NULL REFERENCES key (id),
  day INTEGER NOT NULL,
  charged INTEGER NOT NULL CHECK (charged BETWEEN 1 AND 9007199254740991),
  PRIMARY KEY (key_id, day)
) STRICT, WITHOUT ROWID;

INSERT INTO key_spend (key_id, day, charged)
SELECT key_id, ended_at_ms / 86400000, min(sum(charged), 9007199254740991) FROM settlement GROUP BY 1, 2 HAVING sum(charged) > 0;

-- The last minute of a key with rates, so that a restart does not open it anew: what was let in, about a second to a row.
CREATE TABLE key_window (
  key_id TEXT NOT NULL REFERENCES key (id),
  first_at_ms INTEGER NOT NULL,
  last_at_ms INTEGER NOT NULL,
  requests INTEGER NOT NULL CHECK (requests >= 0),
  tokens INTEGER NOT NULL CHECK (tokens >= 0),
  PRIMARY KEY (key_id, first_at_ms)
) STRICT, WITHOUT ROWID;
