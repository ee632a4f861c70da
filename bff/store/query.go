package store

import (
	"context"
	"database/sql"
	"fmt"
)

// wrap returns nil for a nil err, else err after what was attempted: format and args are
// as for fmt.Errorf.
func wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(format+": %w", append(args, err)...)
}

// collect returns what scan reads from each row that query finds; nil if it finds none.
func collect[T any](
	ctx context.Context, q queryer, scan func(*sql.Rows) (T, error), query string, args ...any,
) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}

	defer rows.Close()
	var list []T
	for rows.Next() {
		item, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}

	return list, rows.Err()
}

// listRows is Collect in a [DB.View] of its own.
func listRows[T any](
	ctx context.Context, db *DB, scan func(*sql.Rows) (T, error), query string, args ...any,
) (list []T, err error) {
	err = db.View(ctx, func(ctx context.Context, q queryer) (err error) {
		list, err = collect(ctx, q, scan, query, args...)
		return err
	})
	return list, err
}

// readOne is the one column of the row that query finds, in a [DB.View] of its own.
func readOne[T any](ctx context.Context, db *DB, query string, args ...any) (value T, err error) {
	err = db.View(ctx, func(ctx context.Context, q queryer) error {
		return q.QueryRowContext(ctx, query, args...).Scan(&value)
	})
	return value, err
}

// scanKey reads a row of one column, which keeps a key, see keyOf.
func scanKey(rows *sql.Rows) (key string, err error) {
	err = rows.Scan(&key)
	return fromKey(key), err
}

// affected runs a statement and returns how many rows it has changed.
func affected(ctx context.Context, tx *sql.Tx, query string, args ...any) (int, error) {
	result, err := tx.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	return int(n), err
}

// Execute runs one statement in a transaction of its own.
func (db *DB) Execute(ctx context.Context, query string, args ...any) error {
	return db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, query, args...)
		return err
	})
}

// queryer is a connection or a transaction.
type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}
