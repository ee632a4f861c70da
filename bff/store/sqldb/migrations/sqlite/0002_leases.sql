-- A lease is a column of its own, so that whoever makes a row due sooner does
-- not end it; epoch counts the claims.

-- +goose Up
ALTER TABLE sessions ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN lease_until INTEGER;
ALTER TABLE sessions ADD COLUMN watched_until INTEGER;
ALTER TABLE deliveries ADD COLUMN lease_until INTEGER;
ALTER TABLE deliveries ADD COLUMN opened_at INTEGER; -- when it was replayed; NULL = never

CREATE INDEX sessions_leased ON sessions (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX deliveries_leased ON deliveries (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX events_session ON events (session, seq);
CREATE INDEX events_at ON events (at, seq);

-- A token bucket: next_at is when it would be full of free slots again.
CREATE TABLE buckets (
    name    TEXT PRIMARY KEY NOT NULL,
    next_at INTEGER NOT NULL
) STRICT;

-- +goose Down
DROP TABLE buckets;
DROP INDEX events_at;
DROP INDEX events_session;
DROP INDEX deliveries_leased;
DROP INDEX sessions_leased;
ALTER TABLE deliveries DROP COLUMN opened_at;
ALTER TABLE deliveries DROP COLUMN lease_until;
ALTER TABLE sessions DROP COLUMN watched_until;
ALTER TABLE sessions DROP COLUMN lease_until;
ALTER TABLE sessions DROP COLUMN epoch;
