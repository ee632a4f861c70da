-- The comparison of gateway and database that somebody has asked for last, whichever
-- instance it runs at: one row, or none.

-- +goose Up
CREATE TABLE comparisons (
    one         BIGINT PRIMARY KEY CHECK (one = 1),
    epoch       BIGINT NOT NULL,           -- counts those that were begun
    lease_until BIGINT,                    -- NULL = none is under way
    run         TEXT COLLATE "C" NOT NULL, -- checkout.Comparing as JSON
    report      TEXT COLLATE "C"           -- checkout.Report as JSON, of the last one that came to its end
);

-- +goose Down
DROP TABLE comparisons;
