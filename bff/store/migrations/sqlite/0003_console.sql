-- What people look at. None of it decides about a payment.

-- +goose Up

-- Made from doc, as the others: NULL until a session that an older release wrote
-- is written again; see mend.go.
ALTER TABLE sessions ADD COLUMN coin TEXT;    -- of the current attempt, upper case
ALTER TABLE sessions ADD COLUMN network TEXT; -- of the current attempt, lower case
ALTER TABLE sessions ADD COLUMN cents INTEGER;    -- of the order's amount

-- Holds all that is filtered and counted, so that the long rows need not be read.
DROP INDEX sessions_created_at;
CREATE INDEX sessions_created_at ON sessions (created_at, id, status, coin, network, cents);

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
    session  TEXT,
    times    INTEGER NOT NULL,
    first_at INTEGER NOT NULL,
    last_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE refused_origins;
DROP TABLE actions;
DROP INDEX deliveries_failed;
DROP TABLE words;
DROP INDEX sessions_created_at;
CREATE INDEX sessions_created_at ON sessions (created_at, id);
ALTER TABLE sessions DROP COLUMN cents;
ALTER TABLE sessions DROP COLUMN network;
ALTER TABLE sessions DROP COLUMN coin;
