-- What people look at. None of it decides about a payment.

-- +goose Up

-- What is filtered and counted of a session, in short rows, made from doc and
-- written with it; see mend.go for sessions that are older than this table. It is
-- no part of sessions: to add columns there, SQLite reads all of a STRICT table.
CREATE TABLE facets (
    created_at INTEGER NOT NULL,
    session    TEXT NOT NULL,
    status     TEXT NOT NULL,
    coin       TEXT, -- of the current attempt, upper case
    network    TEXT, -- of the current attempt, lower case
    cents      INTEGER NOT NULL,
    version    INTEGER NOT NULL, -- of the session that this row was made from
    PRIMARY KEY (created_at, session)
) STRICT, WITHOUT ROWID;

-- A session gets into these with its first coin, not when it is made.
CREATE INDEX facets_coin ON facets (coin, created_at, session) WHERE coin IS NOT NULL;
CREATE INDEX facets_network ON facets (network, created_at, session) WHERE network IS NOT NULL;
CREATE INDEX facets_both ON facets (coin, network, created_at, session) WHERE coin IS NOT NULL;

-- What a session is found by that no index of another table has.
CREATE TABLE words (
    word       TEXT NOT NULL,
    created_at INTEGER NOT NULL, -- of the session
    session    TEXT NOT NULL,
    PRIMARY KEY (word, created_at, session)
) STRICT, WITHOUT ROWID;

-- Those that have failed at least once: most never get here.
CREATE INDEX deliveries_failed ON deliveries (state, event, endpoint) WHERE tries > 0 AND state <> 'delivered';

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

-- Host pages that were not allowed to show the checkout, 200 at most.
CREATE TABLE refused_origins (
    origin   TEXT PRIMARY KEY NOT NULL,
    session  TEXT,          -- the last one
    sessions INTEGER NOT NULL, -- how many are in seen
    seen     TEXT NOT NULL, -- the last ones, one each, 8 at most, with spaces between
    times    INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    last_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Logins of the console that somebody has signed out of, until they would have run out.
CREATE TABLE ended_logins (
    login TEXT PRIMARY KEY NOT NULL,
    until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE ended_logins;
DROP TABLE refused_origins;
DROP TABLE actions;
DROP INDEX deliveries_failed;
DROP TABLE words;
DROP TABLE facets;
