-- What attackers, or many shoppers, can pile up must not stand before a payment: late
-- checks are claimed by themselves, and webhooks that tell of money go first.
--
-- Instances of older releases go on meanwhile. A statement that locks a table only changes the
-- catalog, and waits half a second at most for the lock, as others wait behind it (see migratePostgres,
-- which tries again). Indexes are made beside writers, which waits for the transactions of others.
-- Each statement may run twice.

-- +goose NO TRANSACTION
-- +goose Up

-- The time from which on a check is a late one; NULL = each goes first.
ALTER TABLE sessions ADD COLUMN IF NOT EXISTS late_from BIGINT;

-- 1 = of an event that goes first.
ALTER TABLE deliveries ADD COLUMN IF NOT EXISTS urgent BIGINT NOT NULL DEFAULT 0;

-- In parts, because a delivery that has changed is locked until the commit.
-- +goose StatementBegin
DO $$
BEGIN
    FOR part IN 0 .. (SELECT COALESCE(max(seq), 0) / 10000 FROM events) LOOP
        UPDATE deliveries SET urgent = 1 WHERE state = 'open' AND urgent = 0
            AND event >= part * 10000 AND event < (part + 1) * 10000
            AND event IN (SELECT seq FROM events WHERE seq >= part * 10000 AND seq < (part + 1) * 10000
                AND type IN ('checkout.confirmed', 'checkout.review'));
        COMMIT;
    END LOOP;
END $$;
-- +goose StatementEnd

-- What a start that broke off has left is not used.
-- +goose StatementBegin
DO $$
DECLARE broken regclass;
BEGIN
    FOR broken IN SELECT indexrelid FROM pg_index
        WHERE indexrelid IN (to_regclass('sessions_lane'), to_regclass('deliveries_urgent')) AND NOT indisvalid
    LOOP
        EXECUTE 'DROP INDEX ' || broken;
    END LOOP;
END $$;
-- +goose StatementEnd

SET lock_timeout = 60000;
CREATE INDEX CONCURRENTLY IF NOT EXISTS sessions_lane ON sessions ((CASE WHEN late_from <= due_at THEN 1 ELSE 0 END), due_at) WHERE due_at IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS deliveries_urgent ON deliveries (endpoint, next_at, event) WHERE state = 'open' AND urgent = 1;
SET lock_timeout = 500;

-- +goose Down
DROP INDEX deliveries_urgent;
ALTER TABLE deliveries DROP COLUMN urgent;
DROP INDEX sessions_lane;
ALTER TABLE sessions DROP COLUMN late_from;
