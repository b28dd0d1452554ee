-- Whether a key is refused for now: it can be taken again, which one that was revoked cannot.
ALTER TABLE key ADD COLUMN disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1));
