//go:build linux

package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/store/pgtest"

	"github.com/jackc/pgx/v5"
)

// marking is a change that adds a line to the session's timeline.
func marking(mark string) func(*payment.Session) ([]payment.Event, error) {
	return func(s *payment.Session) ([]payment.Event, error) {
		s.Timeline = append(s.Timeline, payment.TimelineEntry{What: mark})
		return []payment.Event{
			{ID: "evt_" + mark, Session: s.ID, At: s.CreatedAt, Body: []byte("{}")},
		}, nil
	}
}

// wantMarks fails unless the session has every acknowledged mark, no refused one,
// none twice, and one version and one event for each that it has.
func wantMarks(t *testing.T, db *DB, id string, acknowledged, refused []string) {
	t.Helper()
	s := fortest.Must(db.Session(t.Context(), id))(t)
	times := map[string]int{}
	for _, e := range s.Timeline {
		times[e.What]++
	}
	for _, mark := range acknowledged {
		fortest.Equal(t, times[mark], 1, "acknowledged %s is there times", mark)
	}
	for _, mark := range refused {
		fortest.Equal(t, times[mark], 0, "refused %s is there times", mark)
	}
	for mark, n := range times {
		if n > 1 {
			t.Errorf("%s is there %d times", mark, n)
		}
	}
	events := count(t, db.Reader, `SELECT count(*) FROM events WHERE session = '`+id+`'`)
	if s.Version != int64(1+len(s.Timeline)) || events != len(s.Timeline) {
		t.Errorf("version %d and %d events after %d changes", s.Version, events, len(s.Timeline))
	}
}

// The server is killed under load and started again.
func TestPostgresKilled(t *testing.T) {
	cluster := pgtest.New(t)
	db := opened(t, cluster.DSN(t))
	var all sync.WaitGroup
	var mu sync.Mutex
	acknowledged := map[string][]string{} // by session
	var unknown, refused, done atomic.Int64
	stop := make(chan struct{})
	for w := range 6 {
		id := sample(w).ID
		fortest.Must(db.Insert(t.Context(), sample(w)))(t)
		all.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				mark := fmt.Sprintf("%d_%d", w, n)
				switch _, err := db.Update(t.Context(), id, 0, marking(mark)); {
				case err == nil:
					mu.Lock()
					acknowledged[id] = append(acknowledged[id], mark)
					mu.Unlock()
					done.Add(1)
				case isUnknown(err):
					unknown.Add(1)
				default:
					refused.Add(1)
				}
			}
		})
	}
	for round := range 3 {
		fortest.Until(t, "the writers write", advanced(&done, 20))
		cluster.Kill(t)
		cluster.Start(t)
		back := time.Now()
		fortest.Until(t, "writing continues", advanced(&done, 1))
		t.Logf("round %d: back %v after the server", round, time.Since(back))
		if time.Since(back) > 2*time.Second {
			t.Error("the service was away for longer than 2s")
		}
	}
	close(stop)
	all.Wait()
	for w := range 6 {
		wantMarks(t, db, sample(w).ID, acknowledged[sample(w).ID], nil)
	}
	t.Logf("%d acknowledged, %d unknown, %d refused", done.Load(), unknown.Load(), refused.Load())
}

// advanced reports whether n has grown by more since.
func advanced(n *atomic.Int64, more int64) func() bool {
	from := n.Load()
	return func() bool { return n.Load() >= from+more }
}

