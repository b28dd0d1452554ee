-- What an account's or a key's requests may use: where backends run, who owns them, what they do with data. NULL: as a new one has it.

-- Ids of the models that an account's keys may use at most: a JSON list. NULL: all.
ALTER TABLE account ADD COLUMN models TEXT CHECK (models IS NULL OR json_type(models) = 'array');
ALTER TABLE account ADD COLUMN policy TEXT CHECK (policy IS NULL OR json_type(policy) = 'object');
ALTER TABLE key ADD COLUMN policy TEXT CHECK (policy IS NULL OR json_type(policy) = 'object');
