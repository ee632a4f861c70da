-- A row that cannot be decoded is set aside, so that it stops nothing else; what was erased is a
-- column, and what is of the catalog; and only transactions that write events hold events back.
--
-- As in 0006, instances of older releases go on meanwhile, and each statement may run twice.

-- +goose NO TRANSACTION
-- +goose Up

ALTER TABLE sessions ADD COLUMN IF NOT EXISTS erased_at BIGINT; -- of personal data; see Session.ErasedAt
ALTER TABLE sessions ADD COLUMN IF NOT EXISTS unreadable_at BIGINT; -- when it was set aside; NULL = readable
ALTER TABLE sessions ADD COLUMN IF NOT EXISTS unpaid_item BIGINT; -- 1 = of the catalog, and ended unpaid; else NULL
ALTER TABLE events ADD COLUMN IF NOT EXISTS unreadable_at BIGINT; -- likewise

-- What a start that broke off has left is not used.
-- +goose StatementBegin
DO $$
DECLARE broken regclass;
BEGIN
    FOR broken IN SELECT indexrelid FROM pg_index WHERE NOT indisvalid
        AND indexrelid IN (to_regclass('sessions_queue'), to_regclass('sessions_unreadable'), to_regclass('sessions_unpaid_items'), to_regclass('events_unreadable'))
    LOOP
        EXECUTE 'DROP INDEX ' || broken;
    END LOOP;
END $$;
-- +goose StatementEnd

SET lock_timeout = 60000;
CREATE INDEX CONCURRENTLY IF NOT EXISTS sessions_queue ON sessions ((CASE WHEN unreadable_at IS NOT NULL THEN 2 WHEN late_from <= due_at THEN 1 ELSE 0 END), due_at) WHERE due_at IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS sessions_unreadable ON sessions (id) WHERE unreadable_at IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS sessions_unpaid_items ON sessions (created_at, id) WHERE unpaid_item = 1;
CREATE INDEX CONCURRENTLY IF NOT EXISTS events_unreadable ON events (id) WHERE unreadable_at IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS sessions_lane;
SET lock_timeout = 500;

-- The positions of the log; continueLog keeps them ahead of all events.
CREATE SEQUENCE IF NOT EXISTS log_positions;
SELECT setval('log_positions', GREATEST(last_value, (SELECT max(position) FROM events))) FROM log_positions;

-- The position of an event that the current transaction writes. Until the transaction ends, it
-- holds a shared lock whose key, 'CO' in the upper 16 bits, says below which position it has none:
-- it is taken before the position is.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION log_position() RETURNS BIGINT LANGUAGE plpgsql VOLATILE AS $$
DECLARE below BIGINT;
BEGIN
    SELECT last_value INTO below FROM log_positions;
    PERFORM pg_advisory_xact_lock_shared((17231::bigint << 48) | below);
    RETURN nextval('log_positions');
END $$;
-- +goose StatementEnd

-- Every transaction that has written an event of this position, or of a lower one, has ended. A
-- statement that begins after this one sees them all. The order matters: a writer that takes its
-- lock after the locks are read gets a position above the one that is read before.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION log_horizon() RETURNS BIGINT LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    last BIGINT;
    held BIGINT;
BEGIN
    SELECT last_value INTO last FROM log_positions;
    SELECT min(((classid::bigint << 32) | objid::bigint) & 281474976710655) INTO held FROM pg_locks
        WHERE locktype = 'advisory' AND objsubid = 1 AND classid::bigint >> 16 = 17231
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database());
    RETURN LEAST(last, held);
END $$;
-- +goose StatementEnd

DROP TABLE IF EXISTS log_shift;

-- +goose Down
CREATE TABLE log_shift (
    one   BOOLEAN PRIMARY KEY DEFAULT true CHECK (one),
    shift BIGINT NOT NULL
);
INSERT INTO log_shift (shift) VALUES (0);
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION log_position() RETURNS BIGINT LANGUAGE sql VOLATILE AS
$$ SELECT shift + pg_current_xact_id()::text::bigint FROM log_shift $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION log_horizon() RETURNS BIGINT LANGUAGE sql STABLE AS
$$ SELECT shift + pg_snapshot_xmin(pg_current_snapshot())::text::bigint FROM log_shift $$;
-- +goose StatementEnd
DROP SEQUENCE log_positions;
DROP INDEX events_unreadable;
DROP INDEX sessions_unpaid_items;
DROP INDEX sessions_unreadable;
DROP INDEX sessions_queue;
CREATE INDEX sessions_lane ON sessions ((CASE WHEN late_from <= due_at THEN 1 ELSE 0 END), due_at) WHERE due_at IS NOT NULL;
ALTER TABLE events DROP COLUMN unreadable_at;
ALTER TABLE sessions DROP COLUMN unpaid_item;
ALTER TABLE sessions DROP COLUMN unreadable_at;
ALTER TABLE sessions DROP COLUMN erased_at;
