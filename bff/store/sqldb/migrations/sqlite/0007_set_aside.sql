-- A row that cannot be decoded is set aside, so that it stops nothing else; what was erased is a
-- column, and what is of the catalog.

-- +goose Up
ALTER TABLE sessions ADD COLUMN erased_at INTEGER; -- of personal data; see Session.ErasedAt
ALTER TABLE sessions ADD COLUMN unreadable_at INTEGER; -- when it was set aside; NULL = readable
ALTER TABLE sessions ADD COLUMN unpaid_item INTEGER; -- 1 = of the catalog, and ended unpaid; else NULL
ALTER TABLE events ADD COLUMN unreadable_at INTEGER; -- likewise

DROP INDEX sessions_lane;
CREATE INDEX sessions_queue ON sessions ((CASE WHEN unreadable_at IS NOT NULL THEN 2 WHEN late_from <= due_at THEN 1 ELSE 0 END), due_at) WHERE due_at IS NOT NULL;
CREATE INDEX sessions_unreadable ON sessions (id) WHERE unreadable_at IS NOT NULL;
CREATE INDEX sessions_unpaid_items ON sessions (created_at, id) WHERE unpaid_item = 1;
CREATE INDEX events_unreadable ON events (id) WHERE unreadable_at IS NOT NULL;

-- +goose Down
DROP INDEX events_unreadable;
DROP INDEX sessions_unpaid_items;
DROP INDEX sessions_unreadable;
DROP INDEX sessions_queue;
CREATE INDEX sessions_lane ON sessions ((CASE WHEN late_from <= due_at THEN 1 ELSE 0 END), due_at) WHERE due_at IS NOT NULL;
ALTER TABLE events DROP COLUMN unreadable_at;
ALTER TABLE sessions DROP COLUMN unpaid_item;
ALTER TABLE sessions DROP COLUMN unreadable_at;
ALTER TABLE sessions DROP COLUMN erased_at;
