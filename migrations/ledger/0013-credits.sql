-- Refunds of requests, and promo credit that ends: entries of more kinds. A table's checks cannot be changed, so it is made anew.
DROP TRIGGER entry_no_update;
DROP TRIGGER entry_no_delete;
DROP INDEX entry_by_account;
ALTER TABLE entry RENAME TO entry_before;

CREATE TABLE entry (
  seq INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('top_up', 'adjustment', 'refund', 'promo_grant', 'promo_expiry')),
  account_id TEXT NOT NULL REFERENCES account (id),
  amount INTEGER NOT NULL CHECK (amount BETWEEN -9007199254740991 AND 9007199254740991 AND amount <> 0),
  note TEXT,
  actor TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  balance_after INTEGER NOT NULL CHECK (balance_after BETWEEN -9007199254740991 AND 9007199254740991),
  -- Of a refund: what it gives back. Of a grant: when its credit ends. Of an expiry: the lot that ended.
  request_id TEXT REFERENCES settlement (request_id),
  expires_at_ms INTEGER,
  lot INTEGER REFERENCES promo_lot (seq),
  posting_account INTEGER NOT NULL GENERATED ALWAYS AS (amount) VIRTUAL,
  posting_funding INTEGER NOT NULL GENERATED ALWAYS AS (CASE WHEN kind IN ('top_up', 'adjustment') THEN -amount ELSE 0 END) VIRTUAL,
  posting_revenue INTEGER NOT NULL GENERATED ALWAYS AS (CASE WHEN kind = 'refund' THEN -amount ELSE 0 END) VIRTUAL,
  posting_promo INTEGER NOT NULL GENERATED ALWAYS AS (CASE WHEN kind IN ('promo_grant', 'promo_expiry') THEN -amount ELSE 0 END) VIRTUAL,
  CHECK (posting_account + posting_funding + posting_revenue + posting_promo = 0),
  CHECK (kind = 'adjustment' OR (amount < 0) = (kind = 'promo_expiry')),
  CHECK ((request_id IS NOT NULL) = (kind = 'refund')),
  CHECK ((expires_at_ms IS NOT NULL) = (kind = 'promo_grant')),
  CHECK ((lot IS NOT NULL) = (kind = 'promo_expiry'))
) STRICT;

-- What a grant gave and what is left of it: a part of the account's balance. Its number is that of the grant's entry.
CREATE TABLE promo_lot (
  seq INTEGER PRIMARY KEY REFERENCES entry (seq),
  account_id TEXT NOT NULL REFERENCES account (id),
  amount INTEGER NOT NULL CHECK (amount BETWEEN 1 AND 9007199254740991),
  remaining INTEGER NOT NULL CHECK (remaining BETWEEN 0 AND amount),
  expires_at_ms INTEGER NOT NULL
) STRICT;

-- Each movement of a lot: what a request used, what a refund of it brought back, what another entry gave or took. The sum is what remains.
CREATE TABLE lot_posting (
  seq INTEGER PRIMARY KEY,
  lot INTEGER NOT NULL REFERENCES promo_lot (seq),
  amount INTEGER NOT NULL CHECK (amount <> 0),
  request_id TEXT REFERENCES settlement (request_id),
  entry INTEGER REFERENCES entry (seq),
  CHECK (request_id IS NOT NULL OR entry IS NOT NULL)
) STRICT;

INSERT INTO entry (seq, kind, account_id, amount, note, actor, at_ms, balance_after)
SELECT seq, kind, account_id, amount, note, actor, at_ms, balance_after FROM entry_before;

DROP TABLE entry_before;

CREATE INDEX entry_by_account ON entry (account_id, seq);
CREATE INDEX entry_by_request ON entry (request_id) WHERE request_id IS NOT NULL;
CREATE INDEX promo_lot_by_account ON promo_lot (account_id, expires_at_ms, seq) WHERE remaining > 0;
CREATE INDEX promo_lot_by_end ON promo_lot (expires_at_ms, seq) WHERE remaining > 0;
CREATE INDEX lot_posting_by_lot ON lot_posting (lot);
CREATE INDEX lot_posting_by_request ON lot_posting (request_id) WHERE request_id IS NOT NULL;

CREATE TRIGGER entry_no_update BEFORE UPDATE ON entry
BEGIN SELECT RAISE(ABORT, 'entries are append-only'); END;

CREATE TRIGGER entry_no_delete BEFORE DELETE ON entry
BEGIN SELECT RAISE(ABORT, 'entries are append-only'); END;

CREATE TRIGGER lot_posting_no_update BEFORE UPDATE ON lot_posting
BEGIN SELECT RAISE(ABORT, 'postings of lots are append-only'); END;

CREATE TRIGGER lot_posting_no_delete BEFORE DELETE ON lot_posting
BEGIN SELECT RAISE(ABORT, 'postings of lots are append-only'); END;
