-- Attempts that may have cost the operator without serving: few, and summed up with what was used.
CREATE INDEX attempt_absorbed ON attempt (request_id, number) WHERE possible_cost > 0;
