package store

import (
	"path/filepath"
	"testing"

	"coinslot/bff/store/storetest"
)

// opened is a database at path that is closed when t ends.
func opened(t testing.TB, path string, endpoints ...string) *DB {
	t.Helper()
	db, err := Open(t.Context(), Config{DSN: path, Endpoints: endpoints})
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
	return db
}

func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T, endpoints []string) storetest.Backend {
		return opened(t, filepath.Join(t.TempDir(), "coinslot.db"), endpoints...)
	})
}
