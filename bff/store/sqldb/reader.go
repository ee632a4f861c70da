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
	marked, err := inspect(ctx, path)
	if err != nil {
		return err
	}
	if !marked {
		return errors.New("there is nothing in it yet")
	}
	if db.Reader, err = openPool(path, beside(), readers); err != nil {
		return err
	}
	return db.current(ctx)
}

// beside are the settings of a reader that nobody has opened the file for: it
// may have to make the files that readers share, and so cannot be mode=ro.
func beside() url.Values {
	v := reading()
	v.Set("mode", "rw")
	return v
}

func (db *DB) readPostgres(ctx context.Context, dsn string) error {
	if err := db.lookPostgres(ctx, dsn); err != nil {
		return err
	}
	return db.current(ctx)
}

// current fails unless the tables are of this release.
func (db *DB) current(ctx context.Context) error {
	have, know, err := db.Dialect.Versions(ctx, db.Reader)
	if err != nil {
		return err
	}
	if have != know {
		return fmt.Errorf("its tables are of version %d, this release reads %d", have, know)
	}
	return nil
}

// OpenLook opens the database to look at it from outside. It makes nothing, takes no lock
// and changes nothing; the tables may be of any release, or not be there.
//
// Errors: as from [Open], and that there is no file, which is an [os.ErrNotExist].
func OpenLook(ctx context.Context, dsn string) (*DB, error) {
	return open(ctx, Config{DSN: dsn}, (*DB).lookSQLite, (*DB).lookPostgres)
}

func (db *DB) lookSQLite(ctx context.Context, path string) (err error) {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	if db.Reader, err = openPool(path, looking(path), 1); err != nil {
		return err
	}
	_, err = identify(ctx, db.Reader)
	return err
}

// looking are the settings of a reader that makes no file: without a log beside
// it the file is whole, and nobody has it open to write.
func looking(path string) url.Values {
	v := reading()
	if _, err := os.Stat(path + "-wal"); err != nil {
		v.Set("immutable", "1")
	}
	return v
}

// lookPostgres connects for reading alone.
func (db *DB) lookPostgres(ctx context.Context, dsn string) error {
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
