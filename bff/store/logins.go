package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"coinslot/bff/store/sqldb"
)

// The table holds the logins that were ended in the last hours: it is small enough
// to be read whole.
const (
	forgetLogins = `DELETE FROM ended_logins WHERE until <= $1`
	endLogin     = `INSERT INTO ended_logins (login, until) VALUES ($1, $2) ON CONFLICT (login) DO
		NOTHING`
	loginEnded = `SELECT EXISTS (SELECT 1 FROM ended_logins WHERE login = $1)`
)

// EndLogin implements records.Records.
func (db *DB) EndLogin(ctx context.Context, login string, until time.Time) error {
	err := db.Write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, forgetLogins, db.Now().UnixMicro()); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, endLogin, sqldb.Key(login), until.UnixMicro())
		return err
	})
	if err != nil {
		return fmt.Errorf("ending a login: %w", err)
	}
	return nil
}

// LoginEnded implements records.Records.
func (db *DB) LoginEnded(ctx context.Context, login string) (ended bool, err error) {
	err = db.View(ctx, func(ctx context.Context, q sqldb.Queryer) error {
		rows, err := q.QueryContext(ctx, loginEnded, sqldb.Key(login))
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if err := rows.Scan(&ended); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	if err != nil {
		return false, fmt.Errorf("looking for an ended login: %w", err)
	}
	return ended, nil
}
