package store

import (
	"context"
	"database/sql"
	"net/url"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/store/pgtest"

	"github.com/jackc/pgx/v5"
)

// setStandbys makes commits wait for standbys of these names. No server of these tests has one.
func setStandbys(t *testing.T, c *pgtest.Cluster, dsn, names string) {
	t.Helper()
	c.Exec(t, "ALTER SYSTEM SET synchronous_standby_names = '"+names+"'")
	c.Exec(t, "SELECT pg_reload_conf()")
	fortest.Until(t, "the setting holds",
		func() bool { return ask(t, dsn, "SHOW synchronous_standby_names") == names })
}

// ask runs a query of one column, as another client.
func ask(t *testing.T, dsn, query string) (answer string) {
	t.Helper()
	conn := fortest.Must(pgx.Connect(t.Context(), dsn))(t)
	defer conn.Close(context.WithoutCancel(t.Context()))
	if err := conn.QueryRow(t.Context(), query).Scan(&answer); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return answer
}

const waitingForStandby = `SELECT count(*)::text FROM pg_stat_activity WHERE wait_event = 'SyncRep'`

// replicated is a server, a database on it that can commit, and the latter's address.
func replicated(t *testing.T) (*pgtest.Cluster, *DB, string) {
	t.Helper()
	cluster := pgtest.New(t)
	dsn := cluster.DSN(t)
	db := opened(t, dsn)
	run(t, db.Writer, `CREATE TABLE numbers (n integer)`)
	return cluster, db, dsn
}

// A commit whose standby does not answer is given up without a cancel, which would make it visible
// although no standby has it. Its connection is replaced at once.
func TestCommitWithoutStandbyIsNotCanceled(t *testing.T) {
	cluster, db, dsn := replicated(t)
	db.patience = 500 * time.Millisecond
	setStandbys(t, cluster, dsn, "nobody")
	if err := db.Execute(t.Context(), `INSERT INTO numbers VALUES (1)`); !isUnknown(err) {
		t.Errorf("Execute = %v; want that it is unknown", err)
	}
	fortest.Until(t, "its connection is closed",
		func() bool { return db.pool.Stat().AcquiredConns() == 0 })
	if n := ask(t, dsn, `SELECT count(*)::text FROM numbers`); n != "0" {
		t.Errorf("%s rows are visible that no standby has", n)
	}
	if n := ask(t, dsn, waitingForStandby); n == "0" {
		t.Error("no commit waits for its standby: it was canceled")
	}
	setStandbys(t, cluster, dsn, "")
	fortest.Until(t, "the commit continues",
		func() bool { return ask(t, dsn, `SELECT count(*)::text FROM numbers WHERE n = 1`) == "1" })
	db.patience = defaultPatience
	fortest.OK(t, db.Execute(t.Context(), `INSERT INTO numbers VALUES (3)`))
}

// PostgreSQL says that a commit has succeeded, after a warning, if another session cancels its wait.
func TestCanceledWaitIsUnknown(t *testing.T) {
	cluster, db, dsn := replicated(t)
	setStandbys(t, cluster, dsn, "nobody")
	done := make(chan error, 1)
	go func() { done <- db.Execute(t.Context(), `INSERT INTO numbers VALUES (1)`) }()
	fortest.Until(t, "the commit waits",
		func() bool { return ask(t, dsn, waitingForStandby) != "0" })
	ask(
		t,
		dsn,
		`SELECT bool_or(pg_cancel_backend(pid))::text FROM pg_stat_activity WHERE wait_event = 'SyncRep'`,
	)
	if err := <-done; !isUnknown(err) {
		t.Errorf("Execute = %v; want that it is unknown", err)
	}
	if n := ask(t, dsn, `SELECT count(*)::text FROM numbers`); n != "1" {
		t.Errorf("%s rows are visible; want the one whose wait was canceled", n)
	}
}

// Of two servers that take writes, one is the primary. The other was replaced, but does not know: its
// commits wait for a standby that has left. Connections to it are given up, and new ones pass over it.
func TestReplacedPrimaryIsPassedOver(t *testing.T) { passOver(t, false) }

// The same through a PgBouncer on each server.
func TestFullReplacedPrimaryThroughPgBouncer(t *testing.T) { passOver(t, true) }

func passOver(t *testing.T, pooled bool) {
	old, primary := pgtest.New(t), pgtest.New(t)
	host := func(dsn string) string { return fortest.Must(url.Parse(dsn))(t).Query().Get("host") }
	first, second := old.DSN(t), primary.DSN(t)
	for _, dsn := range []string{first, second} {
		db := opened(t, dsn)
		run(t, db.Writer, `CREATE TABLE numbers (n integer)`)
	}
	both := func(one, other, ports string) string {
		hosts := url.QueryEscape(host(one) + "," + host(other))
		return strings.Replace(first, url.QueryEscape(host(first)), hosts, 1) +
			"&connect_timeout=1&port=" + ports
	}
	c := Config{DSN: both(first, second, "5432,5432")}
	if pooled {
		c.DSN = both(pgtest.Pooled(t, first, "transaction"),
			pgtest.Pooled(t, second, "transaction"), "6432,6432")
	}
	db := openedAs(t, c)
	where := func() (dir string) {
		fortest.OK(t, db.Write(t.Context(), func(tx *sql.Tx) error {
			return tx.QueryRow(`SHOW unix_socket_directories`).Scan(&dir)
		}))
		return dir
	}
	if got := where(); got != host(first) {
		t.Fatalf("connected to %s; want the first host", got)
	}
	conns := db.pool.AcquireAllIdle(t.Context())
	conns = append(conns, fortest.Must(db.pool.Acquire(t.Context()))(t))
	setStandbys(t, old, first, "nobody")
	db.synchronous.Store(true) // as of a server that had a standby
	for _, conn := range conns {
		conn.Release() // more than one is idle
	}
	lost := make(chan error, 1)
	go func() { lost <- db.Execute(t.Context(), `INSERT INTO numbers VALUES (1)`) }()
	fortest.Until(t, "its connection is used",
		func() bool { return db.pool.Stat().AcquiredConns() == 1 })
	fortest.Until(t, "others are given up", func() bool { return db.pool.Stat().IdleConns() == 0 })
	if got := where(); got != host(second) {
		t.Errorf("connected to %s; want the primary", got)
	}
	if len(lost) > 0 {
		t.Error("writes go to the primary only after a commit was given up")
	}
	fortest.OK(t, db.Execute(t.Context(), `INSERT INTO numbers VALUES (2)`))
	if err := <-lost; !isUnknown(err) {
		t.Errorf("Execute on the replaced primary = %v; want that it is unknown", err)
	}
}
