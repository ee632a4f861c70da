package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"coinslot/bff/checkout"
)

// mostOrigins is how many refused origins are kept. The table is small enough to
// be read whole.
const mostOrigins = 200

const (
	refuseOrigin = `INSERT INTO refused_origins (origin, session, times, first_at, last_at) VALUES ($1, $2, $3, $4, $4)
		ON CONFLICT (origin) DO UPDATE SET session = COALESCE(excluded.session, refused_origins.session),
		times = refused_origins.times + excluded.times, last_at = excluded.last_at`
	forgetOrigins = `DELETE FROM refused_origins WHERE origin <> $1 AND origin NOT IN
		(SELECT origin FROM refused_origins WHERE origin <> $1 ORDER BY times DESC, last_at DESC LIMIT $2)`
	refusedOrigins = `SELECT origin, session, times, first_at, last_at FROM refused_origins ORDER BY last_at DESC, origin`
)

// RefuseOrigin implements checkout.Records.
func (db *DB) RefuseOrigin(ctx context.Context, origin, session string, times int) error {
	err := db.write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, refuseOrigin, key(origin), text(session), times, db.Now().UnixMicro()); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, forgetOrigins, key(origin), mostOrigins-1)
		return err
	})
	if err != nil {
		return fmt.Errorf("noting a refused origin: %w", err)
	}
	return nil
}

// RefusedOrigins implements checkout.Records.
func (db *DB) RefusedOrigins(ctx context.Context) ([]checkout.RefusedOrigin, error) {
	var list []checkout.RefusedOrigin
	err := db.view(ctx, func(ctx context.Context, q queryer) error {
		list = nil
		rows, err := q.QueryContext(ctx, refusedOrigins)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var o checkout.RefusedOrigin
			var session sql.NullString
			var first, last int64
			if err := rows.Scan(&o.Origin, &session, &o.Times, &first, &last); err != nil {
				return err
			}
			o.Origin, o.Session = plain(o.Origin), plain(session.String)
			o.FirstAt, o.LastAt = time.UnixMicro(first).UTC(), time.UnixMicro(last).UTC()
			list = append(list, o)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("reading refused origins: %w", err)
	}
	return list, nil
}
