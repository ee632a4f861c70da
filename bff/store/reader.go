package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/jackc/pgx/v5/pgconn"
)

// OpenReader opens the database for reading only, also beside a running server: it takes
// no lock and changes nothing. What writes fails.
//
// Errors: as from [Open]; there is no database; its tables are not of this release.
func OpenReader(ctx context.Context, c Config) (*DB, error) {
	return open(ctx, c, (*DB).readSQLite, func(db *DB, ctx context.Context, c Config) error {
		if err := db.inspectPostgres(ctx, c); err != nil {
			return err
		}
		return db.checkVersion(ctx)
	})
}

func (db *DB) readSQLite(ctx context.Context, path string) (err error) {
	if _, err := os.Stat(path); err != nil {
		return err // names the path; SQLite would create the file
	}

	marked, err := checkFile(ctx, path)
	if err != nil {
		return err
	}
	if !marked {
		return errors.New("it is empty")
	}

	// Without a server, a reader may have to create the files that readers share, and so
	// cannot be mode=ro.
	settings := readerSettings()
	settings.Set("mode", "rw")
	db.Reader, err = openPool(path, settings, readers)
	if err != nil {
		return err
	}

	return db.checkVersion(ctx)
}

func (db *DB) checkVersion(ctx context.Context) error {
	have, know, err := db.dialect.Versions(ctx, db.Reader)
	if err != nil {
		return err
	}
	if have != know {
		return fmt.Errorf("its tables are of version %d, this release reads %d", have, know)
	}
	return nil
}

// OpenBeside opens the database to write to it beside a server that may be running: on
// SQLite it shares the file by SQLite's own locks, for a few short transactions. Nothing
// runs in the background, and no tables are changed.
//
// Errors: as from [OpenReader].
func OpenBeside(ctx context.Context, c Config) (*DB, error) {
	return open(ctx, c, (*DB).besideSQLite, (*DB).besidePostgres)
}

func (db *DB) besideSQLite(ctx context.Context, path string) (err error) {
	if err := db.readSQLite(ctx, path); err != nil {
		return err
	}
	db.Writer, err = openPool(path, writerSettings(), 1)
	if err != nil {
		return err
	}
	return checkDurable(ctx, db.Writer)
}

func (db *DB) besidePostgres(ctx context.Context, c Config) error {
	if err := db.connectToWrite(ctx, c); err != nil {
		return err
	}
	return db.checkVersion(ctx)
}

// openInspect opens the database to read its state. It creates, locks and changes nothing;
// the tables may be of any release, or missing.
//
// Errors: as from [Open], and that there is no file, which is an [os.ErrNotExist].
func openInspect(ctx context.Context, c Config) (*DB, error) {
	return open(ctx, c, (*DB).inspectSQLite, (*DB).inspectPostgres)
}

func (db *DB) inspectSQLite(ctx context.Context, path string) (err error) {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	db.Reader, err = openPool(path, inspectSettings(path), 1)
	if err != nil {
		return err
	}
	_, err = checkMark(ctx, db.Reader)
	return err
}

// inspectSettings are those of a reader that creates no file: without a log beside it,
// the file is complete and not open for writing.
func inspectSettings(path string) url.Values {
	v := readerSettings()
	if _, err := os.Stat(path + "-wal"); err != nil {
		v.Set("immutable", "1")
	}
	return v
}

func (db *DB) inspectPostgres(ctx context.Context, c Config) error {
	pool, err := postgresConfig(c.DSN)
	if err != nil {
		return err
	}
	pool.ConnConfig.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsPrimary
	return db.connect(ctx, pool)
}
