-- What was observed of offers, in slices of time: counts of attempts, and how many fell into which bucket of a logarithmic scale
-- (`bucket:count`, parted by spaces). `expires_at_ms`: when the windows no longer reach it.
CREATE TABLE observed (
  offer TEXT NOT NULL,
  length_ms INTEGER NOT NULL,
  starts_at_ms INTEGER NOT NULL,
  ended INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  first_content TEXT NOT NULL,
  throughput TEXT NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  PRIMARY KEY (offer, length_ms, starts_at_ms)
) STRICT, WITHOUT ROWID;

CREATE INDEX observed_by_expiry ON observed (expires_at_ms);

-- Which backend a session of an account stays with, for each model: read at the start alone.
CREATE TABLE sticky (
  account_id TEXT NOT NULL,
  session TEXT NOT NULL,
  model TEXT NOT NULL,
  backend TEXT NOT NULL,
  -- Tokens of the last prompt, where the provider reported that it keeps prompts; else 0.
  cached_tokens INTEGER NOT NULL,
  used_at_ms INTEGER NOT NULL,
  PRIMARY KEY (account_id, session, model)
) STRICT, WITHOUT ROWID;

CREATE INDEX sticky_by_use ON sticky (used_at_ms);
