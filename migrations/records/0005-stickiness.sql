-- What became of the request's session: JSON. NULL: it had none, or nobody served it.
ALTER TABLE request ADD COLUMN stickiness TEXT;
