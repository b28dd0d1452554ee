-- Who may administer, what they changed, and answers kept so that a repeated request with the same key changes nothing.

CREATE TABLE management_key (
  id TEXT PRIMARY KEY CHECK (length(id) > 0),
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  prefix TEXT NOT NULL,
  scopes TEXT NOT NULL CHECK (json_type(scopes) = 'array'),
  version INTEGER NOT NULL DEFAULT 1,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER,
  revoked_at_ms INTEGER
) STRICT, WITHOUT ROWID;

-- A row in the transaction of the change it tells of. Never a secret in it.
CREATE TABLE audit (
  seq INTEGER PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  details TEXT NOT NULL CHECK (json_type(details) = 'object')
) STRICT;

CREATE INDEX audit_by_subject ON audit (subject, seq);
CREATE INDEX audit_by_action ON audit (action, seq);

CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;

CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit is append-only'); END;

-- What a change answered, in its own transaction. Rows live for a day.
CREATE TABLE idempotency (
  actor TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  -- Hash of method, path and body: the same key on another request is a conflict.
  request_hash TEXT NOT NULL,
  answer TEXT NOT NULL CHECK (json_valid(answer)),
  -- A secret that the answer showed, sealed with the master key; base64.
  sealed TEXT,
  at_ms INTEGER NOT NULL,
  PRIMARY KEY (actor, idempotency_key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_by_age ON idempotency (at_ms);
