package store

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"coinslot/bff/checkout"
	"coinslot/bff/store/pgtest"
)

// aged takes from db what the release before the console did not know, tables and
// all, and closes it.
func aged(t *testing.T, db *DB) {
	t.Helper()
	provider, err := db.dialect.provider(db.writer)
	if err != nil {
		t.Fatal(err)
	}
	console := int64(3)
	if db.Shared() {
		console = 2
	}
	if _, err := provider.DownTo(t.Context(), console-1); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// Sessions that an older release has written become searchable soon after the
// start, and those that one has written beside this release after the next.
func TestOldSessionsBecomeSearchable(t *testing.T) {
	for kind, dsn := range map[string]string{"sqlite": filepath.Join(t.TempDir(), "coinslot.db"), "postgres": pgtest.DSN(t)} {
		t.Run(kind, func(t *testing.T) {
			const many = 2*mendBatch + 7
			fill := func(db *DB) {
				for n := range many {
					s := sample(n)
					s.CreatedAt = s.CreatedAt.Add(time.Duration(n) * time.Second)
					s.Order.Email = "ann@shop.example"
					s.Attempts = []checkout.Attempt{{Number: 1, Marker: fmt.Sprint(n), State: checkout.Waiting, CurrencySymbol: "USDT", NetworkCode: "trc20", Address: "T-old"}}
					if _, err := db.Insert(t.Context(), s); err != nil {
						t.Fatal(err)
					}
				}
			}
			old, err := Open(t.Context(), Config{DSN: dsn})
			if err != nil {
				t.Fatal(err)
			}
			fill(old)
			aged(t, old)

			db, err := Open(t.Context(), Config{DSN: dsn})
			if err != nil {
				t.Fatal(err)
			}
			all := func(db *DB, q checkout.Query) (n int) {
				for q.Limit = 100; ; {
					page, err := db.Search(t.Context(), q)
					if err != nil {
						t.Fatal(err)
					}
					if n += len(page.Sessions); page.Next == "" {
						return n
					}
					q.Cursor = page.Next
				}
			}
			for _, q := range []checkout.Query{{Text: "ann@shop.example"}, {Text: "T-OLD"}, {Coin: "USDT"}} {
				eventually(t, fmt.Sprintf("all are found by %+v", q), func() bool { return all(db, q) == many })
			}
			run(t, db.writer, `DELETE FROM facets WHERE session = (SELECT min(session) FROM facets)`) // as the older release inserts
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			db = opened(t, dsn)
			eventually(t, "what the older release has written beside this one is found", func() bool { return all(db, checkout.Query{Coin: "USDT"}) == many })
		})
	}
}
