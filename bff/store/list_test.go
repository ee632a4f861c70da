package store

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/console"
	"coinslot/bff/fortest"
	"coinslot/bff/webhook"
)

func FuzzCursor(f *testing.F) {
	for _, text := range []string{
		"", "1.cs_1", "-1.", "01.x", "+1.x", "9223372036854775807.cs_\x00",
		"9223372036854775808.a", ".",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseCursor(text)
		if err == nil && text != "" && c.String() != text {
			t.Errorf("parseCursor(%q).String() = %q", text, c)
		}
		problem, ok := errors.AsType[*wire.Error](err)
		if err != nil && (!ok || problem.Code != wire.CodeInvalid || problem.Param != "cursor") {
			t.Errorf("parseCursor(%q) = %v; want a *wire.Error about the cursor", text, err)
		}
	})
}

// An order_ref that more than a thousand others begin with is found by the whole of it.
func TestSearchOfARefThatOthersBeginWith(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "coinslot.db"))
	s := sample(0)
	s.Order.Ref = "A-1"
	fortest.Must(db.Insert(t.Context(), s))(t)
	run(t, db.Writer, `WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n+1 FROM n WHERE n < 1100)
		INSERT INTO sessions (id, version, status, order_ref, created_at, amount_cents, unpaid_item, deleted, doc)
		SELECT id || n, version, status, order_ref || n, created_at - 1 - n, 0, 0, 0, json_set(doc, '$.id', id || n) FROM sessions, n`)
	found, err := db.Search(t.Context(), console.Query{Text: "A-1"})
	if err != nil || len(found.Sessions) == 0 || found.Sessions[0].ID != s.ID {
		t.Errorf("the first of %d that are found is not A-1 (%v)", len(found.Sessions), err)
	}
}

// However many people search at once, shoppers find a connection.
func TestSearchesLeaveRoom(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "coinslot.db"))
	const readers, browsers = 4, 2
	begun, enough := make(chan struct{}, 2*readers), make(chan struct{})
	var people sync.WaitGroup
	for range 2 * readers {
		people.Go(func() {
			if err := db.Browse(t.Context(), func(context.Context, queryer) error {
				begun <- struct{}{}
				<-enough
				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	for range browsers {
		<-begun
	}
	fortest.OK(t, db.Ping(t.Context()))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := db.Search(ctx, console.Query{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("one more search: %v; want that it waits", err)
	}
	close(enough)
	people.Wait()
}

// A cursor that was issued after the backup was taken has a position that the restored
// database lacks, or has with another event. Reading on from there would skip events.
func TestCursorAfterARestore(t *testing.T) {
	for name, dsn := range databases(t) {
		t.Run(name, func(t *testing.T) {
			db := opened(t, dsn)
			tell(t, db, 1) // is in the backup
			kept := wantEvents(t, db, webhook.EventQuery{}, "evt_1").Next
			tell(t, db, 2)
			tell(t, db, 3)
			lost := wantEvents(t, db, webhook.EventQuery{After: kept}, "evt_2", "evt_3").Next

			run(t, db.Writer, `DELETE FROM events WHERE id <> 'evt_1'`) // the restore
			wantEvents(t, db, webhook.EventQuery{After: kept})
			wantGone(t, db, lost)
			tell(t, db, 4)
			tell(t, db, 5)
			wantGone(t, db, lost) // SQLite has evt_5 there
			wantEvents(t, db, webhook.EventQuery{After: kept}, "evt_4", "evt_5")

			// The same change, written again after the restore, has the same id and another time.
			last := wantEvents(t, db, webhook.EventQuery{After: kept}, "evt_4", "evt_5").Next
			run(t, db.Writer, `UPDATE events SET at = at + 1 WHERE id = 'evt_5'`)
			wantGone(t, db, last)
		})
	}
}

func wantGone(t *testing.T, db *DB, cursor string) {
	t.Helper()
	page, err := db.Events(t.Context(), webhook.EventQuery{After: cursor})
	fortest.Is(t, err, webhook.ErrCursorGone, "Events after %q = %+v", cursor, page)
}
