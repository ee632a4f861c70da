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
}

//go:embed migrations
var migrations embed.FS

// sqliteDialect needs no row locks: a transaction begins as the only writer.
func sqliteDialect() dialect {
	return dialect{goose: goose.DialectSQLite3, migrations: "migrations/sqlite", violated: sqliteViolated}
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
