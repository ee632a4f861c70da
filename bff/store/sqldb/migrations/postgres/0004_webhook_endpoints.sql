-- Which webhook URLs running instances have configured. An instance renews its own
-- every half minute, so that another one, started with other URLs, can tell a URL that
-- was replaced from one that an older instance still serves. SQLite needs no such
-- table: one process uses the file.

-- +goose Up
CREATE TABLE webhook_endpoints (
    endpoint TEXT COLLATE "C" PRIMARY KEY,
    seen_at  BIGINT NOT NULL -- when an instance last renewed it, or it was first met
);

-- +goose Down
DROP TABLE webhook_endpoints;
