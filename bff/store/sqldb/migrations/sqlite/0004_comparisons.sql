-- The comparison of gateway and database that somebody has asked for last, whichever
-- instance it runs at: one row, or none.

-- +goose Up
CREATE TABLE comparisons (
    one         INTEGER PRIMARY KEY NOT NULL CHECK (one = 1),
    epoch       INTEGER NOT NULL, -- counts those that were begun
    lease_until INTEGER,          -- NULL = none is under way
    run         TEXT NOT NULL,    -- checkout.Comparing as JSON
    report      TEXT              -- checkout.Report as JSON, of the last one that came to its end
) STRICT;

-- +goose Down
DROP TABLE comparisons;
