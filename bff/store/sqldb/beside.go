package sqldb

import (
	"context"
	"errors"
	"os"
)

// OpenBeside opens the database to write to it beside a server that may be running: on
// SQLite it takes its turn with that server by SQLite's own locks, for a few short
// transactions. Nothing runs in the background, and no tables are changed.
//
// Errors: as from [Open]; there is no database; its tables are not of this release.
func OpenBeside(ctx context.Context, c Config) (*DB, error) {
	return open(ctx, c, (*DB).besideSQLite, (*DB).besidePostgres)
}

func (db *DB) besideSQLite(ctx context.Context, path string) (err error) {
	db.guest = true
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
	if err := db.checkVersion(ctx); err != nil {
		return err
	}
	if db.Writer, err = openPool(path, writerSettings(), 1); err != nil {
		return err
	}
	return checkDurable(ctx, db.Writer)
}

func (db *DB) besidePostgres(ctx context.Context, dsn string) error {
	db.guest = true
	c, err := postgresConfig(dsn)
	if err != nil {
		return err
	}
	if err := db.connect(ctx, c); err != nil {
		return err
	}
	if err := db.checkVersion(ctx); err != nil {
		return err
	}
	db.Writer = db.Reader
	return nil
}
