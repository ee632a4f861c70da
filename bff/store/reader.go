package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
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
	if db.reader, err = openPool(path, beside(), readers); err != nil {
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
	have, know, err := db.dialect.versions(ctx, db.reader)
	if err != nil {
		return err
	}
	if have != know {
		return fmt.Errorf("its tables are of version %d, this release reads %d", have, know)
	}
	return nil
}
