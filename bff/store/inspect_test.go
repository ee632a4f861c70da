package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/store/pgtest"
)

// Inspect reports the state, and creates and changes nothing.
func TestInspect(t *testing.T) {
	for name, dsn := range databases(t) {
		t.Run(name, func(t *testing.T) {
			before, err := Inspect(t.Context(), dsn)
			if name == "SQLite" {
				if !errors.Is(err, os.ErrNotExist) || len(files(t, dsn)) > 0 {
					t.Errorf("of no file: %v, and there is %v", err, files(t, dsn))
				}
			} else if err != nil || before.Version != 0 || !before.CanWrite ||
				before.Server < 130000 {
				t.Errorf("of an empty database: %+v, %v", before, err)
			}
			db := fortest.Must(Open(t.Context(), Config{DSN: dsn}))(t)
			tell(t, db, 1)
			wantCurrent(t, dsn)
			fortest.OK(t, db.Close())
			closed := files(t, dsn)
			wantCurrent(t, dsn)
			fortest.Equal(t, len(files(t, dsn)), len(closed), "looking left")
		})
	}
}

// The setting's default is a path that is not absolute. It used to be taken for a
// host by those who only look.
func TestPathInThisFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, path := range []string{"coinslot.db", "./here.db", "a folder/coinslot.db"} {
		fortest.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
		db := fortest.Must(Open(t.Context(), Config{DSN: path}))(t)
		tell(t, db, 1)
		wantCurrent(t, path)
		fortest.OK(t, db.Close())
		wantCurrent(t, path)
		reader, err := OpenReader(t.Context(), Config{DSN: path})
		if err != nil {
			t.Errorf("OpenReader(%q): %v", path, err)
			continue
		}
		fortest.OK(t, reader.Close())
	}
}

func wantCurrent(t *testing.T, dsn string) {
	t.Helper()
	s, err := Inspect(t.Context(), dsn)
	if err != nil || s.Version == 0 || s.Version != s.Latest || !s.CanWrite ||
		s.ClockAhead.Abs() > 5*time.Second {
		t.Errorf("Inspect = %+v, %v", s, err)
	}
}

// files are those of an SQLite database.
func files(t *testing.T, dsn string) []string {
	t.Helper()
	if strings.HasPrefix(dsn, "postgres") {
		return nil
	}
	return fortest.Must(filepath.Glob(dsn + "*"))(t)
}

// A PostgreSQL user with read access only is recognized.
func TestInspectRights(t *testing.T) {
	dsn := pgtest.DSN(t)
	db := opened(t, dsn)
	fortest.OK(t, db.Execute(t.Context(), `CREATE ROLE onlooker LOGIN`))
	fortest.OK(t,
		db.Execute(t.Context(), `GRANT SELECT ON ALL TABLES IN SCHEMA public TO onlooker`))
	s, err := Inspect(t.Context(), strings.Replace(dsn, "postgres@", "onlooker@", 1))
	if err != nil || s.CanWrite || s.Version == 0 {
		t.Errorf("Inspect = %+v, %v; want tables that may not be written", s, err)
	}
}
