-- Times are microseconds since 1970, UTC. What is optional is NULL if absent,
-- never '' or 0.

-- +goose Up

-- doc is checkout.Session as JSON and the truth; the other columns repeat what
-- is queried or constrained. Only checked_at and due_at may be newer than doc.
CREATE TABLE sessions (
    id              TEXT PRIMARY KEY NOT NULL,
    version         INTEGER NOT NULL,
    status          TEXT NOT NULL,
    order_ref       TEXT,
    idempotency_key TEXT,
    created_at      INTEGER NOT NULL,
    checked_at      INTEGER,
    due_at          INTEGER,
    doc             TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX sessions_order_ref ON sessions (order_ref) WHERE order_ref IS NOT NULL;
CREATE UNIQUE INDEX sessions_idempotency_key ON sessions (idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX sessions_due_at ON sessions (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX sessions_created_at ON sessions (created_at, id);
CREATE INDEX sessions_status ON sessions (status, created_at, id);

-- What an attempt holds that no other may, written with the session's doc.
CREATE TABLE attempts (
    session       TEXT NOT NULL REFERENCES sessions (id),
    number        INTEGER NOT NULL,
    marker        TEXT,
    tracking_code TEXT,
    order_id      INTEGER, -- only of a live attempt whose number was drawn
    tx_id         TEXT,    -- only of a confirmed attempt, and once for each session
    PRIMARY KEY (session, number)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX attempts_marker ON attempts (marker) WHERE marker IS NOT NULL;
CREATE UNIQUE INDEX attempts_tracking_code ON attempts (tracking_code) WHERE tracking_code IS NOT NULL;
CREATE UNIQUE INDEX attempts_order_id ON attempts (order_id) WHERE order_id IS NOT NULL;
CREATE UNIQUE INDEX attempts_tx_id ON attempts (tx_id) WHERE tx_id IS NOT NULL;

-- seq is the order in which events were written.
CREATE TABLE events (
    seq     INTEGER PRIMARY KEY,
    id      TEXT NOT NULL UNIQUE,
    session TEXT NOT NULL REFERENCES sessions (id),
    type    TEXT NOT NULL,
    at      INTEGER NOT NULL,
    body    BLOB NOT NULL
) STRICT;

CREATE TABLE deliveries (
    event       INTEGER NOT NULL REFERENCES events (seq),
    endpoint    TEXT NOT NULL,
    state       TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'delivered', 'abandoned')),
    next_at     INTEGER NOT NULL, -- means nothing unless open
    tries       INTEGER NOT NULL DEFAULT 0,
    last_status INTEGER,
    note        TEXT,
    settled_at  INTEGER, -- when the last try was recorded
    PRIMARY KEY (event, endpoint)
) STRICT, WITHOUT ROWID;

CREATE INDEX deliveries_open ON deliveries (endpoint, next_at, event) WHERE state = 'open';

-- +goose Down
DROP TABLE deliveries;
DROP TABLE events;
DROP TABLE attempts;
DROP TABLE sessions;
