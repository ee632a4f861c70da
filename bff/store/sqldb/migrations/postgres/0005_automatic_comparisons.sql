-- Comparisons that the server makes by itself have a row each: 1 is the one that
-- somebody has asked for last, 2 the daily one, 3 the hourly one.

-- +goose Up
ALTER TABLE comparisons DROP CONSTRAINT comparisons_one_check;
ALTER TABLE comparisons ADD COLUMN next_at BIGINT; -- none is begun before; NULL = at any time

-- +goose Down
DELETE FROM comparisons WHERE one <> 1;
ALTER TABLE comparisons DROP COLUMN next_at;
ALTER TABLE comparisons ADD CONSTRAINT comparisons_one_check CHECK (one = 1);
