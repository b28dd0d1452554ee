-- Whether prompts and answers of its requests are kept, sealed, in the records.
ALTER TABLE account ADD COLUMN store_content INTEGER NOT NULL DEFAULT 0 CHECK (store_content IN (0, 1));
