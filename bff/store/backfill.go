package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"time"

	"coinslot/bff/internal/background"
	"coinslot/bff/store/sqldb"
)

const (
	// sessionsToCheck goes from a session to older ones and says of each whether an older
	// release has written it; %s is how that is seen.
	sessionsToCheck = `SELECT s.created_at, s.id, %s FROM sessions s
		LEFT JOIN facets f ON f.created_at = s.created_at AND f.session = s.id
		WHERE (s.created_at, s.id) < ($1, $2) ORDER BY s.created_at DESC, s.id DESC LIMIT $3`
	// notIndexed is seen in indexes alone, outdated in the sessions themselves.
	notIndexed         = `f.session IS NULL`
	outdated           = `f.version IS DISTINCT FROM s.version`
	sessionsToBackfill = `SELECT ` + sessionColumns + ` FROM sessions WHERE id IN %s
		ORDER BY id FOR UPDATE`
)

const (
	// backfillScan is how many sessions one step reads, backfillSize how many one
	// transaction writes: shoppers wait for it.
	backfillScan, backfillSize = 5_000, 20
	backfillPause              = 10 * time.Millisecond
	// backfillAge is the greatest age of a session that an older release may still change.
	backfillAge = 125 * 24 * time.Hour
)

// backfillAfter are the pauses between the runs after the first one: where instances are
// replaced one by one, older ones write for a while yet.
func backfillAfter() []time.Duration { return []time.Duration{5 * time.Minute, time.Hour} }

// runBackfill backfills at the start and, where older instances may be running beside this
// one, again some time later.
func (db *DB) runBackfill(ctx context.Context) {
	db.backfill(ctx)
	close(db.backfilled)
	if db.Shared() {
		db.backfillAgain(ctx, backfillAfter())
	}
}

func (db *DB) backfillAgain(ctx context.Context, after []time.Duration) {
	for _, d := range after {
		if background.Sleep(ctx, d) {
			db.backfill(ctx)
		}
	}
}

// backfill writes the search index of the sessions that an older release has written or
// changed, the newest first, in small steps until all are done or ctx ends.
func (db *DB) backfill(ctx context.Context) {
	at, recent := cursor{createdAt: math.MaxInt64}, db.Now().Add(-backfillAge).UnixMicro()
	for ctx.Err() == nil {
		how := notIndexed
		if db.Shared() && at.createdAt > recent {
			how = outdated
		}
		old, next, err := db.findOutdated(ctx, how, at)
		if err == nil {
			err = db.backfillAll(ctx, old)
		}
		if err != nil && ctx.Err() == nil {
			db.Log.Warn("search index backfill failed; the next start continues it", "error", err)
			return
		}
		if next == at {
			return
		}
		at = next
		background.Sleep(ctx, backfillPause)
	}
}

// findOutdated returns which of the next sessions before at have to be backfilled, and the
// last one that was read; at itself if there is none. how is notIndexed or outdated.
func (db *DB) findOutdated(
	ctx context.Context, how string, at cursor,
) (ids []string, next cursor, err error) {
	type checked struct {
		cursor
		outdated bool
	}
	list, err := sqldb.List(ctx, db.DB, func(rows *sql.Rows) (c checked, err error) {
		err = rows.Scan(&c.createdAt, &c.id, &c.outdated)
		c.id = sqldb.FromKey(c.id)
		return c, err
	}, fmt.Sprintf(sessionsToCheck, how), at.createdAt, sqldb.Key(at.id), backfillScan)
	if err != nil {
		return nil, at, fmt.Errorf("finding outdated sessions: %w", err)
	}
	next = at
	for _, c := range list {
		if next = c.cursor; c.outdated {
			ids = append(ids, c.id)
		}
	}
	return ids, next, nil
}

func (db *DB) backfillAll(ctx context.Context, ids []string) error {
	for batch := range slices.Chunk(ids, backfillSize) {
		if err := db.Write(ctx, func(tx *sql.Tx) error {
			return db.backfillBatch(ctx, tx, batch)
		}); err != nil {
			return fmt.Errorf("backfilling the search index: %w", err)
		}
		if !background.Sleep(ctx, backfillPause) {
			break
		}
	}
	return ctx.Err()
}

func (db *DB) backfillBatch(ctx context.Context, tx *sql.Tx, ids []string) error {
	in, args := sqldb.InList(1, ids)
	query := db.Dialect.Locked(fmt.Sprintf(sessionsToBackfill, in))
	rows, err := sqldb.Collect(ctx, tx, scanRow, query, args...)
	if err != nil {
		return err
	}
	for _, r := range rows {
		s, err := r.session()
		if err != nil {
			continue // the first use sets it aside
		}
		if err := writeIndex(ctx, tx, &s, indexEntry{}); err != nil {
			return err
		}
	}
	return nil
}
