package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
)

// singleRow is a table that has one row once there is something to store: a document, and a version
// that grows with each change.
type singleRow struct {
	load, insert, update string
	conflict             error // another version is stored
}

func singleRowOf(table string, conflict error) singleRow {
	return singleRow{
		load: `SELECT version, doc FROM ` + table + ` WHERE id = 1`,
		insert: `INSERT INTO ` + table + ` (id, version, doc) VALUES (1, 1, $1)
			ON CONFLICT DO NOTHING`,
		update: `UPDATE ` + table + ` SET version = version + 1, doc = $1
			WHERE id = 1 AND version = $2`,
		conflict: conflict,
	}
}

// read decodes the document into value, which stays as it is if there is none. A document that
// cannot be decoded counts as none: decoded says why.
func (r singleRow) read(
	ctx context.Context, db *DB, value any,
) (version int64, decoded, err error) {
	var doc string
	err = db.View(ctx, func(ctx context.Context, q queryer) error {
		return q.QueryRowContext(ctx, r.load).Scan(&version, &doc)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil, nil
	}
	if err != nil {
		return 0, nil, err
	}
	return version, json.Unmarshal([]byte(doc), value), nil
}

// write stores value in place of a version; zero = there is none. Errors: r.conflict; the
// database's.
func (r singleRow) write(ctx context.Context, db *DB, value any, version int64) error {
	doc, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return db.Write(ctx, func(tx *sql.Tx) error {
		query, args := r.update, []any{string(doc), version}
		if version == 0 {
			query, args = r.insert, args[:1]
		}
		stored, err := affected(ctx, tx, query, args...)
		if err == nil && stored == 0 {
			err = r.conflict
		}
		return err
	})
}
