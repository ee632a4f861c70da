-- Times are microseconds since 1970, UTC. What is optional is NULL if absent,
-- never '' or 0. Text is compared byte by byte, as in SQLite.

-- +goose Up

-- doc is checkout.Session as JSON and the truth; the other columns repeat what
-- is queried or constrained. checked_at and due_at may be newer than doc; epoch,
-- lease_until and watched_until are not in it. doc is no JSONB, which changes
-- numbers and refuses \u0000.
CREATE TABLE sessions (
    id              TEXT COLLATE "C" PRIMARY KEY,
    version         BIGINT NOT NULL,
    status          TEXT COLLATE "C" NOT NULL,
    order_ref       TEXT COLLATE "C",
    idempotency_key TEXT COLLATE "C",
    created_at      BIGINT NOT NULL,
    checked_at      BIGINT,
    due_at          BIGINT,
    watched_until   BIGINT,
    epoch           BIGINT NOT NULL DEFAULT 0,
    lease_until     BIGINT,
    doc             TEXT COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX sessions_order_ref ON sessions (order_ref) WHERE order_ref IS NOT NULL;
CREATE UNIQUE INDEX sessions_idempotency_key ON sessions (idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX sessions_due_at ON sessions (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX sessions_created_at ON sessions (created_at, id);
CREATE INDEX sessions_status ON sessions (status, created_at, id);

-- What an attempt holds that no other may, written with the session's doc.
CREATE TABLE attempts (
    session       TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    number        BIGINT NOT NULL,
    marker        TEXT COLLATE "C",
    tracking_code TEXT COLLATE "C",
    order_id      BIGINT,           -- only of a live attempt whose number was drawn
    tx_id         TEXT COLLATE "C", -- only of a confirmed attempt, and once for each session
    PRIMARY KEY (session, number)
);

CREATE UNIQUE INDEX attempts_marker ON attempts (marker) WHERE marker IS NOT NULL;
CREATE UNIQUE INDEX attempts_tracking_code ON attempts (tracking_code) WHERE tracking_code IS NOT NULL;
CREATE UNIQUE INDEX attempts_order_id ON attempts (order_id) WHERE order_id IS NOT NULL;
CREATE UNIQUE INDEX attempts_tx_id ON attempts (tx_id) WHERE tx_id IS NOT NULL;

-- Transaction ids start anew when a dump is loaded into another server; shift is
-- what has to be added so that the log's positions go on. See mendLog.
CREATE TABLE log_shift (
    one   BOOLEAN PRIMARY KEY DEFAULT true CHECK (one),
    shift BIGINT NOT NULL
);
INSERT INTO log_shift (shift) VALUES (0);

-- The position of what the current transaction writes.
-- +goose StatementBegin
CREATE FUNCTION log_position() RETURNS BIGINT LANGUAGE sql VOLATILE AS
$$ SELECT shift + pg_current_xact_id()::text::bigint FROM log_shift $$;
-- +goose StatementEnd

-- Every transaction of a position below the horizon has ended: nothing new
-- appears there.
-- +goose StatementBegin
CREATE FUNCTION log_horizon() RETURNS BIGINT LANGUAGE sql STABLE AS
$$ SELECT shift + pg_snapshot_xmin(pg_current_snapshot())::text::bigint FROM log_shift $$;
-- +goose StatementEnd

-- seq is the order within a transaction.
CREATE TABLE events (
    seq      BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    position BIGINT NOT NULL DEFAULT log_position(),
    id       TEXT COLLATE "C" NOT NULL UNIQUE,
    session  TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    type     TEXT COLLATE "C" NOT NULL,
    at       BIGINT NOT NULL,
    body     BYTEA NOT NULL
);

CREATE INDEX events_position ON events (position, seq);
CREATE INDEX events_session ON events (session, position, seq);
CREATE INDEX events_at ON events (at, seq);

CREATE TABLE deliveries (
    event       BIGINT NOT NULL REFERENCES events (seq),
    endpoint    TEXT COLLATE "C" NOT NULL,
    state       TEXT COLLATE "C" NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'delivered', 'abandoned')),
    next_at     BIGINT NOT NULL, -- means nothing unless open
    tries       BIGINT NOT NULL DEFAULT 0,
    last_status BIGINT,
    note        TEXT COLLATE "C",
    settled_at  BIGINT, -- when the last try was recorded
    lease_until BIGINT,
    opened_at   BIGINT, -- when it was replayed; NULL = never
    PRIMARY KEY (event, endpoint)
);

CREATE INDEX deliveries_open ON deliveries (endpoint, next_at, event) WHERE state = 'open';

-- A token bucket: next_at is when it would be full of free slots again. It may
-- be lost in a crash, so it costs no sync.
CREATE UNLOGGED TABLE buckets (
    name    TEXT COLLATE "C" PRIMARY KEY,
    next_at BIGINT NOT NULL
);

-- +goose Down
DROP TABLE buckets;
DROP TABLE deliveries;
DROP TABLE events;
DROP FUNCTION log_horizon;
DROP FUNCTION log_position;
DROP TABLE log_shift;
DROP TABLE attempts;
DROP TABLE sessions;
