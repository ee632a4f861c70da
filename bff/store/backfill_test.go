package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/console"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

// aged takes from db what the release before the console did not know, tables and
// all, and closes it.
func aged(t *testing.T, db *DB) {
	t.Helper()
	provider := fortest.Must(db.Dialect.Provider(db.Writer))(t)
	console := int64(3)
	if db.Shared() {
		console = 2
	}
	fortest.Must(provider.DownTo(t.Context(), console-1))(t)
	if db.Shared() {
		run(t, db.Writer, beforehand(t))
	}
	fortest.OK(t, db.Close())
}

// beforehand is what docs/upgrade.md says to make before an upgrade.
func beforehand(t *testing.T) string {
	t.Helper()
	text := fortest.Must(os.ReadFile("../../docs/upgrade.md"))(t)
	statement := regexp.MustCompile(`CREATE INDEX CONCURRENTLY [^;]*`).Find(text)
	if statement == nil {
		t.Fatal("docs/upgrade.md does not say how to make the index")
	}
	return string(statement)
}

// Sessions that an older release has written become searchable soon after the
// start, and those that one has written beside this release after the next.
func TestOldSessionsBecomeSearchable(t *testing.T) {
	for kind, dsn := range databases(t) {
		t.Run(kind, func(t *testing.T) {
			const many = 2*backfillSize + 7
			fill := func(db *DB) {
				for n := range many {
					s := sample(n)
					s.CreatedAt = s.CreatedAt.Add(time.Duration(n) * time.Second)
					s.Order.Email = "ann@shop.example"
					s.Attempts = []payment.Attempt{{Number: 1, Marker: fmt.Sprint(n), State: payment.Waiting, CurrencySymbol: "USDT", NetworkCode: "trc20", Address: "T-old"}}
					fortest.Must(db.Insert(t.Context(), s))(t)
				}
			}
			old := fortest.Must(Open(t.Context(), Config{DSN: dsn}))(t)
			fill(old)
			aged(t, old)

			db := fortest.Must(Open(t.Context(), Config{DSN: dsn}))(t)
			all := func(db *DB, q console.Query) (n int) {
				for q.Limit = 100; ; {
					page := fortest.Must(db.Search(t.Context(), q))(t)
					if n += len(page.Sessions); page.Next == "" {
						return n
					}
					q.Cursor = page.Next
				}
			}
			for _, q := range []console.Query{{Text: "ann@shop.example"}, {Text: "T-OLD"}, {Coin: "USDT"}} {
				fortest.Until(t, fmt.Sprintf("all are found by %+v", q), func() bool { return all(db, q) == many })
			}
			run(t, db.Writer, `DELETE FROM facets WHERE session = (SELECT min(session) FROM facets)`) // as the older release inserts
			fortest.OK(t, db.Close())
			db = opened(t, dsn)
			fortest.Until(t, "what the older release has written beside this one is found", func() bool { return all(db, console.Query{Coin: "USDT"}) == many })
		})
	}
}

// formerly changes a session as a release does without a search index.
func formerly(t *testing.T, db *DB, id string, change func(*payment.Session)) {
	t.Helper()
	fortest.OK(t, db.Write(t.Context(), func(tx *sql.Tx) error {
		r, err := readRow(t.Context(), tx, sessionByID, id)
		if err != nil {
			return err
		}
		s, err := r.session()
		if err != nil {
			return err
		}
		change(&s)
		s.Version++
		_, _, err = put(t.Context(), tx, updateSession, s)
		return err
	}))
}

// countedNow is how the sessions of the last day are counted.
func countedNow(t *testing.T, db *DB) (list []string) {
	t.Helper()
	counts := fortest.Must(db.Tally(t.Context(), time.Now().Add(-24*time.Hour), time.Now().Add(time.Hour)))(t)
	for _, c := range counts {
		list = append(list, fmt.Sprintf("%d %s %s", c.Sessions, c.Status, c.Coin))
	}
	return list
}

// confirmedOn makes a session confirmed, of another coin and with a transaction id.
func confirmedOn(s *payment.Session) {
	s.Status = wire.Confirmed
	s.Attempts = []payment.Attempt{{Number: 1, Marker: s.ID, State: payment.Confirmed, CurrencySymbol: "ETH", NetworkCode: "erc20", TxID: "0xAB" + s.ID}}
}

// An older release beside this one has confirmed a session. Once, it was counted
// as pending forever, and not found by its transaction id.
func TestOlderReleaseChangesASession(t *testing.T) {
	for kind, dsn := range databases(t) {
		t.Run(kind, func(t *testing.T) {
			db := opened(t, dsn)
			insert := func(n int) payment.Session {
				s := sample(n)
				s.CreatedAt = time.Now().Truncate(time.Microsecond).UTC()
				s = fortest.Must(db.Insert(t.Context(), s))(t)
				return s
			}
			found := func(s payment.Session) bool {
				page := fortest.Must(db.Search(t.Context(), console.Query{Text: "ab" + s.ID, Coin: "ETH", Status: "confirmed"}))(t)
				return len(page.Sessions) == 1
			}
			s := insert(1)
			formerly(t, db, s.ID, confirmedOn)
			fortest.Must(db.Update(t.Context(), s.ID, func(*payment.Session) ([]payment.Event, error) { return nil, nil }))(t)
			if got := countedNow(t, db); !slices.Equal(got, []string{"1 confirmed ETH"}) || !found(s) {
				t.Errorf("after the next change: counted %q, found %t; want it confirmed and found", got, found(s))
			}
			if !db.Shared() {
				return // no other release can be beside this one
			}
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() { db.backfillAgain(ctx, slices.Repeat([]time.Duration{time.Millisecond}, 100_000)); close(ended) }()
			defer func() { stop(); <-ended }()
			for n := 2; n < 4; n++ { // one of them after the first pass
				s := insert(n)
				formerly(t, db, s.ID, confirmedOn)
				fortest.Until(t, "a later pass backfills it", func() bool {
					return slices.Equal(countedNow(t, db), []string{fmt.Sprint(n, " confirmed ETH")}) && found(s)
				})
			}
		})
	}
	if after := backfillAfter(); len(after) < 2 || after[1] < time.Minute {
		t.Errorf("mending after %v; want a second pass some minutes after the start", after)
	}
}
