package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"coinslot/bff/records"
	"coinslot/bff/store/sqldb"
)

const (
	// maxOrigins is how many refused origins are kept, recentOrigins how many of them only
	// because they are recent. The table is small enough to be read whole.
	maxOrigins, recentOrigins = 200, 100
	// maxSeen is how many sessions of an origin are counted.
	maxSeen = 8
)

const (
	selectSeen   = `SELECT seen FROM refused_origins WHERE origin = $1 FOR UPDATE`
	refuseOrigin = `INSERT INTO refused_origins
		(origin, session, sessions, seen, times, first_at, last_at)
		VALUES ($1, $2, $3, $4, $5, $6, $6)
		ON CONFLICT (origin) DO UPDATE SET
		session = COALESCE(excluded.session, refused_origins.session),
		sessions = excluded.sessions, seen = excluded.seen,
		times = refused_origins.times + excluded.times, last_at = excluded.last_at`
	forgetOrigins = `DELETE FROM refused_origins WHERE origin IN (SELECT origin FROM
		(SELECT origin, sessions, times, last_at, row_number() OVER (ORDER BY last_at DESC, origin)
		AS place FROM refused_origins WHERE origin <> $1) o
		ORDER BY place <= $2 DESC, sessions DESC, times DESC, last_at DESC, origin LIMIT 1000
		OFFSET $3)`
	refusedOrigins = `SELECT origin, session, sessions, times, first_at, last_at FROM
		refused_origins ORDER BY last_at DESC, origin`
)

// RefuseOrigin implements records.Records.
func (db *DB) RefuseOrigin(ctx context.Context, origin, session string, times int) error {
	err := db.Write(ctx, func(tx *sql.Tx) error {
		var before string
		err := tx.QueryRowContext(
			ctx, db.Dialect.Locked(selectSeen), sqldb.Key(origin),
		).Scan(&before)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		seen := appendSeen(strings.Fields(before), session)
		if _, err = tx.ExecContext(
			ctx, refuseOrigin, sqldb.Key(origin), sqldb.Text(session), len(seen),
			strings.Join(seen, " "), times, db.Now().UnixMicro(),
		); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, forgetOrigins, sqldb.Key(origin), recentOrigins, maxOrigins-1)
		return err
	})
	return sqldb.Wrap(err, "recording a refused origin")
}

// appendSeen adds a session, unless it is "" or there, and keeps the last maxSeen.
func appendSeen(seen []string, session string) []string {
	if session == "" || slices.Contains(seen, sqldb.Key(session)) {
		return seen
	}
	seen = append(seen, sqldb.Key(session))
	return seen[max(0, len(seen)-maxSeen):]
}

// RefusedOrigins implements records.Records.
func (db *DB) RefusedOrigins(ctx context.Context) ([]records.RefusedOrigin, error) {
	list, err := sqldb.List(ctx, db.DB, scanOrigin, refusedOrigins)
	return list, sqldb.Wrap(err, "reading refused origins")
}

func scanOrigin(rows *sql.Rows) (o records.RefusedOrigin, err error) {
	var session sql.NullString
	var first, last int64
	err = rows.Scan(&o.Origin, &session, &o.Sessions, &o.Times, &first, &last)
	o.Origin, o.Session = sqldb.FromKey(o.Origin), sqldb.FromKey(session.String)
	o.FirstAt, o.LastAt = time.UnixMicro(first).UTC(), time.UnixMicro(last).UTC()
	return o, err
}
