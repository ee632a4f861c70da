-- Comparisons that the server makes by itself have a row each: 1 is the one that
-- somebody has asked for last, 2 the daily one, 3 the hourly one. SQLite cannot drop
-- a check, so the table, which has one row, is written anew.

-- +goose Up
CREATE TABLE all_comparisons (
    one         INTEGER PRIMARY KEY NOT NULL,
    epoch       INTEGER NOT NULL, -- counts those that were begun
    lease_until INTEGER,          -- NULL = none is under way
    next_at     INTEGER,          -- none is begun before; NULL = at any time
    run         TEXT NOT NULL,    -- checkout.Comparing as JSON
    report      TEXT              -- checkout.Report as JSON, of the last one that came to its end
) STRICT;
INSERT INTO all_comparisons (one, epoch, lease_until, run, report)
    SELECT one, epoch, lease_until, run, report FROM comparisons;
DROP TABLE comparisons;
ALTER TABLE all_comparisons RENAME TO comparisons;

-- +goose Down
CREATE TABLE one_comparison (
    one         INTEGER PRIMARY KEY NOT NULL CHECK (one = 1),
    epoch       INTEGER NOT NULL,
    lease_until INTEGER,
    run         TEXT NOT NULL,
    report      TEXT
) STRICT;
INSERT INTO one_comparison (one, epoch, lease_until, run, report)
    SELECT one, epoch, lease_until, run, report FROM comparisons WHERE one = 1;
DROP TABLE comparisons;
ALTER TABLE one_comparison RENAME TO comparisons;
