package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/outbox"
	"coinslot/bff/payment"
	"coinslot/bff/store/pgtest"
	"coinslot/bff/store/sqldb"
)

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
	if page, err := r.List(t.Context(), payment.Filter{}); err != nil || len(page.Sessions) != sessions {
		t.Errorf("List has %d sessions, %v; want %d", len(page.Sessions), err, sessions)
	}
	if page, err := r.Events(t.Context(), outbox.EventQuery{}); err != nil || len(page.Events) != sessions {
		t.Errorf("Events has %d, %v; want %d", len(page.Events), err, sessions)
	}
	fortest.OK(t, r.Ping(t.Context()))
}

func TestReaderCannotWrite(t *testing.T) {
	for name, dsn := range databases(t) {
		tell(t, opened(t, dsn), 1)
		r := reader(t, dsn)
		_, insert := r.Insert(t.Context(), sample(2))
		_, update := r.Update(t.Context(), sample(1).ID, func(*payment.Session) ([]payment.Event, error) { return nil, nil })
		_, claim := r.Claim(t.Context(), time.Now(), time.Minute, 1)
		for _, err := range []error{insert, update, claim, r.Touch(t.Context(), sample(1), time.Time{}, time.Time{})} {
			if !errors.Is(err, sqldb.ErrReadOnly) {
				t.Errorf("%s: writing = %v; want that it was opened for reading only", name, err)
			}
		}
		if _, err := r.Reader.ExecContext(t.Context(), `DELETE FROM events`); err == nil {
			t.Errorf("%s: the connections of a reader can write", name)
		}
		r.Announce("cs_1") // notifies no instance
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
		run(t, db.Writer, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)`)
		if db, err := OpenReader(t.Context(), Config{DSN: dsn}); err == nil {
			_ = db.Close()
			t.Errorf("%s: OpenReader of newer tables succeeded", name)
		}
	}
}
