-- Times are microseconds since 1970, UTC. What is optional is NULL if absent, never '' or 0.
-- Booleans are 0 and 1. Text is compared byte by byte, as in SQLite.

-- +goose Up

-- doc is payment.Session as JSON and the truth; the other columns repeat what is searched for,
-- counted or constrained, and are written with it. Only checked_at and due_at may be newer than
-- doc, and a claim (epoch, lease_until), a page that is open (watched_until) and a document that
-- cannot be decoded (unreadable_at) are not in it. doc is no JSONB, which changes numbers and
-- refuses \u0000.
CREATE TABLE sessions (
    id              TEXT COLLATE "C" PRIMARY KEY,
    version         BIGINT NOT NULL,
    status          TEXT COLLATE "C" NOT NULL,
    order_ref       TEXT COLLATE "C",
    idempotency_key TEXT COLLATE "C",
    created_at      BIGINT NOT NULL,
    checked_at      BIGINT,
    due_at          BIGINT,
    late_from       BIGINT, -- from then on, a check is a late one; NULL = each goes first
    epoch           BIGINT NOT NULL DEFAULT 0, -- counts the claims
    lease_until     BIGINT,
    watched_until   BIGINT,
    coin            TEXT COLLATE "C", -- of the current attempt, upper case
    network         TEXT COLLATE "C", -- of the current attempt, lower case
    currency        TEXT COLLATE "C" NOT NULL, -- of the merchant's price, USD too
    amount_cents    BIGINT NOT NULL,
    unpaid_item     BIGINT NOT NULL, -- of the catalog, and ended unpaid
    unsettled       BIGINT NOT NULL DEFAULT 0, -- has money that an operator has to deal with
    deleted         BIGINT NOT NULL, -- no list shows it; status is what it was
    erased_at       BIGINT, -- of personal data
    unreadable_at   BIGINT, -- when it was set aside; NULL = readable
    doc             TEXT COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX sessions_order_ref ON sessions (order_ref) WHERE order_ref IS NOT NULL;
CREATE UNIQUE INDEX sessions_idempotency_key ON sessions (idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX sessions_due_at ON sessions (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX sessions_queue ON sessions ((CASE WHEN unreadable_at IS NOT NULL THEN 2 WHEN late_from <= due_at THEN 1 ELSE 0 END), due_at) WHERE due_at IS NOT NULL;
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

-- What a session is found by that no index of another table has.
CREATE TABLE search_terms (
    term       TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL, -- of the session
    session    TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (term, created_at, session)
);

-- When money of a session came or went: payments and refunds are found by it. It is written with the
-- session's doc.
CREATE TABLE money (
    at      BIGINT NOT NULL,
    session TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    PRIMARY KEY (at, session)
);

-- The positions of the log; continueLog keeps them ahead of all events.
CREATE SEQUENCE log_positions;

-- The position of an event that the current transaction writes. Until the transaction ends, it
-- holds a shared lock whose key, 'CO' in the upper 16 bits, says below which position it has none:
-- it is taken before the position is.
-- +goose StatementBegin
CREATE FUNCTION log_position() RETURNS BIGINT LANGUAGE plpgsql VOLATILE AS $$
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
CREATE FUNCTION log_horizon() RETURNS BIGINT LANGUAGE plpgsql VOLATILE AS $$
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

-- seq is the order within a transaction.
CREATE TABLE events (
    seq           BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    position      BIGINT NOT NULL DEFAULT log_position(),
    id            TEXT COLLATE "C" NOT NULL UNIQUE,
    session       TEXT COLLATE "C" NOT NULL REFERENCES sessions (id),
    type          TEXT COLLATE "C" NOT NULL,
    at            BIGINT NOT NULL,
    unreadable_at BIGINT, -- when it was set aside; NULL = readable
    body          BYTEA NOT NULL
);

CREATE INDEX events_position ON events (position, seq);
CREATE INDEX events_session ON events (session, position, seq);
CREATE INDEX events_at ON events (at, seq);
CREATE INDEX events_unreadable ON events (id) WHERE unreadable_at IS NOT NULL;

CREATE TABLE deliveries (
    event       BIGINT NOT NULL REFERENCES events (seq),
    endpoint    TEXT COLLATE "C" NOT NULL,
    state       TEXT COLLATE "C" NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'delivered', 'abandoned')),
    urgent      BIGINT NOT NULL DEFAULT 0, -- of an event that goes first
    next_at     BIGINT NOT NULL, -- means nothing unless open
    lease_until BIGINT,
    tries       BIGINT NOT NULL DEFAULT 0,
    tried_at    BIGINT, -- when the last try was recorded
    last_status BIGINT,
    note        TEXT COLLATE "C",
    opened_at   BIGINT, -- when it was replayed or moved; NULL = never
    PRIMARY KEY (event, endpoint)
);

CREATE INDEX deliveries_open ON deliveries (endpoint, next_at, event) WHERE state = 'open';
CREATE INDEX deliveries_urgent ON deliveries (endpoint, next_at, event) WHERE state = 'open' AND urgent = 1;
-- Those that have failed at least once: most never get here.
CREATE INDEX deliveries_failed ON deliveries (state, event, endpoint) WHERE tries > 0 AND state <> 'delivered';

-- Token buckets: next_at is when all slots would be free again. They may be lost in a crash, so
-- they cost no sync.
CREATE UNLOGGED TABLE buckets (
    name    TEXT COLLATE "C" PRIMARY KEY,
    next_at BIGINT NOT NULL
);

-- Which webhook URLs running instances have configured. An instance renews its own every half
-- minute, so that another one, started with other URLs, can tell a URL that was replaced from one
-- that an older instance still serves. SQLite needs no such table: one process uses the file.
CREATE TABLE webhook_endpoints (
    endpoint TEXT COLLATE "C" PRIMARY KEY,
    seen_at  BIGINT NOT NULL -- when an instance last renewed it, or it was first met
);

-- The last reading of the gateway's list of each kind: 1 was requested, 2 is the daily one, 3 the
-- hourly one, 4 polls payments.
CREATE TABLE list_runs (
    kind        BIGINT PRIMARY KEY,
    epoch       BIGINT NOT NULL, -- counts those that were begun
    lease_until BIGINT,          -- NULL = none is under way
    next_at     BIGINT,          -- none is begun before; NULL = at any time
    run         TEXT COLLATE "C" NOT NULL,    -- gatewaylist.Run as JSON
    report      TEXT COLLATE "C"              -- gatewaylist.Report as JSON, of the last one that was completed
);

-- The console's audit log.
CREATE TABLE actions (
    seq     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at      BIGINT NOT NULL,
    actor   TEXT COLLATE "C" NOT NULL,
    address TEXT COLLATE "C",
    what    TEXT COLLATE "C" NOT NULL,
    session TEXT COLLATE "C",
    detail  TEXT COLLATE "C"
);

CREATE INDEX actions_at ON actions (at, seq);
CREATE INDEX actions_session ON actions (session, at, seq) WHERE session IS NOT NULL;

-- Logins of the console that were ended, until they would have run out.
CREATE TABLE ended_logins (
    login TEXT COLLATE "C" PRIMARY KEY,
    until BIGINT NOT NULL
);

-- Host pages that were not allowed to show the checkout, 200 at most.
CREATE TABLE refused_origins (
    origin   TEXT COLLATE "C" PRIMARY KEY,
    session  TEXT COLLATE "C",             -- the last one
    sessions BIGINT NOT NULL, -- how many are in seen
    seen     TEXT COLLATE "C" NOT NULL,    -- the last ones, one each, 8 at most, with spaces between
    times    BIGINT NOT NULL,
    first_at BIGINT NOT NULL,
    last_at  BIGINT NOT NULL
);

-- The exchange rates of all currencies: rates.State as JSON, in one row.
CREATE TABLE exchange_rates (
    id      BIGINT PRIMARY KEY CHECK (id = 1),
    version BIGINT NOT NULL,
    doc     TEXT COLLATE "C" NOT NULL
);

-- What is known of alerts, and those that are not delivered yet: alert.State as JSON, in one row.
CREATE TABLE alerts (
    id      BIGINT PRIMARY KEY CHECK (id = 1),
    version BIGINT NOT NULL,
    doc     TEXT COLLATE "C" NOT NULL
);
