package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	// proofTimeout bounds the commit that a new connection proves itself by.
	proofTimeout = 2 * time.Second
	// slowCommit is how long a commit may wait for its standby until other connections to that
	// server are given up: it may be a primary that another one has replaced.
	slowCommit = 2 * time.Second
)

// proof is a query whose commit waits for the synchronous standby, if there must be one: also for
// all that was visible before. Its second column is NULL if there need not be one.
// https://www.postgresql.org/docs/current/functions-admin.html#FUNCTIONS-REPLICATION
const proof = `SELECT set_config('synchronous_commit', 'on', true),
	CASE WHEN current_setting('synchronous_standby_names') <> ''
	THEN pg_logical_emit_message(true, 'coinslot', '')::text END`

// validate passes over servers that cannot commit now: standbys, and a primary that was replaced
// but does not know, whose commits wait for a standby that has left it.
func (db *DB) validate(ctx context.Context, conn *pgconn.PgConn) error {
	if err := pgconn.ValidateConnectTargetSessionAttrsReadWrite(ctx, conn); err != nil {
		return err
	}

	ctx, cancel := context.WithTimeout(ctx, proofTimeout)
	defer cancel()
	results, err := conn.Exec(ctx, proof).ReadAll()
	if err == nil {
		err = wasReplicated(conn)
	}
	if err != nil {
		return fmt.Errorf("waiting for a synchronous standby: %w", err)
	}

	db.synchronous.Store(results[0].Rows[0][1] != nil)
	return nil
}

// EnsureReplicated makes the commit of tx wait until all that tx has read is on the synchronous
// standby, if there must be one, although tx writes nothing.
func (db *DB) EnsureReplicated(ctx context.Context, tx *sql.Tx) error {
	if !db.Shared() {
		return nil
	}
	_, err := tx.ExecContext(ctx, proof)
	return wrap(err, "waiting for a synchronous standby")
}

// errNotCanceled is never seen: the driver does not report that a cancel request failed.
var errNotCanceled = errors.New("statements are not canceled")

// neverCancel makes the driver close a connection whose caller has given up, without the request to
// cancel. PostgreSQL answers that, if the commit waits for its standby, with success: the row is
// visible, and lost with the server. Statements of a write and of a search end by their
// statement_timeout. c is of one connection.
func neverCancel(_ context.Context, c *pgx.ConnConfig) error {
	var connected atomic.Pointer[pgconn.PgConn]
	dial := c.DialFunc
	c.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if conn := connected.Load(); conn != nil { // so this is for a request to cancel
			return nil, errors.Join(errNotCanceled, conn.Conn().Close())
		}
		return dial(ctx, network, address)
	}
	c.AfterConnect = func(_ context.Context, conn *pgconn.PgConn) error {
		connected.Store(conn)
		return nil
	}
	return nil
}

// notReplicated marks a connection whose commit may be on no standby.
const notReplicated = "coinslot: not replicated"

// markNotReplicated recognizes the warning that a commit has not waited for its standby, because
// another session canceled it or ended its connection. Servers translate the text of the warning,
// but not where it comes from.
func markNotReplicated(conn *pgconn.PgConn, n *pgconn.Notice) {
	if n.Routine == "SyncRepWaitForLSN" {
		conn.CustomData()[notReplicated] = true
	}
}

// wasReplicated returns an error if the last commit of conn has not waited for its standby.
func wasReplicated(conn *pgconn.PgConn) error {
	if conn.CustomData()[notReplicated] != nil {
		delete(conn.CustomData(), notReplicated) // conn may be used again
		return errors.New("the synchronous standby has not confirmed the commit")
	}
	return nil
}

// commitPostgres commits and makes sure that a standby has it.
func (db *DB) commitPostgres(conn *sql.Conn, tx *sql.Tx) error {
	if db.synchronous.Load() {
		defer time.AfterFunc(slowCommit, db.pool.Reset).Stop()
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	return conn.Raw(func(conn any) error {
		return wasReplicated(conn.(*stdlib.Conn).Conn().PgConn())
	})
}
