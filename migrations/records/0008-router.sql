-- The router model that was asked for. NULL: a model was named.
ALTER TABLE request ADD COLUMN router TEXT;
