package sqldb

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/jackc/pgx/v5"
)

// OpenReader opens the database for reading only, also beside a server that is
// running: it takes no lock and changes nothing. What writes fails.
//
// Errors: as from [Open]; the database's tables are not of this release.
func OpenReader(ctx context.Context, c Config) (*DB, error) {
	return open(ctx, c, (*DB).readSQLite, (*DB).readPostgres)
}

func (db *DB) readSQLite(ctx context.Context, path string) (err error) {
	if _, err := os.Stat(path); err != nil {
		return err // names the path; SQLite would make the file
	}
	marked, err := checkFile(ctx, path)
	if err != nil {
		return err
	}
	if !marked {
		return errors.New("there is nothing in it yet")
	}
	if db.Reader, err = openPool(path, besideSettings(), readers); err != nil {
		return err
	}
	return db.checkVersion(ctx)
}

// besideSettings are the settings of a reader that nobody has opened the file for: it
// may have to make the files that readers share, and so cannot be mode=ro.
func besideSettings() url.Values {
	v := readerSettings()
	v.Set("mode", "rw")
	return v
}

func (db *DB) readPostgres(ctx context.Context, dsn string) error {
	if err := db.inspectPostgres(ctx, dsn); err != nil {
		return err
	}
	return db.checkVersion(ctx)
}

// checkVersion fails unless the tables are of this release.
func (db *DB) checkVersion(ctx context.Context) error {
	have, know, err := db.Dialect.Versions(ctx, db.Reader)
	if err != nil {
		return err
	}
	if have != know {
		return fmt.Errorf("its tables are of version %d, this release reads %d", have, know)
	}
	return nil
}

// OpenInspect opens the database to look at it from outside. It makes nothing, takes no lock
// and changes nothing; the tables may be of any release, or not be there.
//
// Errors: as from [Open], and that there is no file, which is an [os.ErrNotExist].
func OpenInspect(ctx context.Context, dsn string) (*DB, error) {
	return open(ctx, Config{DSN: dsn}, (*DB).inspectSQLite, (*DB).inspectPostgres)
}

func (db *DB) inspectSQLite(ctx context.Context, path string) (err error) {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	if db.Reader, err = openPool(path, inspectSettings(path), 1); err != nil {
		return err
	}
	_, err = checkMark(ctx, db.Reader)
	return err
}

// inspectSettings are the settings of a reader that makes no file: without a log beside
// it the file is whole, and nobody has it open to write.
func inspectSettings(path string) url.Values {
	v := readerSettings()
	if _, err := os.Stat(path + "-wal"); err != nil {
		v.Set("immutable", "1")
	}
	return v
}

// inspectPostgres connects for reading alone.
func (db *DB) inspectPostgres(ctx context.Context, dsn string) error {
	c, err := postgresConfig(dsn)
	if err != nil {
		return err
	}
	c.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `SET default_transaction_read_only = on`)
		return err
	}
	return db.connect(ctx, c)
}
