-- What the gateway finds out of a backend by itself, beside what an operator says: each cause a group of columns.

-- Too many failures. All NULL: none. The cause stays when its time is over, until a success proves the backend.
ALTER TABLE quarantine ADD COLUMN failures_since_ms INTEGER;
ALTER TABLE quarantine ADD COLUMN failures_until_ms INTEGER;
ALTER TABLE quarantine ADD COLUMN failures_backoff_ms INTEGER;
ALTER TABLE quarantine ADD COLUMN failures_count INTEGER;
ALTER TABLE quarantine ADD COLUMN failures_streak INTEGER;
ALTER TABLE quarantine ADD COLUMN failures_last_status INTEGER;
ALTER TABLE quarantine ADD COLUMN failures_evidence TEXT
  CHECK ((failures_evidence IS NULL) = (failures_since_ms IS NULL) AND (failures_evidence IS NULL) = (failures_until_ms IS NULL)
    AND (failures_evidence IS NULL) = (failures_backoff_ms IS NULL) AND (failures_evidence IS NULL) = (failures_count IS NULL)
    AND (failures_evidence IS NULL) = (failures_streak IS NULL) AND (failures_evidence IS NOT NULL OR failures_last_status IS NULL));

-- It takes no more for now, whoever asks. All NULL: none.
ALTER TABLE quarantine ADD COLUMN throttle_since_ms INTEGER;
ALTER TABLE quarantine ADD COLUMN throttle_until_ms INTEGER;
ALTER TABLE quarantine ADD COLUMN throttle_backoff_ms INTEGER;
-- Who set the time: retry_after, back_off.
ALTER TABLE quarantine ADD COLUMN throttle_source TEXT;
ALTER TABLE quarantine ADD COLUMN throttle_evidence TEXT
  CHECK ((throttle_evidence IS NULL) = (throttle_since_ms IS NULL) AND (throttle_evidence IS NULL) = (throttle_until_ms IS NULL)
    AND (throttle_evidence IS NULL) = (throttle_backoff_ms IS NULL) AND (throttle_evidence IS NULL) = (throttle_source IS NULL));

-- The operator's credentials that are refused or throttled here: a JSON array, one element each. NULL: none.
ALTER TABLE quarantine ADD COLUMN credentials TEXT CHECK (credentials IS NULL OR json_valid(credentials));
