-- Times are microseconds since 1970, UTC. What is optional is NULL if absent, never '' or 0.
-- Booleans are 0 and 1.

-- +goose Up

-- doc is payment.Session as JSON and the truth; the other columns repeat what is searched for,
-- counted or constrained, and are written with it. Only checked_at and due_at may be newer than
-- doc, and a claim (epoch, lease_until), a page that is open (watched_until) and a document that
-- cannot be decoded (unreadable_at) are not in it.
CREATE TABLE sessions (
    id              TEXT PRIMARY KEY NOT NULL,
    version         INTEGER NOT NULL,
    status          TEXT NOT NULL,
    order_ref       TEXT,
    idempotency_key TEXT,
    created_at      INTEGER NOT NULL,
    checked_at      INTEGER,
    due_at          INTEGER,
    late_from       INTEGER, -- from then on, a check is a late one; NULL = each goes first
    epoch           INTEGER NOT NULL DEFAULT 0, -- counts the claims
    lease_until     INTEGER,
    watched_until   INTEGER,
    coin            TEXT, -- of the current attempt, upper case
    network         TEXT, -- of the current attempt, lower case
    currency        TEXT NOT NULL, -- of the merchant's price, USD too
    amount_cents    INTEGER NOT NULL,
    unpaid_item     INTEGER NOT NULL, -- of the catalog, and ended unpaid
    unsettled       INTEGER NOT NULL DEFAULT 0, -- has money that an operator has to deal with
    deleted         INTEGER NOT NULL, -- no list shows it; status is what it was
    erased_at       INTEGER, -- of personal data
    unreadable_at   INTEGER, -- when it was set aside; NULL = readable
    doc             TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX sessions_order_ref ON sessions (order_ref) WHERE order_ref IS NOT NULL;
CREATE UNIQUE INDEX sessions_idempotency_key ON sessions (idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX sessions_due_at ON sessions (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX sessions_queue ON sessions ((CASE WHEN unreadable_at IS NOT NULL THEN 2 WHEN late_from <= due_at THEN 1 ELSE 0 END), due_at) WHERE due_at IS NOT NULL;
CREATE INDEX sessions_leased ON sessions (lease_until) WHERE lease_until IS NOT NULL;
-- Sessions are counted by what stands behind the id, without their documents.
CREATE INDEX sessions_created_at ON sessions (created_at, id, status, coin, amount_cents);
CREATE INDEX sessions_status ON sessions (status, created_at, id) WHERE deleted = 0;
-- A session gets into these with its first coin, not when it is made.
CREATE INDEX sessions_coin ON sessions (coin, created_at, id) WHERE coin IS NOT NULL;
CREATE INDEX sessions_network ON sessions (network, created_at, id) WHERE network IS NOT NULL;
CREATE INDEX sessions_currency ON sessions (currency, created_at, id);
CREATE INDEX sessions_unpaid_items ON sessions (created_at, id) WHERE unpaid_item = 1;
CREATE INDEX sessions_unsettled ON sessions (created_at, id) WHERE unsettled = 1;
CREATE INDEX sessions_unreadable ON sessions (id) WHERE unreadable_at IS NOT NULL;

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

-- What a session is found by that no index of another table has.
CREATE TABLE search_terms (
    term       TEXT NOT NULL,
    created_at INTEGER NOT NULL, -- of the session
    session    TEXT NOT NULL,
    PRIMARY KEY (term, created_at, session)
) STRICT, WITHOUT ROWID;

-- When money of a session came or went: payments and refunds are found by it. It is written with the
-- session's doc.
CREATE TABLE money (
    at      INTEGER NOT NULL,
    session TEXT NOT NULL REFERENCES sessions (id),
    PRIMARY KEY (at, session)
) STRICT, WITHOUT ROWID;

-- seq is the order in which events were written.
CREATE TABLE events (
    seq           INTEGER PRIMARY KEY,
    id            TEXT NOT NULL UNIQUE,
    session       TEXT NOT NULL REFERENCES sessions (id),
    type          TEXT NOT NULL,
    at            INTEGER NOT NULL,
    unreadable_at INTEGER, -- when it was set aside; NULL = readable
    body          BLOB NOT NULL
) STRICT;

CREATE INDEX events_session ON events (session, seq);
CREATE INDEX events_at ON events (at, seq);
CREATE INDEX events_unreadable ON events (id) WHERE unreadable_at IS NOT NULL;

CREATE TABLE deliveries (
    event       INTEGER NOT NULL REFERENCES events (seq),
    endpoint    TEXT NOT NULL,
    state       TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'delivered', 'abandoned')),
    urgent      INTEGER NOT NULL DEFAULT 0, -- of an event that goes first
    next_at     INTEGER NOT NULL, -- means nothing unless open
    lease_until INTEGER,
    tries       INTEGER NOT NULL DEFAULT 0,
    tried_at    INTEGER, -- when the last try was recorded
    last_status INTEGER,
    note        TEXT,
    opened_at   INTEGER, -- when it was replayed or moved; NULL = never
    PRIMARY KEY (event, endpoint)
) STRICT, WITHOUT ROWID;

CREATE INDEX deliveries_open ON deliveries (endpoint, next_at, event) WHERE state = 'open';
CREATE INDEX deliveries_urgent ON deliveries (endpoint, next_at, event) WHERE state = 'open' AND urgent = 1;
CREATE INDEX deliveries_leased ON deliveries (lease_until) WHERE lease_until IS NOT NULL;
-- Those that have failed at least once: most never get here.
CREATE INDEX deliveries_failed ON deliveries (state, event, endpoint) WHERE tries > 0 AND state <> 'delivered';

-- Token buckets: next_at is when all slots would be free again.
CREATE TABLE buckets (
    name    TEXT PRIMARY KEY NOT NULL,
    next_at INTEGER NOT NULL
) STRICT;

-- The last reading of the gateway's list of each kind: 1 was requested, 2 is the daily one, 3 the
-- hourly one, 4 polls payments.
CREATE TABLE list_runs (
    kind        INTEGER PRIMARY KEY NOT NULL,
    epoch       INTEGER NOT NULL, -- counts those that were begun
    lease_until INTEGER,          -- NULL = none is under way
    next_at     INTEGER,          -- none is begun before; NULL = at any time
    run         TEXT NOT NULL,    -- gatewaylist.Run as JSON
    report      TEXT              -- gatewaylist.Report as JSON, of the last one that was completed
) STRICT;

-- The console's audit log.
CREATE TABLE actions (
    seq     INTEGER PRIMARY KEY,
    at      INTEGER NOT NULL,
    actor   TEXT NOT NULL,
    address TEXT,
    what    TEXT NOT NULL,
    session TEXT,
    detail  TEXT
) STRICT;

CREATE INDEX actions_at ON actions (at, seq);
CREATE INDEX actions_session ON actions (session, at, seq) WHERE session IS NOT NULL;

-- Logins of the console that were ended, until they would have run out.
CREATE TABLE ended_logins (
    login TEXT PRIMARY KEY NOT NULL,
    until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Host pages that were not allowed to show the checkout, 200 at most.
CREATE TABLE refused_origins (
    origin   TEXT PRIMARY KEY NOT NULL,
    session  TEXT,             -- the last one
    sessions INTEGER NOT NULL, -- how many are in seen
    seen     TEXT NOT NULL,    -- the last ones, one each, 8 at most, with spaces between
    times    INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    last_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The exchange rates of all currencies: rates.State as JSON, in one row.
CREATE TABLE exchange_rates (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL,
    doc     TEXT NOT NULL
) STRICT;

-- What is known of alerts, and those that are not delivered yet: alert.State as JSON, in one row.
CREATE TABLE alerts (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL,
    doc     TEXT NOT NULL
) STRICT;
