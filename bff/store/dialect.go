package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/pressly/goose/v3"
)

// dialect is what one kind of database does in its own way.
type dialect struct {
	goose      goose.Dialect
	migrations string // directory in the embedded files
	// locks is whether rows are locked when they are read to be written; without locks, a
	// transaction begins as the only writer.
	locks bool
	// Clock is the present time in microseconds, as an expression.
	Clock string
	// Queries for the log; see the constants below.
	Horizon, HeldBack               string
	EventsAfter, SessionEventsAfter string
	EventAt, LatestEvent            string
	// NotNewest is true of every event but those at the end of the log.
	NotNewest string
	// Pack moves session $1, which has become short, into a page with other short ones;
	// "" = the database does that itself.
	Pack string
	// Violated returns the "table.column" whose uniqueness err is about, or "".
	Violated func(err error) string
	// retryable reports whether the database has rolled back a transaction for a reason that
	// may be gone at the next try.
	retryable func(err error) bool
	// insertWriteCheck inserts a bucket whose name begins with write_check.
	insertWriteCheck string
	// cannotWrite reports whether err is of a disk that is full, broken or read-only.
	cannotWrite func(err error) bool
}

// The horizon of the log is the last position whose events are visible; it is read before them.
// On SQLite, events become visible in the order of writing. On PostgreSQL, transactions end in any
// order, and a reader that went by seq alone would miss those that end late: there, a position
// becomes visible when all transactions that write events of it, or before it, have ended.
//
// HeldBack is when the oldest event behind the horizon $1 was written; NULL = there is none.
const (
	sqliteHorizon    = `SELECT COALESCE(max(seq), 0) FROM events`
	sqliteHeldBack   = `SELECT min(at) FROM events WHERE seq > $1`
	postgresHorizon  = `SELECT log_horizon()`
	postgresHeldBack = `SELECT min(at) FROM events WHERE position > $1`
)

// The log after a position ($1, $2), at most $3 events, up to the horizon $4, and of session $5.
const (
	logColumns = ` seq, id, type, session, at, body, unreadable_at IS NOT NULL FROM events WHERE `

	sqliteEventsAfter = `SELECT 0,` + logColumns + `$1 >= 0 AND seq > $2 AND seq <= $4
		ORDER BY seq LIMIT $3`
	sqliteSessionEventsAfter = `SELECT 0,` + logColumns + `session = $5 AND $1 >= 0 AND seq > $2
		AND seq <= $4 ORDER BY seq LIMIT $3`
	postgresEventsAfter = `SELECT position,` + logColumns + `(position, seq) > ($1, $2)
		AND position <= $4 ORDER BY position, seq LIMIT $3`
	postgresSessionEventsAfter = `SELECT position,` + logColumns + `session = $5
		AND (position, seq) > ($1, $2) AND position <= $4 ORDER BY position, seq LIMIT $3`
)

// The event at a position ($1, $2), and the last one up to the horizon $1. SQLite has no
// positions besides seq: there $1 of the former is 0.
const (
	sqliteEventAt   = `SELECT id, at FROM events WHERE $1 = 0 AND seq = $2`
	postgresEventAt = `SELECT id, at FROM events WHERE position = $1 AND seq = $2`

	sqliteLatestEvent   = `SELECT 0,` + logColumns + `seq <= $1 ORDER BY seq DESC LIMIT 1`
	postgresLatestEvent = `SELECT position,` + logColumns + `position <= $1
		ORDER BY position DESC, seq DESC LIMIT 1`
)

//go:embed migrations
var migrations embed.FS

// Locked is a query with row locks, or without them where the database has none.
func (d dialect) Locked(query string) string {
	if d.locks {
		return query
	}
	return unlocked.Replace(query)
}

var unlocked = strings.NewReplacer(
	"FOR UPDATE OF d SKIP LOCKED", "", "FOR UPDATE SKIP LOCKED", "", "FOR UPDATE", "",
)

// Provider returns the migrations of the tables of db.
func (d dialect) Provider(db *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, d.migrations)
	if err != nil {
		return nil, fmt.Errorf("reading migrations: %w", err)
	}
	provider, err := goose.NewProvider(d.goose, db, files,
		goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	return provider, wrap(err, "reading migrations")
}

// Versions returns the version of the tables, 0 if there are none, and the
// newest that this release knows. It writes nothing.
func (d dialect) Versions(ctx context.Context, db *sql.DB) (have, know int64, err error) {
	provider, err := d.Provider(db)
	if err != nil {
		return 0, 0, err
	}
	sources := provider.ListSources()
	know = sources[len(sources)-1].Version
	err = db.QueryRowContext(ctx, `SELECT COALESCE(max(version_id), 0) FROM goose_db_version WHERE
		is_applied`).Scan(&have)
	if err != nil && d.isMissing(err) {
		return 0, know, nil
	}
	if err != nil {
		return 0, 0, fmt.Errorf("reading the version of the tables: %w", err)
	}
	return have, know, nil
}

func (d dialect) isMissing(err error) bool {
	return sqlState(err) == "42P01" || strings.Contains(err.Error(), "no such table")
}

func migrate(ctx context.Context, db *sql.DB, d dialect) error {
	have, know, err := d.Versions(ctx, db)
	if err != nil {
		return err
	}
	if have > know {
		return fmt.Errorf("its tables are of version %d, this release knows up to %d: "+
			"use the newer release that wrote them", have, know)
	}
	provider, err := d.Provider(db)
	if err != nil {
		return err
	}
	if have == know {
		return nil
	}
	_, err = provider.Up(ctx)
	return wrap(err, "migrating the tables")
}
