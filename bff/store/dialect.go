package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// dialect is what one kind of database does in its own way.
type dialect struct {
	goose      goose.Dialect
	migrations string // directory in the embedded files
	// violated returns the "table.column" whose uniqueness err is about, or "".
	violated func(err error) string
	// ambiguous reports whether a commit that failed with err may appear after a
	// restart although it cannot be read now.
	ambiguous func(err error) bool
	// supersede writes something, so that no earlier commit that is ambiguous
	// can appear any more once it is committed.
	supersede func(ctx context.Context, tx *sql.Tx) error
}

//go:embed migrations
var migrations embed.FS

// sqliteDialect needs no row locks: a transaction begins as the only writer.
func sqliteDialect() dialect {
	return dialect{
		goose: goose.DialectSQLite3, migrations: "migrations/sqlite",
		violated: sqliteViolated, ambiguous: sqliteAmbiguous, supersede: sqliteSupersede,
	}
}

// sqliteViolated reads the text of SQLite's own error, its only place:
// "… UNIQUE constraint failed: attempts.tx_id (2067)".
func sqliteViolated(err error) string {
	var failed *sqlite.Error
	if !errors.As(err, &failed) {
		return ""
	}
	switch failed.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
	default:
		return ""
	}
	_, column, _ := strings.Cut(failed.Error(), "UNIQUE constraint failed: ")
	column, _, _ = strings.Cut(column, " ")
	return column
}

// sqliteAmbiguous: a commit is complete in the write-ahead log before it is
// synced. If the sync fails, SQLite takes it back in memory only, and the next
// start finds it in the log. If the disk is full, it is not complete there.
func sqliteAmbiguous(err error) bool {
	var failed *sqlite.Error
	if !errors.As(err, &failed) {
		return true
	}
	return failed.Code() != sqlite3.SQLITE_FULL && failed.Code() != sqlite3.SQLITE_IOERR_WRITE
}

// sqliteSupersede changes a number that means nothing to us: what is written
// takes the place of a failed commit in the log and breaks its checksums.
func sqliteSupersede(ctx context.Context, tx *sql.Tx) error {
	var n int32
	if err := tx.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&n); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, (n+1)&0xffff))
	return err
}

// migrate brings the tables of db up to what this release knows.
func migrate(ctx context.Context, db *sql.DB, d dialect) error {
	files, err := fs.Sub(migrations, d.migrations)
	if err != nil {
		return fmt.Errorf("reading migrations: %w", err)
	}
	provider, err := goose.NewProvider(d.goose, db, files,
		goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return fmt.Errorf("reading migrations: %w", err)
	}
	have, know, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("reading the version of the tables: %w", err)
	}
	if have > know {
		return fmt.Errorf("its tables are of version %d, this release knows up to %d: use the newer release that wrote them", have, know)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrating the tables: %w", err)
	}
	return nil
}
