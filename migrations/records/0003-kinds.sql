-- As the ledger has them.
ALTER TABLE request ADD COLUMN units_more TEXT;
-- What an attempt that did not serve may have cost the operator, in nano-dollars. NULL: nothing.
ALTER TABLE attempt ADD COLUMN possible_cost INTEGER CHECK (possible_cost >= 0);
