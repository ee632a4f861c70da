package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// applicationID marks a file as ours ("COSL"), where SQLite keeps such a mark.
const applicationID = 0x434F534C

const readers = 4

// sqlitePath returns the file that dsn names. Its errors do not repeat dsn,
// which may hold a password.
func sqlitePath(dsn string) (string, error) {
	scheme, _, isURL := strings.Cut(dsn, "://")
	switch {
	case dsn == "":
		return "", errors.New("COINSLOT_DATABASE: empty; give the path of an SQLite file or a " +
			"postgres:// address")
	case namesPostgres(dsn):
		return "", fmt.Errorf("COINSLOT_DATABASE: %w", errAddress)
	case isURL && !strings.ContainsAny(scheme, "/@"):
		return "", fmt.Errorf("COINSLOT_DATABASE: %q addresses are not supported; give the path "+
			"of an SQLite file or a postgres:// address", scheme+"://")
	case dsn == ":memory:" || strings.HasPrefix(dsn, "file:"):
		return "", errors.New("COINSLOT_DATABASE: give the plain path of an SQLite file")
	}

	return dsn, nil
}

// openSQLite locks and opens the file at path. What is open when it fails is left to Close.
func (db *DB) openSQLite(ctx context.Context, path string) (err error) {
	path, err = createFile(path)
	if err != nil {
		return err
	}

	db.path = path
	db.unlock, err = lock(path + ".lock")
	if err != nil {
		return err
	}

	marked, err := checkFile(ctx, path)
	if err != nil {
		return err
	}

	db.Writer, err = openPool(path, writerSettings(), 1)
	if err != nil {
		return err
	}
	if err := checkDurable(ctx, db.Writer); err != nil {
		return err
	}
	if err := db.prepare(ctx, marked); err != nil {
		return err
	}
	if err := checkDurable(ctx, db.Writer); err != nil {
		return err
	}
	if err := releaseLeases(ctx, db.Writer); err != nil {
		return err
	}

	db.Reader, err = openPool(path, readerSettings(), readers)
	if err != nil {
		return err
	}

	return db.Ping(ctx)
}

// prepare marks the file and migrates its tables. It syncs to disk with the first commit
// after it, not after each step: a power cut before that leaves older tables, or none, but
// complete ones, and the next start continues.
func (db *DB) prepare(ctx context.Context, marked bool) error {
	if _, err := db.Writer.ExecContext(ctx, `PRAGMA synchronous = NORMAL`); err != nil {
		return fmt.Errorf("preparing the file: %w", err)
	}
	if !marked {
		if _, err := db.Writer.ExecContext(
			ctx, fmt.Sprintf(`PRAGMA application_id = %d`, applicationID),
		); err != nil {
			return fmt.Errorf("marking the file: %w", err)
		}
	}
	if err := migrate(ctx, db.Writer, db.dialect); err != nil {
		return err
	}

	_, err := db.Writer.ExecContext(ctx, `PRAGMA synchronous = FULL`)
	return wrap(err, "preparing the file")
}

// endLeases are the statements that end what a process that is gone had claimed.
var endLeases = []string{
	`UPDATE sessions SET lease_until = NULL WHERE lease_until IS NOT NULL`,
	`UPDATE deliveries SET lease_until = NULL WHERE lease_until IS NOT NULL`,
	`UPDATE list_runs SET lease_until = NULL WHERE kind IN (1, 2, 3, 4)`,
}

// releaseLeases ends the leases of an earlier process: this one is alone.
func releaseLeases(ctx context.Context, writer *sql.DB) error {
	for _, query := range endLeases {
		if _, err := writer.ExecContext(ctx, query); err != nil {
			return fmt.Errorf("ending leases: %w", err)
		}
	}
	return nil
}

// createFile makes the file at path if it is not there and returns its absolute
// path without symbolic links, so that one file has one lock.
func createFile(path string) (string, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err // names the path
	}
	// To be closed before SQLite opens it: closing drops the locks that this
	// process has on the file.
	if err := file.Close(); err != nil {
		return "", err
	}

	path, err = filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}

	return filepath.Abs(path)
}

// checkFile refuses a file of another program before anything is changed in it.
// marked reports whether it has our mark already.
func checkFile(ctx context.Context, path string) (marked bool, err error) {
	pool, err := openPool(path,
		url.Values{"_busy_timeout": {"5000"}, "_query_only": {"1"}, "_defensive": {"1"}}, 1)
	if err != nil {
		return false, err
	}
	defer pool.Close()
	return checkMark(ctx, pool)
}

// checkMark is checkFile for a file that is open.
func checkMark(ctx context.Context, pool *sql.DB) (marked bool, err error) {
	var id, objects int
	err = pool.QueryRowContext(ctx,
		`SELECT application_id, (SELECT count(*) FROM sqlite_schema) FROM pragma_application_id`).
		Scan(&id, &objects)
	var failed *sqlite.Error
	switch {
	case errors.As(err, &failed) && failed.Code()&0xff == sqlite3.SQLITE_NOTADB:
		return false, errors.New("the file is not an SQLite database")
	case err != nil:
		return false, fmt.Errorf("inspecting the file: %w", err)
	case id != applicationID && (id != 0 || objects != 0):
		return false, errors.New("the file is an SQLite database of another program")
	}

	return id == applicationID, nil
}

// writerSettings are those of the connection that writes: every commit is
// synced to disk before it is acknowledged, and a transaction takes the write
// lock at its beginning, where waiting for it is possible.
func writerSettings() url.Values {
	return url.Values{
		"_busy_timeout": {"5000"}, // milliseconds
		"_journal_mode": {"WAL"},
		"_synchronous":  {"FULL"},
		"_foreign_keys": {"1"},
		"_txlock":       {"immediate"},
		"_defensive":    {"1"},
		"_dqs":          {"0"},
		"_pragma":       {"trusted_schema(0)", "mmap_size(0)", "secure_delete(1)"},
	}
}

func readerSettings() url.Values {
	v := writerSettings()
	v.Del("_journal_mode") // is a property of the file by now
	v.Set("_txlock", "deferred")
	v.Set("_query_only", "1")
	v.Set("mode", "ro")
	return v
}

// openPool opens the file at path: in a URI, the first part of one that is not
// absolute would be a host.
func openPool(path string, settings url.Values, connections int) (*sql.DB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("opening the file: %w", err)
	}
	pool, err := sql.Open("sqlite", uri(filepath.ToSlash(path), settings))
	if err != nil {
		return nil, fmt.Errorf("opening the file: %w", err)
	}
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	return pool, nil
}

// uri names a file by its absolute path with slashes. On Windows that begins with
// a drive, which without a slash before it would be a host too: file:///C:/x.db.
//
// Source: sqlite.org/uri.html.
func uri(path string, settings url.Values) string {
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: settings.Encode()}
	return u.String()
}

// checkDurable checks the settings that durability depends on: SQLite silently ignores what
// a file system cannot do.
func checkDurable(ctx context.Context, writer *sql.DB) error {
	var journal string
	var synchronous int
	err := writer.QueryRowContext(ctx, `SELECT journal_mode, synchronous FROM pragma_journal_mode,
		pragma_synchronous`).
		Scan(&journal, &synchronous)
	if err != nil {
		return fmt.Errorf("reading settings: %w", err)
	}
	if journal != "wal" || synchronous != 2 {
		return fmt.Errorf("SQLite refuses its settings (journal_mode %s, synchronous %d): "+
			"keep the file on a local disk", journal, synchronous)
	}

	return nil
}
