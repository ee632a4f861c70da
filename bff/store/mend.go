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
	// lacking goes from a session to older ones and says of each whether an older
	// release has written it; %s is how that is seen.
	lacking = `SELECT s.created_at, s.id, %s FROM sessions s LEFT JOIN facets f ON f.created_at =
		s.created_at AND f.session = s.id
		WHERE (s.created_at, s.id) < ($1, $2) ORDER BY s.created_at DESC, s.id DESC LIMIT $3`
	// missed is seen in indexes alone, outdated in the sessions themselves.
	missed    = `f.session IS NULL`
	outdated  = `f.version IS DISTINCT FROM s.version`
	mendThese = `SELECT ` + sessionColumns + ` FROM sessions WHERE id IN %s ORDER BY id FOR UPDATE`
)

const (
	// mendLook is how many sessions are looked at in one step, mendBatch how many are
	// mended in one transaction: shoppers wait for it.
	mendLook, mendBatch = 5_000, 20
	mendPause           = 10 * time.Millisecond
	// mendAge is how old a session is at most of which it is seen that an older
	// release has changed it: none that is older is still under way.
	mendAge = 125 * 24 * time.Hour
)

// mendAfter is how long after the start mend runs again, each time after the last:
// where instances are replaced one by one, older ones write for a while yet.
func mendAfter() []time.Duration { return []time.Duration{5 * time.Minute, time.Hour} }

// mending mends at the start, and where older instances may be running beside this
// one, again some time later.
func (db *DB) mending(ctx context.Context) {
	db.mend(ctx)
	close(db.mended)
	if db.Shared() {
		db.mendAgain(ctx, mendAfter())
	}
}

func (db *DB) mendAgain(ctx context.Context, after []time.Duration) {
	for _, d := range after {
		if sqldb.Doze(ctx, d); ctx.Err() == nil {
			db.mend(ctx)
		}
	}
}

// mend makes the sessions searchable that an older release has written or changed,
// the newest first, in small steps until all are done or ctx ends. What it has not
// come to is found by less until then.
func (db *DB) mend(ctx context.Context) {
	at, recent := cursor{createdAt: math.MaxInt64}, db.Now().Add(-mendAge).UnixMicro()
	for ctx.Err() == nil {
		how := missed
		if db.Shared() && at.createdAt > recent {
			how = outdated
		}
		old, next, err := db.lacking(ctx, how, at)
		if err == nil {
			err = db.mendAll(ctx, old)
		}
		if err != nil && ctx.Err() == nil {
			db.Log.Warn("not all old sessions are searchable; the next start goes on", "error", err)
			return
		}
		if next == at {
			return
		}
		at = next
		sqldb.Doze(ctx, mendPause)
	}
}

// lacking returns which of the next sessions before at have to be mended, and the
// last that was looked at; at itself if there is none. how is missed or outdated.
func (db *DB) lacking(
	ctx context.Context, how string, at cursor,
) (ids []string, next cursor, err error) {
	err = db.View(ctx, func(ctx context.Context, q sqldb.Queryer) error {
		ids, next = nil, at
		rows, err := q.QueryContext(
			ctx, fmt.Sprintf(lacking, how), at.createdAt, sqldb.Key(at.id), mendLook,
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
			next.id = sqldb.Plain(next.id)
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

// mendAll mends the sessions, a few at a time.
func (db *DB) mendAll(ctx context.Context, ids []string) error {
	for len(ids) > 0 && ctx.Err() == nil {
		batch := ids[:min(mendBatch, len(ids))]
		ids = ids[len(batch):]
		if err := db.Write(ctx, func(
			tx *sql.Tx,
		) error {
			return db.mendSome(ctx, tx, batch)
		}); err != nil {
			return fmt.Errorf("mending old sessions: %w", err)
		}
		sqldb.Doze(ctx, mendPause)
	}
	return ctx.Err()
}

func (db *DB) mendSome(ctx context.Context, tx *sql.Tx, ids []string) error {
	in, args := sqldb.Among(1, ids)
	list, err := querySessions(ctx, tx, db.Dialect.Locked(fmt.Sprintf(mendThese, in)), args...)
	if err != nil {
		return err
	}
	for i := range list {
		if err := show(ctx, tx, &list[i], shown{}); err != nil {
			return err
		}
	}
	return nil
}
