-- What providers keep for accounts (responses and their items, files, batches), and where it is found: at the backend that made it, with the
-- credential that it was made with. No text of a prompt or an answer; `told` is what a provider says of a file or a batch.
CREATE TABLE stored (
  account_id TEXT NOT NULL REFERENCES account (id),
  id TEXT NOT NULL CHECK (length(id) BETWEEN 1 AND 256),
  kind TEXT NOT NULL CHECK (kind IN ('response', 'item', 'file', 'batch')),
  backend TEXT NOT NULL,
  credential TEXT,
  is_own INTEGER NOT NULL CHECK (is_own IN (0, 1)),
  model TEXT,
  told TEXT CHECK (told IS NULL OR json_valid(told)),
  created_at_ms INTEGER NOT NULL,
  until_ms INTEGER,
  PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX stored_by_age ON stored (account_id, kind, created_at_ms, id);
CREATE INDEX stored_by_end ON stored (until_ms) WHERE until_ms IS NOT NULL;
