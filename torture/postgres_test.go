//go:build linux

package torture

import (
	"crypto/rand"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/store/pgtest"
	"coinslot/torture/goal"

	_ "github.com/jackc/pgx/v5/stdlib" // "pgx"
)

// postgres is a database of its own on a server.
type postgres struct{ address string }

// newPostgres makes a database on the server that TORTURE_POSTGRES names
// (postgres://…, whose user may create databases) and drops it at the end. If it
// names none, the database is on a server that is started for the tests.
func newPostgres(t testing.TB) database {
	t.Helper()
	server := os.Getenv("TORTURE_POSTGRES")
	if server == "" {
		return postgres{pgtest.DSN(t)}
	}
	address, err := url.Parse(server)
	if err != nil {
		t.Fatal("TORTURE_POSTGRES is not an address")
	}
	name := "torture_" + strings.ToLower(rand.Text())
	execute(t, server, "CREATE DATABASE "+name)
	t.Cleanup(func() { execute(t, server, "DROP DATABASE "+name+" WITH (FORCE)") })
	address.Path = "/" + name
	return postgres{address.String()}
}

// connected returns a connection until t ends.
func connected(t testing.TB, address string) *sql.DB {
	t.Helper()
	db := fortest.Must(sql.Open("pgx", address))(t)
	t.Cleanup(func() { db.Close() })
	return db
}

func execute(t testing.TB, address, statement string) {
	t.Helper()
	db := fortest.Must(sql.Open("pgx", address))(t)
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func (p postgres) dsn() string { return p.address }

func (p postgres) size(t testing.TB) int64 {
	t.Helper()
	db := fortest.Must(sql.Open("pgx", p.address))(t)
	defer db.Close()
	n := texts(t, db, "SELECT pg_database_size(current_database())::text")[0]
	return fortest.Must(strconv.ParseInt(n, 10, 64))(t)
}

// scan reads every row of every table as text.
func (p postgres) scan(t testing.TB, search func(place string, text []byte)) {
	t.Helper()
	db := fortest.Must(sql.Open("pgx", p.address))(t)
	defer db.Close()
	tables := texts(t, db, `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) FROM pg_tables
		WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`)
	for _, table := range tables {
		for _, row := range texts(t, db, "SELECT row::text FROM "+table+" AS row") {
			search("the table "+table, []byte(row))
		}
		// bytea is in hexadecimal in a row
		for _, column := range texts(t, db, fmt.Sprintf(`SELECT quote_ident(attname) FROM pg_attribute
			WHERE attrelid = '%s'::regclass AND atttypid = 'bytea'::regtype AND attnum > 0`, table)) {
			for _, value := range texts(t, db,
				"SELECT encode("+column+", 'escape') FROM "+table+" WHERE "+column+" IS NOT NULL") {
				search("the table "+table, []byte(value))
			}
		}
	}
	if len(tables) == 0 {
		t.Error("the database has no tables")
	}
}

func texts(t testing.TB, db *sql.DB, query string) (list []string) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		fortest.OK(t, rows.Scan(&text))
		list = append(list, text)
	}
	fortest.OK(t, rows.Err())
	return list
}

// TestTorturePostgresKills is TestTortureKills on the other database.
func TestTorturePostgresKills(t *testing.T) {
	kills(t, "kill -9, PostgreSQL", newPostgres, goal.Rounds(2, 1000), 1000)
}

// TestTorturePostgresCrashPoints is TestTortureCrashPoints on the other database.
func TestTorturePostgresCrashPoints(t *testing.T) {
	crashPoints(t, "crash points, PostgreSQL", newPostgres)
}

// TestTorturePgBouncer kills one of two instances that share a pooler with the other, which goes on.
func TestTorturePgBouncer(t *testing.T) {
	began := time.Now()
	r := goal.Result{Goal: "kill -9 behind PgBouncer", Wanted: 500, Seed: goal.Seed(t)}
	w := newWorld(t, r.Seed, postgres{pgtest.Pooled(t, pgtest.DSN(t), "transaction")}, 2)
	stop := w.startShoppers(orders)
	for i := range 2 {
		w.startAndWait(i)
	}
	w.awaitOrders()
	for range goal.Rounds(2, 500) {
		i := r.Rounds % 2
		w.gateway.setFaults(0.05, 0.15)
		w.sink.setFaults(sinkShare)
		w.running[i].kill()
		w.awaitPaid(1)
		w.startAndWait(i)
		r.Rounds++
	}
	stop()
	w.finalCheck()
	r.Violations, r.Took = w.reportViolations(), time.Since(began)
	r.Figure = fmt.Sprintf("one of two instances, %d sessions, %d events", len(w.sessions),
		len(w.sink.events))
	goal.Report(t, r)
}

// database is where the process under test keeps what it knows.
type database interface {
	dsn() string             // for COINSLOT_DATABASE
	size(t testing.TB) int64 // in bytes
	// scan shows everything that is stored to look. No process may run.
	scan(t testing.TB, search func(place string, text []byte))
}

// sqlite is a file in a directory of its own.
type sqlite struct{ dir string }

func newSQLite(t testing.TB) database { return sqlite{t.TempDir()} }

func (s sqlite) dsn() string { return filepath.Join(s.dir, "torture.db") }

func (s sqlite) size(t testing.TB) (n int64) {
	t.Helper()
	for _, entry := range fortest.Must(os.ReadDir(s.dir))(t) {
		if info, err := entry.Info(); err == nil { // else it was removed since
			n += info.Size()
		}
	}
	return n
}

// scan reads the file, its log and whatever else lies beside them.
func (s sqlite) scan(t testing.TB, search func(place string, text []byte)) {
	t.Helper()
	list := fortest.Must(os.ReadDir(s.dir))(t)
	for _, entry := range list {
		text := fortest.Must(os.ReadFile(filepath.Join(s.dir, entry.Name())))(t)
		search("the file "+entry.Name(), text)
	}
}
