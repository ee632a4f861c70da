package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
)

// Revision tells whether a session was changed or checked since it was read.
type Revision struct {
	Version   int64
	CheckedAt int64 // microseconds; 0 = never
}

// Revisions returns the revisions of those of the sessions that exist. Errors: the database's.
func (db *DB) Revisions(ctx context.Context, ids []string) (map[string]Revision, error) {
	type revised struct {
		id string
		Revision
	}
	found := make(map[string]Revision, len(ids))
	for batch := range slices.Chunk(ids, batchSize) {
		in, args := inList(1, batch)
		list, err := listRows(ctx, db, func(rows *sql.Rows) (r revised, err error) {
			err = rows.Scan(&r.id, &r.Version, &r.CheckedAt)
			return r, err
		}, `SELECT id, version, COALESCE(checked_at, 0) FROM sessions WHERE id IN `+in, args...)
		if err != nil {
			return nil, fmt.Errorf("reading revisions: %w", err)
		}
		for _, r := range list {
			found[r.id] = r.Revision
		}
	}

	return found, nil
}
