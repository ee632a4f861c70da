-- What people look at. None of it decides about a payment.

-- +goose Up

-- Made from doc, as the others: NULL until a session that an older release wrote
-- is written again; see mend.go.
ALTER TABLE sessions ADD COLUMN coin TEXT COLLATE "C";    -- of the current attempt, upper case
ALTER TABLE sessions ADD COLUMN network TEXT COLLATE "C"; -- of the current attempt, lower case
ALTER TABLE sessions ADD COLUMN cents BIGINT;    -- of the order's amount

-- Holds all that is filtered and counted, so that the long rows need not be read.
DROP INDEX sessions_created_at;
CREATE INDEX sessions_created_at ON sessions (created_at, id, status, coin, network, cents);

-- What a session is found by that no index of another table has.
CREATE TABLE words (
    word       TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL, -- of the session
    session    TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (word, created_at, session)
);

-- Those that have failed at least once: most never get here.
CREATE INDEX deliveries_failed ON deliveries (state, event, endpoint) WHERE tries > 0 AND state <> 'delivered';

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
    session  TEXT COLLATE "C",
    times    BIGINT NOT NULL,
    first_at BIGINT NOT NULL,
    last_at  BIGINT NOT NULL
);

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
