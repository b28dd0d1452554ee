-- How far the ledger has been added up, and what each balance is by that alone. What follows is added up at the next look.
CREATE TABLE proof (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  entry_seq INTEGER NOT NULL CHECK (entry_seq >= 0),
  settlement_seq INTEGER NOT NULL CHECK (settlement_seq >= 0),
  at_ms INTEGER NOT NULL
) STRICT;

INSERT INTO proof (id, entry_seq, settlement_seq, at_ms) VALUES (1, 0, 0, 0);

CREATE TABLE proven_balance (
  account_id TEXT PRIMARY KEY,
  balance INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
