package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
)

// Disk is how many bytes the file and its log of writes have, and how many are left on
// its volume: 0 and -1 on PostgreSQL, or if that is not known.
func (db *DB) Disk() (size, free int64) {
	if db.path == "" {
		return 0, -1
	}

	for _, name := range []string{db.path, db.path + "-wal"} {
		if info, err := os.Stat(name); err == nil {
			size += info.Size()
		}
	}

	free, err := diskFree(db.path)
	if err != nil {
		free = -1
	}

	return size, free
}

// Ping fails unless the database can be read.
func (db *DB) Ping(ctx context.Context) error {
	_, err := readOne[int](ctx, db, `SELECT 1 FROM sessions LIMIT 1`)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return wrap(err, "reading the database")
}

// Ready fails unless the database answers, can be written, and has the tables of this release, or
// of a newer one, which another instance may have migrated to.
func (db *DB) Ready(ctx context.Context) error {
	if err := db.Ping(ctx); err != nil {
		return err
	}
	have, know, err := db.dialect.Versions(ctx, db.Reader)
	if err != nil {
		return err
	}
	if have < know {
		return fmt.Errorf("its tables are of version %d, this release needs %d", have, know)
	}
	return db.checkWrite(ctx)
}

// Truncate implements checkout.Eraser. On SQLite, what was erased is in the write-ahead
// log until that is copied into the file and cut, which waits for readers, and has all
// writers wait: so it gives up soon. On PostgreSQL, autovacuum frees it.
func (db *DB) Truncate(ctx context.Context) (err error) {
	if db.Shared() || db.Writer == nil {
		return nil
	}

	defer func() { err = wrap(err, "truncating the write-ahead log") }()
	conn, err := db.Writer.Conn(ctx)
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, conn.Close()) }()
	var usual int
	if err := conn.QueryRowContext(ctx, `PRAGMA busy_timeout`).Scan(&usual); err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, `PRAGMA busy_timeout = 100`); err != nil {
		return err
	}

	var busy, pages, copied int
	failed := conn.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).
		Scan(&busy, &pages, &copied)
	_, err = conn.ExecContext(context.WithoutCancel(ctx),
		fmt.Sprintf(`PRAGMA busy_timeout = %d`, usual))
	err = errors.Join(failed, err)
	if err != nil || busy == 0 {
		return err
	}

	return errors.New("a reader of the database blocks it, " +
		"so what was erased is still in the file that ends in -wal")
}
