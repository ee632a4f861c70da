package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"

	"modernc.org/sqlite"
)

// together runs the writes as one batch, in their order, and returns their errors;
// what panics or ends its goroutine has none.
func together(t *testing.T, db *DB, writes ...func(tx *sql.Tx) error) []error {
	t.Helper()
	errs := make([]error, len(writes))
	var all sync.WaitGroup
	begun, goes := make(chan struct{}), make(chan struct{})
	write := func(i int, fn func(tx *sql.Tx) error) {
		all.Go(func() {
			defer func() { _ = recover() }()
			errs[i] = db.Write(t.Context(), fn)
		})
	}
	var once sync.Once
	write(0, func(tx *sql.Tx) error {
		once.Do(func() { close(begun) })
		<-goes
		return writes[0](tx)
	})
	<-begun
	for i, fn := range writes[1:] {
		write(i+1, fn)
		waits(t, i+1)
	}
	close(goes)
	all.Wait()
	return errs
}

// waits returns when n callers stand in the queue of writers: they block in enqueue's select.
func waits(t *testing.T, n int) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	fortest.Until(t, fmt.Sprintf("%d wait", n), func() bool {
		blocked := 0
		all := string(stacks[:runtime.Stack(stacks, true)])
		for stack := range strings.SplitSeq(all, "\n\n") {
			if strings.Contains(stack, " [select") && strings.Contains(stack, ".(*DB).enqueue(") {
				blocked++
			}
		}
		return blocked == n
	})
}

// writes is a write of session n.
func writes(n int) func(tx *sql.Tx) error {
	return func(tx *sql.Tx) error {
		_, written, err := put(context.Background(), tx, insertSession, sample(n))
		if err == nil && !written {
			err = payment.ErrExists
		}
		return err
	}
}

// has returns which of the ten sessions from first on are there, by their last digit.
func has(t *testing.T, db *DB, first int) (there string) {
	t.Helper()
	for n := range 10 {
		if _, err := db.Session(t.Context(), sample(first+n).ID); err == nil {
			there += fmt.Sprint(n)
		} else if !errors.Is(err, payment.ErrNotFound) {
			t.Fatal(err)
		}
	}
	return there
}

// commits counts the commits of db that have written something, and lets those
// fail for which fails says so.
func commits(t *testing.T, db *DB, fails func() bool) *atomic.Int64 {
	t.Helper()
	conn := fortest.Must(db.Writer.Conn(t.Context()))(t)
	defer conn.Close()
	n := new(atomic.Int64)
	fortest.OK(t, conn.Raw(func(c any) error {
		if counted, ok := c.(counted); ok {
			c = counted.Conn
		}
		c.(sqlite.HookRegisterer).RegisterCommitHook(func() int32 {
			if fails != nil && fails() {
				return 1
			}
			n.Add(1)
			return 0
		})
		return nil
	}))
	return n
}

// A part that fails in whatever way takes nothing of the others with it, and leaves nothing behind.
func TestPartFailsAlone(t *testing.T) {
	failure := errors.New("no")
	db, first := opened(t, filepath.Join(t.TempDir(), "coinslot.db")), 0
	for name, fail := range map[string]func(tx *sql.Tx) error{
		"error":    func(*sql.Tx) error { return failure },
		"conflict": func(tx *sql.Tx) error { return writes(first)(tx) },
		"bad SQL":  func(tx *sql.Tx) error { _, err := tx.Exec(`INSERT INTO nothing VALUES (1)`); return err },
		"panic":    func(*sql.Tx) error { panic("no") },
		"goexit":   func(*sql.Tx) error { runtime.Goexit(); return nil },
		"rows left open": func(tx *sql.Tx) error {
			_, err := tx.Query(`SELECT id FROM sessions`) //nolint:rowserrcheck,sqlclosecheck // left open is what is tested
			return errors.Join(err, failure)
		},
		// As a full disk, or who goes away in the middle of a statement.
		"all undone": func(tx *sql.Tx) error { _, err := tx.Exec(`ROLLBACK`); return errors.Join(err, failure) },
	} {
		for place, want := range []string{"023", "013", "012"} {
			first += 10
			fortest.OK(t, db.Write(t.Context(), writes(first)))
			list := []func(tx *sql.Tx) error{writes(first + 1), writes(first + 2), writes(first + 3)}
			fine := list[place]
			runs := 0
			list[place] = func(tx *sql.Tx) error { runs++; return errors.Join(fine(tx), fail(tx)) }
			for i, err := range together(t, db, list...) {
				if i != place && err != nil || i == place && err == nil && name != "panic" && name != "goexit" {
					t.Errorf("%s in part %d: write %d = %v", name, place, i, err)
				}
			}
			if runs > 2 {
				t.Errorf("%s in part %d: ran %d times; want twice at most", name, place, runs)
			}
			fortest.Equal(t, has(t, db, first), want,
				"%s in part %d: sessions are there", name, place)
		}
	}
}

