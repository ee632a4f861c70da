package store

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/fortest"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
	"coinslot/bff/store/pgtest"
	"coinslot/bff/webhook"
)

// fileMark marks a file as ours.
const fileMark = 0x434F534C

// sample is a session as small as one can be.
func sample(n int) payment.Session {
	return payment.Session{
		ID: fmt.Sprintf("cs_%d", n), Status: wire.Open, CreatedAt: time.UnixMicro(int64(n)).UTC(),
		Order: payment.Order{Ref: fmt.Sprintf("order %d", n)},
	}
}

// run executes a statement that must succeed.
func run(t *testing.T, db *sql.DB, query string, args ...any) {
	t.Helper()
	fortest.Must(db.ExecContext(t.Context(), query, args...))(t)
}

// raw opens the file without any of our settings.
func raw(t *testing.T, path string) *sql.DB {
	t.Helper()
	db := fortest.Must(sql.Open("sqlite", path))(t)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// wantRefused fails unless opening path fails with an error that says why, and
// leaves the file as it is.
func wantRefused(t *testing.T, path, why string) {
	t.Helper()
	before := fortest.Must(os.ReadFile(path))(t)
	db, err := Open(t.Context(), Config{DSN: path})
	if err == nil {
		_ = db.Close()
		t.Fatalf("Open succeeded; want %q", why)
	}
	fortest.Has(t, "Open", err.Error(), why, path)
	after := fortest.Must(os.ReadFile(path))(t)
	if !bytes.Equal(before, after) {
		t.Error("the file was changed")
	}
}

func TestFilesAreForTheOwnerOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "coinslot.db")
	db := opened(t, path)
	fortest.Must(db.Insert(t.Context(), sample(1)))(t)
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) != 4 {
		t.Errorf("files = %v, %v; want the database, -wal, -shm and .lock", files, err)
	}
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode of %s = %v, %v; want 0600", name, info.Mode(), err)
		}
	}
}

func TestSecondOpenIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "coinslot.db")
	db := opened(t, path)
	link := filepath.Join(t.TempDir(), "link.db")
	fortest.OK(t, os.Symlink(path, link))
	wantRefused(t, path, "another process is using it")
	wantRefused(t, link, "another process is using it")
	fortest.Must(db.Insert(t.Context(), sample(1)))(t)
}

func TestFilesOfOtherProgramsAreRefused(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	fortest.OK(t, os.WriteFile(text, bytes.Repeat([]byte("not a database\n"), 500), 0o600))
	wantRefused(t, text, "not an SQLite database")

	for name, statement := range map[string]string{
		"tables": `CREATE TABLE sessions (id TEXT)`,
		"mark":   `PRAGMA application_id = 42`,
	} {
		path := filepath.Join(dir, name)
		db := raw(t, path)
		run(t, db, statement)
		fortest.OK(t, db.Close())
		wantRefused(t, path, "another program")
	}
}

func TestNewerTablesAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "coinslot.db")
	db := fortest.Must(Open(t.Context(), Config{DSN: path}))(t)
	run(t, db.Writer, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)`)
	fortest.OK(t, db.Close())
	wantRefused(t, path, "version 9999")
}

// An empty file, and one in which a first start got no further than the mark, are taken as new.
func TestUnfinishedFileIsUsed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "coinslot.db")
	fortest.OK(t, os.WriteFile(path, nil, 0o600))
	db := raw(t, path)
	run(t, db, `PRAGMA journal_mode = WAL`)
	run(t, db, fmt.Sprintf(`PRAGMA application_id = %d`, fileMark))
	fortest.OK(t, db.Close())
	fortest.OK(t, opened(t, path).Ping(t.Context()))
}

func TestDSN(t *testing.T) {
	for _, dsn := range []string{
		"", ":memory:", "file:x.db", "mysql://user:hunter2@db/x", "postgres:user:hunter2@db",
		"host=db user=x password=hunter2", "password=hunter2", "postgres//user:hunter2@db/x",
		"user:hunter2@db/x", "PostgresSQL//u:hunter2@/x", "PGPASSWORD=hunter2", "u:hunter2@db",
	} {
		_, err := Open(t.Context(), Config{DSN: dsn})
		if err == nil || !strings.Contains(err.Error(), "COINSLOT_DATABASE") ||
			strings.Contains(err.Error(), "hunter2") {
			t.Errorf("Open(%q) = %v; want an error that names the setting and no password", dsn,
				err)
		}
	}
	missing := filepath.Join(t.TempDir(), "no", "such", "x.db")
	if _, err := Open(t.Context(),
		Config{DSN: missing}); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("Open in a missing directory = %v", err)
	}
	if _, err := Open(t.Context(), Config{DSN: t.TempDir()}); err == nil {
		t.Error("Open of a directory succeeded")
	}
}

// The settings that durability rests on, on every connection there can be.
func TestSettings(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "coinslot.db"))
	want := map[string]string{
		"journal_mode": "wal", "synchronous": "2", "busy_timeout": "5000", "foreign_keys": "1",
		"mmap_size": "0", "trusted_schema": "0", "application_id": fmt.Sprint(fileMark),
	}
	fortest.Equal(t, db.Writer.Stats().MaxOpenConnections, 1, "connections may write")
	for name, pool := range map[string]*sql.DB{"writer": db.Writer, "reader": db.Reader} {
		for range pool.Stats().MaxOpenConnections {
			conn := fortest.Must(pool.Conn(t.Context()))(t)
			defer conn.Close() // holds it, so that the next one is another
			for pragma, value := range want {
				var got string
				err := conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got)
				if err != nil || got != value {
					t.Errorf("%s: %s = %q, %v; want %q", name, pragma, got, err, value)
				}
			}
		}
	}
}

func TestReadersCannotWrite(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "coinslot.db"))
	for _, statement := range []string{
		`DELETE FROM sessions`, `PRAGMA query_only = 0; DELETE FROM sessions`,
	} {
		if _, err := db.Reader.ExecContext(t.Context(), statement); err == nil {
			t.Errorf("%s succeeded on a reader", statement)
		}
	}
}

// Leases of a process that is gone are ended by the next one: it is alone. What is
// claimed again has another epoch.
func TestLeasesEndWithTheProcess(t *testing.T) {
	path, now := filepath.Join(t.TempDir(), "coinslot.db"), time.Unix(100, 0)
	for round := range 3 {
		db := fortest.Must(Open(t.Context(),
			Config{DSN: path, Endpoints: []string{"https://a.example/"}}))(t)
		if round == 0 {
			s := sample(1)
			s.DueAt = now
			fortest.Must(db.Insert(t.Context(), s))(t)
			tell(t, db, 2)
		}
		sessions, err := db.Claim(t.Context(), now, time.Hour, 10, false)
		if err != nil || len(sessions) != 1 || sessions[0].Epoch != int64(round+1) {
			t.Errorf("round %d: Claim = %+v, %v; want the session with epoch %d", round, sessions,
				err, round+1)
		}
		deliveries, err := db.ClaimDeliveries(t.Context(), now, time.Hour, 10,
			[]string{"https://a.example/"})
		if err != nil || len(deliveries) != 1 {
			t.Errorf("round %d: ClaimDeliveries = %+v, %v; want one", round, deliveries, err)
		}
		fortest.Equal(t, fortest.Must(db.BeginRun(t.Context(), gatewaylist.Run{}, now,
			time.Hour))(t),
			int64(round+1), "round %d: BeginRun", round)
		fortest.OK(t, db.Close())
	}
}

// tell stores session n with event n.
func tell(t testing.TB, db *DB, n int) {
	t.Helper()
	s := fortest.Must(db.Insert(t.Context(), sample(n)))(t)
	fortest.Must(db.Update(t.Context(), s.ID, 0, func(*payment.Session) ([]payment.Event, error) {
		return []payment.Event{
			{
				ID:      fmt.Sprintf("evt_%d", n),
				Session: s.ID,
				Type:    payment.EventPending,
				At:      s.CreatedAt,
				Body:    []byte("{}"),
			},
		}, nil
	}))(t)
}

// modernc.org/sqlite works only with the modernc.org/libc that its own go.mod
// names; another one that some module asks for breaks it at run time.
func TestLibcIsTheDriversOwn(t *testing.T) {
	module := func(format, name string) string {
		out := fortest.Must(exec.CommandContext(t.Context(), "go", "list", "-m", "-f", format,
			name).Output())(t)
		return strings.TrimSpace(string(out))
	}
	want := fortest.Must(os.ReadFile(module("{{.GoMod}}", "modernc.org/sqlite")))(t)
	got := module("{{.Path}} {{.Version}}", "modernc.org/libc")
	if !strings.Contains(string(want), got+"\n") {
		t.Errorf("linked is %s; modernc.org/sqlite wants another one:\n%s", got, want)
	}
}

// databases returns addresses of empty databases: PostgreSQL's too, where t can have one.
func databases(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{"SQLite": filepath.Join(t.TempDir(), "coinslot.db")}
	if pgtest.Has(t) {
		all["PostgreSQL"] = pgtest.DSN(t)
	}
	return all
}

func reader(t *testing.T, dsn string) *DB {
	t.Helper()
	db := fortest.Must(OpenReader(t.Context(), Config{DSN: dsn}))(t)
	t.Cleanup(func() { fortest.OK(t, db.Close()) })
	return db
}

// A reader sees what a running server writes, and what a stopped one has written.
func TestReaderBesideAWriter(t *testing.T) {
	for name, dsn := range databases(t) {
		t.Run(name, func(t *testing.T) {
			db := fortest.Must(Open(t.Context(), Config{DSN: dsn}))(t)
			r := reader(t, dsn)
			tell(t, db, 1)
			wantReads(t, r, 1)
			tell(t, db, 2)
			wantReads(t, r, 2)
			fortest.OK(t, db.Close())
			wantReads(t, r, 2)
			wantReads(t, reader(t, dsn), 2)
			tell(t, opened(t, dsn), 3)
			wantReads(t, r, 3)
		})
	}
}

func wantReads(t *testing.T, r *DB, sessions int) {
	t.Helper()
	if page, err := r.List(t.Context(),
		payment.Filter{}); err != nil || len(page.Sessions) != sessions {
		t.Errorf("List has %d sessions, %v; want %d", len(page.Sessions), err, sessions)
	}
	if page, err := r.Events(t.Context(),
		webhook.EventQuery{}); err != nil || len(page.Events) != sessions {
		t.Errorf("Events has %d, %v; want %d", len(page.Events), err, sessions)
	}
	fortest.OK(t, r.Ping(t.Context()))
}

func TestReaderCannotWrite(t *testing.T) {
	for name, dsn := range databases(t) {
		tell(t, opened(t, dsn), 1)
		r := reader(t, dsn)
		_, insert := r.Insert(t.Context(), sample(2))
		_, update := r.Update(t.Context(), sample(1).ID, 0,
			func(*payment.Session) ([]payment.Event, error) { return nil, nil })
		_, claim := r.Claim(t.Context(), time.Now(), time.Minute, 1, false)
		touch := r.Touch(t.Context(), checkout.StoredSession{Session: sample(1)}, time.Time{},
			time.Time{})
		for _, err := range []error{insert, update, claim, touch} {
			fortest.Is(t, err, ErrReadOnly, "%s: writing", name)
		}
		if _, err := r.Reader.ExecContext(t.Context(),
			`DELETE FROM events`); err == nil && !r.Shared() {
			t.Errorf("%s: the connections of a reader can write", name)
		}
	}
}

func TestReaderRefuses(t *testing.T) {
	dir := t.TempDir()
	empty, text := filepath.Join(dir, "empty"), filepath.Join(dir, "text")
	fortest.OK(t, os.WriteFile(empty, nil, 0o600))
	fortest.OK(t, os.WriteFile(text, make([]byte, 4096), 0o600))
	refused := []string{"", filepath.Join(dir, "none"), empty, text}
	if pgtest.Has(t) {
		refused = append(refused, pgtest.DSN(t))
	}
	for _, dsn := range refused {
		if db, err := OpenReader(t.Context(), Config{DSN: dsn}); err == nil {
			_ = db.Close()
			t.Errorf("OpenReader(%q) succeeded", dsn)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("OpenReader has made a file: %v", err)
	}
	for name, dsn := range databases(t) {
		db := opened(t, dsn)
		run(t, db.Writer,
			`INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)`)
		if db, err := OpenReader(t.Context(), Config{DSN: dsn}); err == nil {
			_ = db.Close()
			t.Errorf("%s: OpenReader of newer tables succeeded", name)
		}
	}
}
