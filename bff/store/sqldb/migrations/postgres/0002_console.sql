-- What people look at. None of it decides about a payment.

-- +goose Up

-- What is filtered and counted of a session, in short rows, made from doc and
-- written with it; see mend.go for sessions that are older than this table. It is
-- no part of sessions: to add columns there, SQLite reads all of a STRICT table.
CREATE TABLE facets (
    created_at BIGINT NOT NULL,
    session    TEXT COLLATE "C" NOT NULL,
    status     TEXT COLLATE "C" NOT NULL,
    coin       TEXT COLLATE "C", -- of the current attempt, upper case
    network    TEXT COLLATE "C", -- of the current attempt, lower case
    cents      BIGINT NOT NULL,
    version    BIGINT NOT NULL, -- of the session that this row was made from
    PRIMARY KEY (created_at, session)
);

-- A session gets into these with its first coin, not when it is made.
CREATE INDEX facets_coin ON facets (coin, created_at, session) WHERE coin IS NOT NULL;
CREATE INDEX facets_network ON facets (network, created_at, session) WHERE network IS NOT NULL;
CREATE INDEX facets_both ON facets (coin, network, created_at, session) WHERE coin IS NOT NULL;

-- What a session is found by that no index of another table has.
CREATE TABLE words (
    word       TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL, -- of the session
    session    TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (word, created_at, session)
);

-- Those that have failed at least once: most never get here.
CREATE INDEX IF NOT EXISTS deliveries_failed ON deliveries (state, event, endpoint) WHERE tries > 0 AND state <> 'delivered';

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

-- Host pages that were not allowed to show the checkout, 200 at most.
CREATE TABLE refused_origins (
    origin   TEXT COLLATE "C" PRIMARY KEY NOT NULL,
    session  TEXT COLLATE "C",          -- the last one
    sessions BIGINT NOT NULL, -- how many are in seen
    seen     TEXT COLLATE "C" NOT NULL, -- the last ones, one each, 8 at most, with spaces between
    times    BIGINT NOT NULL,
    first_at BIGINT NOT NULL,
    last_at  BIGINT NOT NULL
);

-- Logins of the console that somebody has signed out of, until they would have run out.
CREATE TABLE ended_logins (
    login TEXT COLLATE "C" PRIMARY KEY NOT NULL,
    until BIGINT NOT NULL
);

-- +goose Down
DROP TABLE ended_logins;
DROP TABLE refused_origins;
DROP TABLE actions;
DROP INDEX deliveries_failed;
DROP TABLE words;
DROP TABLE facets;
