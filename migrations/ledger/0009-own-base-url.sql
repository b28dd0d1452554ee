-- Where a credential that an account brings is used: the account's own place, instead of the provider's backends. NULL: at those.
ALTER TABLE own_credential ADD COLUMN base_url TEXT CHECK (base_url IS NULL OR length(base_url) > 0);
