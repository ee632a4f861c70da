package store

import (
	"context"
	"database/sql"
	"time"

	"coinslot/bff/store/sqldb"
)

// The table holds the logins that were ended in the last hours: it is small enough
// to be read whole.
const (
	forgetLogins = `DELETE FROM ended_logins WHERE until <= $1`
	endLogin     = `INSERT INTO ended_logins (login, until) VALUES ($1, $2)
		ON CONFLICT (login) DO NOTHING`
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
	return sqldb.Wrap(err, "ending a login")
}

// LoginEnded implements records.Records.
func (db *DB) LoginEnded(ctx context.Context, login string) (ended bool, err error) {
	err = db.View(ctx, func(ctx context.Context, q sqldb.Queryer) error {
		return q.QueryRowContext(ctx, loginEnded, sqldb.Key(login)).Scan(&ended)
	})
	return ended, sqldb.Wrap(err, "reading whether a login has ended")
}
