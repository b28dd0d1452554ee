-- Whose credential the backend was shown, from the settlement: operator, account; NULL: nobody served.
ALTER TABLE request ADD COLUMN owner TEXT;
-- Why the answer ended, in the provider's word.
ALTER TABLE request ADD COLUMN finish_reason TEXT;
-- What the caller says of itself: a JSON object of user_agent, referer, title, session. NULL: nothing, or its account keeps nothing.
ALTER TABLE request ADD COLUMN client TEXT CHECK (client IS NULL OR json_type(client) = 'object');
-- The provider's own id of the request.
ALTER TABLE attempt ADD COLUMN provider_request_id TEXT;

-- Prompts and answers of accounts that asked for it, sealed with the master key, each apart; base64.
CREATE TABLE content (
  request_id TEXT PRIMARY KEY CHECK (length(request_id) > 0),
  account_id TEXT NOT NULL,
  prompt TEXT NOT NULL,
  -- NULL: there was none.
  answer TEXT,
  -- Whether either was longer than what is kept of it.
  is_cut INTEGER NOT NULL CHECK (is_cut IN (0, 1))
) STRICT, WITHOUT ROWID;
