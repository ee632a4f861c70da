package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"time"

	"coinslot/bff/store/sqldb"
)

const (
	// sessionsToCheck goes from a session to older ones and says of each whether an older
	// release has written it; %s is how that is seen.
	sessionsToCheck = `SELECT s.created_at, s.id, %s FROM sessions s LEFT JOIN facets f ON
		f.created_at =
		s.created_at AND f.session = s.id
		WHERE (s.created_at, s.id) < ($1, $2) ORDER BY s.created_at DESC, s.id DESC LIMIT $3`
	// notIndexed is seen in indexes alone, outdated in the sessions themselves.
	notIndexed         = `f.session IS NULL`
	outdated           = `f.version IS DISTINCT FROM s.version`
	sessionsToBackfill = `SELECT ` + sessionColumns + ` FROM sessions WHERE id IN %s ORDER BY id
		FOR UPDATE`
)

const (
	// backfillScan is how many sessions are looked at in one step, backfillSize how many are
	// backfilled in one transaction: shoppers wait for it.
	backfillScan, backfillSize = 5_000, 20
	backfillPause              = 10 * time.Millisecond
	// backfillAge is how old a session is at most of which it is seen that an older
	// release has changed it: none that is older is still under way.
	backfillAge = 125 * 24 * time.Hour
)

// backfillAfter is how long after the start backfill runs again, each time after the last:
// where instances are replaced one by one, older ones write for a while yet.
func backfillAfter() []time.Duration { return []time.Duration{5 * time.Minute, time.Hour} }

// runBackfill backfills at the start, and where older instances may be running beside this
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
		if sqldb.Doze(ctx, d); ctx.Err() == nil {
			db.backfill(ctx)
		}
	}
}

// backfill makes the sessions searchable that an older release has written or changed,
// the newest first, in small steps until all are done or ctx ends. What it has not
// come to is found by less until then.
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
			db.Log.Warn("not all old sessions are searchable; the next start goes on", "error", err)
			return
		}
		if next == at {
			return
		}
		at = next
		sqldb.Doze(ctx, backfillPause)
	}
}

// findOutdated returns which of the next sessions before at have to be backfilled, and the
// last that was looked at; at itself if there is none. how is missed or outdated.
func (db *DB) findOutdated(
	ctx context.Context, how string, at cursor,
) (ids []string, next cursor, err error) {
	err = db.View(ctx, func(ctx context.Context, q sqldb.Queryer) error {
		ids, next = nil, at
		rows, err := q.QueryContext(
			ctx, fmt.Sprintf(sessionsToCheck, how), at.createdAt, sqldb.Key(at.id), backfillScan,
		)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var lacks bool
			if err := rows.Scan(&next.createdAt, &next.id, &lacks); err != nil {
				return err
			}
			next.id = sqldb.FromKey(next.id)
			if lacks {
				ids = append(ids, next.id)
			}
		}
		return rows.Err()
	})
	if err != nil {
		return nil, at, fmt.Errorf("looking for old sessions: %w", err)
	}
	return ids, next, nil
}

// backfillAll backfills the sessions, a few at a time.
func (db *DB) backfillAll(ctx context.Context, ids []string) error {
	for len(ids) > 0 && ctx.Err() == nil {
		batch := ids[:min(backfillSize, len(ids))]
		ids = ids[len(batch):]
		if err := db.Write(ctx, func(tx *sql.Tx) error {
			return db.backfillBatch(ctx, tx, batch)
		}); err != nil {
			return fmt.Errorf("backfilling old sessions: %w", err)
		}
		sqldb.Doze(ctx, backfillPause)
	}
	return ctx.Err()
}

func (db *DB) backfillBatch(ctx context.Context, tx *sql.Tx, ids []string) error {
	in, args := sqldb.InList(1, ids)
	list, err := querySessions(
		ctx, tx, db.Dialect.Locked(fmt.Sprintf(sessionsToBackfill, in)), args...,
	)
	if err != nil {
		return err
	}
	for i := range list {
		if err := writeIndex(ctx, tx, &list[i], indexEntry{}); err != nil {
			return err
		}
	}
	return nil
}
