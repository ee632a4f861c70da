package store

import (
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

func postgresDialect() dialect {
	return dialect{
		goose:              goose.DialectPostgres,
		migrations:         "migrations/postgres",
		locks:              true,
		Clock:              `(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`,
		Horizon:            postgresHorizon,
		HeldBack:           postgresHeldBack,
		EventsAfter:        postgresEventsAfter,
		SessionEventsAfter: postgresSessionEventsAfter,
		EventAt:            postgresEventAt,
		LatestEvent:        postgresLatestEvent,
		NotNewest:          `position < (SELECT max(position) FROM events)`, // see continueLog
		Violated:           postgresViolated,
		retryable:          postgresRetryable,
		insertWriteCheck: `INSERT INTO buckets (name, next_at) VALUES ('write_check', 0)
			ON CONFLICT (name) DO UPDATE SET next_at = 0`,
		cannotWrite: postgresCannotWrite,
	}
}

// sqlState is PostgreSQL's code for err; "" = err is not from the server.
func sqlState(err error) string {
	if failed, ok := errors.AsType[*pgconn.PgError](err); ok {
		return failed.Code
	}
	return ""
}

// postgresViolated: the indexes are named "table_column".
func postgresViolated(err error) string {
	failed, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || failed.Code != "23505" { // unique_violation
		return ""
	}
	return strings.Replace(failed.ConstraintName, "_", ".", 1)
}

// postgresRetryable: a serialization failure or a deadlock.
func postgresRetryable(err error) bool {
	state := sqlState(err)
	return state == "40001" || state == "40P01"
}

// postgresCommitError returns what err, of a commit, means: the server has said what went wrong, or
// the outcome is unknown. Its message when it ends the connection is no answer.
func postgresCommitError(err error) error {
	if err == nil {
		return nil
	}
	state := sqlState(err)
	if errors.Is(err, pgx.ErrTxCommitRollback) ||
		state != "" && !strings.HasPrefix(state, "57P") && !strings.HasPrefix(state, "08") {
		return fmt.Errorf("committing: %w", err)
	}
	return &unknownError{err}
}

// postgresCannotWrite: disk_full, an error of the operating system, damaged data, or a standby.
func postgresCannotWrite(err error) bool {
	switch state := sqlState(err); state {
	case "53100", "XX001", "XX002", readOnlyTransaction:
		return true
	default:
		return strings.HasPrefix(state, "58")
	}
}

// closedPostgres reports whether conn is a connection to PostgreSQL that was lost.
func closedPostgres(conn any) bool {
	c, ok := conn.(*stdlib.Conn)
	return ok && c.Conn().IsClosed()
}