// Connections are ended at random during 200 updates.
func TestPostgresConnectionsEnded(t *testing.T) {
	dsn := pgtest.DSN(t)
	db := opened(t, dsn)
	fortest.Must(db.Insert(t.Context(), sample(1)))(t)
	admin := fortest.Must(pgx.Connect(t.Context(), dsn))(t)
	defer admin.Close(context.WithoutCancel(t.Context()))
	stop, ended := make(chan struct{}), make(chan int)
	go func() {
		kills := 0
		for {
			select {
			case <-stop:
				ended <- kills
				return
			case <-time.After(rand.N(20 * time.Millisecond)):
			}
			tag, err := admin.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE datname = current_database() AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1`)
			if err != nil {
				t.Errorf("ending a connection: %v", err)
			}
			kills += int(tag.RowsAffected())
		}
	}()
	var mu sync.Mutex
	var acknowledged, refused []string
	unknown := 0
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			for n := range 50 {
				mark := fmt.Sprintf("%d_%d", w, n)
				_, err := db.Update(t.Context(), sample(1).ID, 0, marking(mark))
				mu.Lock()
				switch {
				case err == nil:
					acknowledged = append(acknowledged, mark)
				case isUnknown(err):
					unknown++
				default:
					refused = append(refused, mark)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	close(stop)
	kills := <-ended
	t.Logf("%d acknowledged, %d refused, %d unknown, %d connections ended", len(acknowledged),
		len(refused), unknown, kills)
	if kills == 0 || len(acknowledged) < 20 {
		t.Errorf("%d connections were ended, %d updates acknowledged", kills, len(acknowledged))
	}
	wantMarks(t, db, sample(1).ID, acknowledged, refused)
}

// A server that has stopped where it was blocks no caller forever.
func TestPostgresPaused(t *testing.T) {
	cluster := pgtest.New(t)
	db := opened(t, cluster.DSN(t))
	fortest.Must(db.Insert(t.Context(), sample(1)))(t)
	db.patience = 300 * time.Millisecond
	resume := cluster.Pause(t)
	uses := map[string]func() error{
		"Session": func() error { _, err := db.Session(t.Context(), sample(1).ID); return err },
		"Update": func() error {
			_, err := db.Update(t.Context(), sample(1).ID, 0, marking("paused"))
			return err
		},
		"Claim": func() error {
			_, err := db.Claim(t.Context(), time.Now(), time.Minute, 10, false)
			return err
		},
		"Ping": func() error { return db.Ping(t.Context()) },
		"Take": func() error { _, err := db.Bucket("x", 1).Take(t.Context(), 0); return err },
	}
	for name, use := range uses {
		start := time.Now()
		fortest.Fails(t, use(), "%s succeeded", name)
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("%s took %v; want its patience", name, took)
		}
	}
	start := time.Now()
	db.Now()
	if took := time.Since(start); took > 50*time.Millisecond {
		t.Errorf("Now took %v", took)
	}
	resume()
	db.patience = 10 * time.Second
	start = time.Now()
	if _, err := db.Update(t.Context(), sample(1).ID, 0,
		marking("resumed")); err != nil || time.Since(start) > 2*time.Second {
		t.Errorf("Update after the pause = %v, after %v", err, time.Since(start))
	}
	wantMarks(t, db, sample(1).ID, []string{"resumed"}, nil)
}

// Others have taken all connections that the server has.
func TestPostgresSlotsExhausted(t *testing.T) {
	cluster := pgtest.New(t, "max_connections=8", "superuser_reserved_connections=0",
		"max_wal_senders=0")
	dsn := cluster.DSN(t)
	db := opened(t, dsn)
	fortest.Must(db.Insert(t.Context(), sample(1)))(t)
	var taken []*pgx.Conn
	for {
		conn, err := pgx.Connect(t.Context(), dsn)
		if err != nil {
			break
		}
		taken = append(taken, conn)
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	var acknowledged, refused []string
	for n := range 20 {
		all.Go(func() {
			mark := fmt.Sprint(n)
			start := time.Now()
			_, err := db.Update(t.Context(), sample(1).ID, 0, marking(mark))
			took := time.Since(start)
			if took >= 10*time.Second { // it is refused, and not waited for
				t.Errorf("Update took %v", took)
			}
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				acknowledged = append(acknowledged, mark)
			} else {
				refused = append(refused, mark)
			}
		})
	}
	all.Wait()
	for _, conn := range taken {
		_ = conn.Close(t.Context())
	}
	fortest.Until(
		t,
		"it writes again",
		func() bool {
			_, err := db.Update(t.Context(), sample(1).ID, 0, marking("again"))
			return err == nil
		},
	)
	wantMarks(t, db, sample(1).ID, append(acknowledged, "again"), refused)
	t.Logf("%d others connected; %d acknowledged, %d refused", len(taken), len(acknowledged),
		len(refused))
}

// A deadlock is broken by the database, and the whole transaction runs again.
func TestDeadlockRunsAgain(t *testing.T) {
	db := opened(t, pgtest.DSN(t))
	for n := range 2 {
		fortest.Must(db.Insert(t.Context(), sample(n)))(t)
	}
	other := fortest.Must(db.Writer.BeginTx(t.Context(), nil))(t)
	for _, statement := range []string{
		`SET LOCAL deadlock_timeout = '1h'`,
		`INSERT INTO attempts (session, number, marker) VALUES ('cs_1', 1, 'm')`,
	} {
		fortest.Must(other.ExecContext(t.Context(), statement))(t)
	}
	runs := 0
	waiting := make(chan error, 1)
	s, err := db.Update(t.Context(), "cs_0", 0, func(s *payment.Session) ([]payment.Event, error) {
		if runs++; runs == 1 {
			go func() {
				_, err := other.ExecContext(t.Context(),
					`SELECT 1 FROM sessions WHERE id = 'cs_0' FOR UPDATE`)
				waiting <- errors.Join(err, other.Rollback())
			}()
			fortest.Until(t, "the other waits", func() bool {
				return count(t, db.Reader, `SELECT count(*) FROM pg_locks WHERE NOT granted`) > 0
			})
		}
		s.Attempts = []payment.Attempt{{Number: 1, State: payment.Waiting, Marker: "m"}}
		return nil, nil
	})
	// The second run may get the row before the other, which waits for it: a second deadlock.
	if err != nil || s.Version != 2 || runs < 2 {
		t.Errorf("Update = version %d, %v after %d runs; want 2, after 2 or more", s.Version, err,
			runs)
	}
	fortest.OK(t, <-waiting)
}

// The connection is lost while a commit is under way. What has come of it is found out, and said.
func TestLostCommit(t *testing.T) {
	for name, c := range map[string]struct {
		reaches bool // the server
		runs    int
	}{"the answer is lost": {true, 1}, "the request is lost": {false, 2}} {
		t.Run(name, func(t *testing.T) {
			wire := newWiretap(t, pgtest.DSN(t))
			db := opened(t, wire.dsn, "https://a.example/")
			wire.cut(c.reaches, nil)
			s, err := db.Insert(t.Context(), sample(1))
			if err != nil || s.Version != 1 {
				t.Errorf("Insert = version %d, %v", s.Version, err)
			}
			wire.cut(c.reaches, nil)
			runs := 0
			s, err = db.Update(t.Context(), s.ID, 0, func(s *payment.Session) ([]payment.Event, error) {
				runs++
				return marking("a")(s)
			})
			if err != nil || s.Version != 2 || len(s.Timeline) != 1 || runs != c.runs {
				t.Errorf("Update = version %d, %d marks, %v after %d runs; want 2, 1 after %d",
					s.Version, len(s.Timeline), err, runs, c.runs)
			}
			wantMarks(t, db, s.ID, []string{"a"}, nil)
			fortest.Equal(t, wire.cuts.Load(), 2, "connections were cut")
			bare := sample(3)
			bare.Order.Ref = ""
			wire.cut(c.reaches, nil)
			if s, err := db.Insert(t.Context(), bare); err != nil || s.ID != bare.ID {
				t.Errorf("Insert without a reference = %q, %v", s.ID, err)
			}
			bare.Order.Title = "another"
			if _, err := db.Insert(t.Context(), bare); err == nil {
				t.Error("a taken id was inserted again")
			}
		})
	}
}

// If another instance has changed the session before that is found out, it stays unknown.
func TestLostCommitOvertaken(t *testing.T) {
	dsn := pgtest.DSN(t)
	wire := newWiretap(t, dsn)
	db, other := opened(t, wire.dsn), opened(t, dsn)
	fortest.Must(db.Insert(t.Context(), sample(1)))(t)
	wire.cut(true, func() {
		fortest.Must(other.Update(context.WithoutCancel(t.Context()), sample(1).ID, 0,
			marking("other")))(t)
	})
	_, err := db.Update(t.Context(), sample(1).ID, 0, marking("mine"))
	if !isUnknown(err) || !strings.Contains(err.Error(), "unknown outcome") {
		t.Errorf("Update = %v; want that it is unknown", err)
	}
	wantMarks(t, other, sample(1).ID, []string{"mine", "other"}, nil)
}

// Decimals and NULs come back as they went in; JSONB would change them.
func TestDocIsKeptByteForByte(t *testing.T) {
	db := opened(t, pgtest.DSN(t))
	s := sample(1)
	s.Order.Title = "a\x00b"
	fortest.Must(db.Insert(t.Context(), s))(t)
	s.Version = 1
	want := fortest.Must(json.Marshal(s))(t)
	var got string
	err := db.Reader.QueryRowContext(t.Context(), `SELECT doc FROM sessions`).Scan(&got)
	if err != nil || got != string(want) {
		t.Errorf("doc = %s, %v; want %s", got, err, want)
	}
}

// A wait for the synchronous standby is canceled by another session: the row is visible, and may be on no
// standby. Asking again succeeds only when a standby has it.
func TestInsertIsAcknowledgedOnceReplicated(t *testing.T) {
	cluster := pgtest.New(t)
	dsn := cluster.DSN(t)
	db := opened(t, dsn)
	standbys := func(names string) {
		cluster.Exec(t, "ALTER SYSTEM SET synchronous_standby_names = '"+names+"'")
		cluster.Exec(t, "SELECT pg_reload_conf()")
	}
	other := fortest.Must(sql.Open("pgx", dsn))(t)
	defer other.Close()
	waiting := func() bool {
		return count(t, other,
			`SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`) > 0
	}
	standbys("nobody")
	fortest.Until(t, "the setting holds", func() bool {
		return count(t, other, `SELECT count(*) FROM pg_settings WHERE setting = 'nobody'`) > 0
	})
	done := make(chan error, 1)
	go func() { _, err := db.Insert(t.Context(), sample(1)); done <- err }()
	fortest.Until(t, "the commit waits", waiting)
	run(t, other,
		`SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)
	fortest.Until(t, "the second try waits", func() bool {
		return count(t, other, `SELECT count(*) FROM sessions`) == 1 && (waiting() || len(done) > 0)
	})
	if len(done) > 0 {
		t.Errorf("Insert = %v before a standby has confirmed it", <-done)
		return
	}
	standbys("")
	fortest.OK(t, <-done)
}
