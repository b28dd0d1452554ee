-- Units of the kinds that few requests have (images, audio, searches): a JSON object of counts. NULL: none.
ALTER TABLE settlement ADD COLUMN units_more TEXT CHECK (units_more IS NULL OR json_type(units_more) = 'object');

-- Whether a request whose own credentials have failed may go on with the operator's.
ALTER TABLE account ADD COLUMN byok_fallback TEXT NOT NULL DEFAULT 'shared' CHECK (byok_fallback IN ('shared', 'never'));
