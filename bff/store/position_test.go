package store

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"coinslot/bff/outbox"
	"coinslot/bff/store/pgtest"
)

// A cursor that was issued after the backup was taken has a position that the restored
// database lacks, or has with another event. Reading on from there would skip events.
func TestCursorAfterARestore(t *testing.T) {
	for name, dsn := range map[string]string{
		"SQLite":     filepath.Join(t.TempDir(), "coinslot.db"),
		"PostgreSQL": pgtest.DSN(t),
	} {
		t.Run(name, func(t *testing.T) {
			db := opened(t, dsn)
			tell(t, db, 1) // is in the backup
			kept := wantEvents(t, db, outbox.EventQuery{}, "evt_1").Next
			tell(t, db, 2)
			tell(t, db, 3)
			lost := wantEvents(t, db, outbox.EventQuery{After: kept}, "evt_2", "evt_3").Next

			run(t, db.Writer, `DELETE FROM events WHERE id <> 'evt_1'`) // the restore
			wantEvents(t, db, outbox.EventQuery{After: kept})
			wantGone(t, db, lost)
			wantGone(t, db, withoutDigest(lost))
			tell(t, db, 4)
			tell(t, db, 5)
			wantGone(t, db, lost) // SQLite has evt_5 there
			wantEvents(t, db, outbox.EventQuery{After: kept}, "evt_4", "evt_5")

			// A cursor of an older release continues where it can, and comes back with a digest.
			page := wantEvents(t, db, outbox.EventQuery{After: withoutDigest(kept), Limit: 1}, "evt_4")
			if strings.Count(page.Next, ".") != 2 {
				t.Errorf("next cursor = %q; want one with a digest", page.Next)
			}
			page = wantEvents(t, db, outbox.EventQuery{After: withoutDigest(page.Next), Session: "cs_1"})
			if strings.Count(page.Next, ".") != 2 {
				t.Errorf("next cursor of an empty page = %q; want one with a digest", page.Next)
			}

			// The same change, written again after the restore, has the same id and another time.
			last := wantEvents(t, db, outbox.EventQuery{After: kept}, "evt_4", "evt_5").Next
			run(t, db.Writer, `UPDATE events SET at = at + 1 WHERE id = 'evt_5'`)
			wantGone(t, db, last)
		})
	}
}

// withoutDigest is a cursor as releases without digests issued it.
func withoutDigest(cursor string) string { return cursor[:strings.LastIndex(cursor, ".")] }

func wantGone(t *testing.T, db *DB, cursor string) {
	t.Helper()
	page, err := db.Events(t.Context(), outbox.EventQuery{After: cursor})
	if !errors.Is(err, outbox.ErrCursorGone) {
		t.Errorf("Events after %q = %+v, %v; want ErrCursorGone", cursor, page, err)
	}
}