// A part sees what the parts before it have written, and readers see none of them
// until they are committed. No caller gets its result earlier.
func TestPartSeesEarlierParts(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "coinslot.db"))
	n := commits(t, db, nil)
	errs := together(t, db, writes(1), writes(1), writes(2), func(*sql.Tx) error {
		if there := has(t, db, 0); there != "" || n.Load() != 0 {
			t.Errorf("readers see sessions %q after %d commits; want none", there, n.Load())
		}
		return nil
	})
	if errs[0] != nil || !errors.Is(errs[1], payment.ErrExists) || errs[2] != nil || errs[3] != nil {
		t.Errorf("errors %v; want the second to find what the first has written", errs)
	}
	if there := has(t, db, 0); there != "12" || n.Load() != 1 {
		t.Errorf("sessions %q are there after %d commits; want 12 after 1", there, n.Load())
	}
}

// A commit that fails has failed for all, also for who has refused to change what was never there.
func TestFailedCommitFailsAllParts(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "coinslot.db"))
	var fail atomic.Bool
	commits(t, db, fail.Load)
	fail.Store(true)
	var unchanged, exists error
	begun, goes := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		err := db.Write(t.Context(), func(tx *sql.Tx) error {
			close(begun)
			<-goes
			return writes(1)(tx)
		})
		fortest.Fails(t, err, "a write whose commit failed succeeded")
	})
	<-begun
	all.Go(func() {
		_, unchanged = db.Update(t.Context(), sample(1).ID, func(*payment.Session) ([]payment.Event, error) {
			return nil, payment.ErrUnchanged
		})
	})
	waits(t, 1)
	all.Go(func() { _, exists = db.Insert(t.Context(), sample(1)) })
	waits(t, 2)
	close(goes)
	all.Wait()
	if unchanged == nil || errors.Is(unchanged, payment.ErrUnchanged) {
		t.Errorf("Update of a session that was not committed = %v", unchanged)
	}
	if exists == nil || errors.Is(exists, payment.ErrExists) {
		t.Errorf("Insert beside a session that was not committed = %v", exists)
	}
	fail.Store(false)
	fortest.Equal(t, has(t, db, 0), "", "session is there")
	fortest.Must(db.Insert(t.Context(), sample(1)))(t)
}

// One who waits may go away, also in the moment of their turn: the others go on.
func TestWriterQueueIsNeverStuck(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "coinslot.db"))
	for round := range 25 {
		var all sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		for n := range 16 {
			all.Go(func() {
				mine := t.Context()
				if n%2 == 1 {
					mine = ctx
				}
				_, err := db.Insert(mine, sample(round*16+n))
				if n%2 == 0 && err != nil {
					t.Errorf("Insert = %v", err)
				}
				if n == 6 {
					cancel()
				}
			})
		}
		all.Wait()
		cancel()
	}
	waits(t, 0)
}

// A batch takes so many and no more: the first of them waits for the last.
func TestBatchIsBounded(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "coinslot.db"))
	n := commits(t, db, nil)
	const maxParts = 64
	list := make([]func(tx *sql.Tx) error, maxParts+1)
	for i := range list {
		list[i] = writes(i)
	}
	fortest.OK(t, errors.Join(together(t, db, list...)...))
	if n.Load() != 2 {
		t.Errorf("%d commits of %d writes; want 2", n.Load(), len(list))
	}
}
