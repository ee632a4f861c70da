package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteDialect needs no row locks: a transaction begins as the only writer.
func sqliteDialect() dialect {
	return dialect{
		goose:              goose.DialectSQLite3,
		migrations:         "migrations/sqlite",
		Clock:              `CAST(unixepoch('subsec') * 1000000 AS INTEGER)`,
		Horizon:            sqliteHorizon,
		HeldBack:           sqliteHeldBack,
		EventsAfter:        sqliteEventsAfter,
		SessionEventsAfter: sqliteSessionEventsAfter,
		EventAt:            sqliteEventAt,
		LatestEvent:        sqliteLatestEvent,
		// A row that shrinks leaves its page almost empty forever; one that moves does not.
		Pack: `UPDATE sessions SET rowid = (SELECT max(rowid) + 1 FROM sessions)
			WHERE id = $1`,
		NotNewest: `seq < (SELECT max(seq) FROM events)`,
		Violated:  sqliteViolated,
		retryable: func(error) bool { return false }, // a lock was waited for already
		insertWriteCheck: `INSERT INTO buckets (name, next_at)
			VALUES ('write_check' || hex(zeroblob(100000)), 0)`,
		cannotWrite: sqliteCannotWrite,
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

// sqliteAmbiguous reports whether what a failed commit has written may be found by the next start. A
// commit is complete in the write-ahead log before it is synced. If the sync fails, SQLite takes it
// back in memory only. If the disk is full, it is not complete there.
func sqliteAmbiguous(err error) bool {
	if errors.Is(err, sql.ErrTxDone) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, context.Canceled) {
		return false // it was not begun
	}
	var failed *sqlite.Error
	if !errors.As(err, &failed) {
		return true
	}
	return failed.Code() != sqlite3.SQLITE_FULL && failed.Code() != sqlite3.SQLITE_IOERR_WRITE
}

func sqliteCannotWrite(err error) bool {
	var failed *sqlite.Error
	if !errors.As(err, &failed) {
		return false
	}
	switch failed.Code() & 0xff {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY,
		sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOTADB:
		return true
	}
	return false
}
