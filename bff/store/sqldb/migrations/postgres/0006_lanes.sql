-- What attackers, or many shoppers, can pile up must not stand before a payment: late
-- checks are claimed by themselves, and webhooks that tell of money go first.

-- +goose Up

-- The time from which on a check is a late one; NULL = each goes first.
ALTER TABLE sessions ADD COLUMN IF NOT EXISTS late_from BIGINT;

CREATE INDEX IF NOT EXISTS sessions_lane ON sessions ((CASE WHEN late_from <= due_at THEN 1 ELSE 0 END), due_at) WHERE due_at IS NOT NULL;

-- 1 = of an event that goes first.
ALTER TABLE deliveries ADD COLUMN IF NOT EXISTS urgent BIGINT NOT NULL DEFAULT 0;

UPDATE deliveries SET urgent = 1 WHERE state = 'open'
    AND event IN (SELECT seq FROM events WHERE type IN ('checkout.confirmed', 'checkout.review'));

CREATE INDEX IF NOT EXISTS deliveries_urgent ON deliveries (endpoint, next_at, event) WHERE state = 'open' AND urgent = 1;

-- +goose Down
DROP INDEX deliveries_urgent;
ALTER TABLE deliveries DROP COLUMN urgent;
DROP INDEX sessions_lane;
ALTER TABLE sessions DROP COLUMN late_from;
