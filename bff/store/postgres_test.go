package store

import (
	"database/sql"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/gateway"
	"coinslot/bff/gateway/buckettest"
	"coinslot/bff/payment"
	"coinslot/bff/store/pgtest"
	"coinslot/bff/store/storetest"
	"coinslot/bff/webhook"
)

func TestContractOnPostgres(t *testing.T) {
	storetest.Run(t, func(t *testing.T, endpoints []string) storetest.Backend {
		return opened(t, pgtest.Migrated(t, created), endpoints...)
	})
}

func TestContractOfInstances(t *testing.T) {
	storetest.RunShared(t, func(t *testing.T, endpoints []string) (one, other storetest.Backend) {
		dsn := pgtest.Migrated(t, created)
		return opened(t, dsn, endpoints...), opened(t, dsn, endpoints...)
	})
}

// PgBouncer passes on few settings and, by transaction, no prepared statements. What a connection
// was set to would stay for others.
func TestFullContractThroughPgBouncer(t *testing.T) {
	config := func(t *testing.T, mode string, endpoints []string) Config {
		return Config{
			DSN: pgtest.Pooled(t, pgtest.Migrated(t, created), mode), Endpoints: endpoints,
		}
	}
	storetest.Run(t, func(t *testing.T, endpoints []string) storetest.Backend {
		return openedAs(t, config(t, "transaction", endpoints))
	})
	for _, mode := range []string{"session", "transaction"} {
		storetest.RunShared(t, func(t *testing.T, endpoints []string) (one, other storetest.Backend) {
			c := config(t, mode, endpoints)
			return openedAs(t, c), openedAs(t, c)
		})
	}
}

// A write through a pooler is as durable and as bounded as one without, whatever the database's
// defaults are.
func TestFullSettingsThroughPgBouncer(t *testing.T) {
	pooled := pgtest.Pooled(t, pgtest.Migrated(t, created), "transaction")
	db := opened(t, pooled)
	name := fortest.Must(readOne[string](t.Context(), db, `SELECT current_database()`))(t)
	run(t, db.Writer, "ALTER DATABASE "+name+" SET synchronous_commit = off")
	run(t, db.Writer, "ALTER DATABASE "+name+" SET default_transaction_isolation = 'serializable'")
	again := opened(t, pooled)
	fortest.OK(t, again.Write(t.Context(), func(tx *sql.Tx) error {
		for setting, want := range map[string]string{
			"synchronous_commit": "on", "statement_timeout": "5s", "lock_timeout": "4s",
			"idle_in_transaction_session_timeout": "8s", "transaction_isolation": "read committed",
		} {
			var got string
			err := tx.QueryRowContext(t.Context(), `SELECT current_setting($1)`, setting).Scan(&got)
			if err != nil || got != want {
				t.Errorf("%s is %q; want %q (%v)", setting, got, want, err)
			}
		}
		return nil
	}))
}

// Instances that start at once through PgBouncer make the tables once.
func TestFullFirstStartsThroughPgBouncer(t *testing.T) {
	for _, mode := range []string{"session", "transaction"} {
		pooled := pgtest.Pooled(t, pgtest.DSN(t), mode)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				db, err := Open(t.Context(), Config{DSN: pooled})
				if err != nil {
					t.Errorf("%s: %v", mode, err)
					return
				}
				fortest.OK(t, db.Close())
			})
		}
		all.Wait()
	}
}

// A pooler keeps its connections from us when its server becomes a standby, so the first write finds
// the new primary. The other server stands for it: it has the same tables.
func TestFullPooledServerBecomesStandby(t *testing.T) {
	old, primary := pgtest.New(t), pgtest.New(t)
	direct, other := old.DSN(t), primary.DSN(t)
	fortest.OK(t, created(other))
	bouncer := fortest.Must(url.Parse(pgtest.Pooled(t, direct, "transaction")))(t)
	q, second := bouncer.Query(), fortest.Must(url.Parse(other))(t).Query()
	q.Set("host", q.Get("host")+","+second.Get("host"))
	q.Set("port", "6432,5432")
	bouncer.RawQuery = q.Encode()
	db := opened(t, bouncer.String())
	fortest.Must(db.Insert(t.Context(), sample(1)))(t)
	old.Demote(t)
	fortest.Must(db.Insert(t.Context(), sample(2)))(t)
	if n := count(t, opened(t, other).Reader, `SELECT count(*) FROM sessions`); n != 1 {
		t.Errorf("the new primary has %d sessions; want that of the last write", n)
	}
}

func TestBucket(t *testing.T) {
	for name, dsn := range map[string]func(t testing.TB) string{
		"SQLite":     func(t testing.TB) string { return t.TempDir() + "/coinslot.db" },
		"PostgreSQL": pgtest.DSN,
	} {
		t.Run(name, func(t *testing.T) {
			buckettest.Run(t, func(t *testing.T, rps int) gateway.Bucket {
				return opened(t, dsn(t)).Bucket("gateway", rps)
			})
		})
	}
	buckettest.RunShared(t, func(t *testing.T, rps int) (one, other gateway.Bucket) {
		dsn := pgtest.DSN(t)
		return opened(t, dsn).Bucket("gateway", rps), opened(t, dsn).Bucket("gateway", rps)
	})
}

func TestPostgresRefusals(t *testing.T) {
	readonly, forgetful, newer := pgtest.DSN(t), pgtest.New(t, "fsync=off"), pgtest.DSN(t)
	name := readonly[strings.Index(readonly, "test_"):strings.Index(readonly, "?")]
	db := opened(t, newer)
	run(t, db.Writer, "ALTER DATABASE "+name+" SET default_transaction_read_only = on")
	run(t, db.Writer, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)`)
	for dsn, why := range map[string]string{
		readonly:         "read only",
		forgetful.DSN(t): "fsync off",
		newer:            "version 9999",
		"postgres://%zz": "not valid",
		"postgres://user:hunter2@127.0.0.1:1/x?connect_timeout=1": "connect",
		"postgres://user:hunter2@127.0.0.1:x/hunter2":             "not valid",
		"postgresql://user:hunter2@127.0.0.1/x?sslmode=hunter2":   "not valid",
	} {
		db, err := Open(t.Context(), Config{DSN: dsn})
		if err == nil {
			_ = db.Close()
			t.Errorf("Open(%q) succeeded; want %q", dsn, why)
			continue
		}
		if !strings.Contains(err.Error(), why) || strings.Contains(err.Error(), "hunter2") ||
			strings.Contains(err.Error(), dsn) {
			t.Errorf("Open(%q) = %v; want %q, and neither address nor password", dsn, err, why)
		}
	}
}

// Several instances that start at once on an empty database.
func TestPostgresStartsTogether(t *testing.T) {
	dsn := pgtest.DSN(t)
	var all sync.WaitGroup
	for n := range 6 {
		all.Go(func() {
			db, err := Open(t.Context(), Config{DSN: dsn})
			if err != nil {
				t.Errorf("Open = %v", err)
				return
			}
			defer db.Close()
			fortest.Must(db.Insert(t.Context(), sample(n)))(t)
		})
	}
	all.Wait()
}

// The log does not show an event while one that was begun before may still come.
func TestLogWaitsForEarlierWriters(t *testing.T) {
	db := opened(t, pgtest.DSN(t))
	tell(t, db, 0)
	for _, n := range []int{1, 2} {
		fortest.Must(db.Insert(t.Context(), sample(n)))(t)
	}
	page := wantEvents(t, db, webhook.EventQuery{}, "evt_0")
	write := func(n int, during func()) {
		_, err := db.Update(t.Context(), sample(n).ID, 0, func(s *payment.Session) ([]payment.Event, error) {
			during()
			return []payment.Event{
				{ID: fmt.Sprintf("evt_%d", n), Session: s.ID, At: s.CreatedAt, Body: []byte("{}")},
			}, nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	// The first transaction has written before the second one begins, and ends
	// after it: its number is the smaller one.
	first := fortest.Must(db.Writer.BeginTx(t.Context(), nil))(t)
	fortest.OK(
		t,
		db.AppendEvents(t.Context(), first,
			[]payment.Event{{ID: "evt_1", Session: sample(1).ID, Body: []byte("{}")}}),
	)
	write(2, func() {})
	wantEvents(t, db, webhook.EventQuery{After: page.Next})
	fortest.OK(t, first.Commit())
	wantEvents(t, db, webhook.EventQuery{After: page.Next}, "evt_1", "evt_2")
	wantEvents(t, db, webhook.EventQuery{After: page.Next, Session: sample(2).ID}, "evt_2")
}

func wantEvents(t *testing.T, db *DB, q webhook.EventQuery, want ...string) webhook.EventPage {
	t.Helper()
	page := fortest.Must(db.Events(t.Context(), q))(t)
	var got []string
	for _, e := range page.Events {
		got = append(got, e.ID)
	}
	fortest.Diff(t, got, want, "Events")
	return page
}

// What others leave open on the server, in this database or another one, holds no event back.
func TestLogWaitsForNoOtherProgram(t *testing.T) {
	db := opened(t, pgtest.DSN(t))
	another := opened(t, pgtest.DSN(t))
	for n, strangers := range []*DB{db, another} {
		open := fortest.Must(strangers.Writer.BeginTx(t.Context(), nil))(t)
		fortest.Must(open.ExecContext(t.Context(),
			`INSERT INTO ended_logins (login, until) VALUES ('a', 1)`))(t)
		before := fortest.Must(db.Events(t.Context(), webhook.EventQuery{After: webhook.Latest}))(t)
		tell(t, db, n)
		wantEvents(t, db, webhook.EventQuery{After: before.Next}, fmt.Sprint("evt_", n))
		fortest.OK(t, open.Rollback())
	}
}

// The age of what is held back is known.
func TestLogHeldBack(t *testing.T) {
	db := opened(t, pgtest.DSN(t))
	tell(t, db, 0)
	fortest.Must(db.Insert(t.Context(), sample(1)))(t)
	first := fortest.Must(db.Writer.BeginTx(t.Context(), nil))(t)
	fortest.OK(t, db.AppendEvents(t.Context(), first,
		[]payment.Event{{ID: "evt_a", Session: sample(1).ID, Body: []byte("{}")}}))
	fortest.Equal(t, fortest.Must(db.Stats(t.Context()))(t).HeldBack, time.Time{}, "held back")
	tell(t, db, 2)
	held := fortest.Must(db.Stats(t.Context()))(t).HeldBack
	fortest.Equal(t, held.Equal(sample(2).CreatedAt), true, "held back since %v", held)
	fortest.OK(t, first.Rollback())
	fortest.Equal(t, fortest.Must(db.Stats(t.Context()))(t).HeldBack, time.Time{}, "held back")
}

// A dump that was loaded into another server has positions from that server's
// future. It used to be that its events were not shown for a long time.
func TestLogGoesOnAfterAMove(t *testing.T) {
	dsn := pgtest.DSN(t)
	db := opened(t, dsn)
	tell(t, db, 1)
	run(t, db.Writer, `UPDATE events SET position = position + 1000000000`)
	db = opened(t, dsn)
	page := wantEvents(t, db, webhook.EventQuery{}, "evt_1")
	tell(t, db, 2)
	wantEvents(t, db, webhook.EventQuery{}, "evt_1", "evt_2")
	wantEvents(t, db, webhook.EventQuery{After: page.Next}, "evt_2")
	before := count(t, db.Reader, `SELECT last_value FROM log_positions`)
	db = opened(t, dsn)
	fortest.Equal(t, count(t, db.Reader, `SELECT last_value FROM log_positions`), before,
		"last position after another start")
}

func TestRevisions(t *testing.T) {
	for name, dsn := range databases(t) {
		db := opened(t, dsn)
		tell(t, db, 1) // is changed once
		fortest.Must(db.Insert(t.Context(), sample(2)))(t)
		ids := []string{"cs_1", "cs_2", "cs_1", "cs_none", "", "a\x00", "\xff"}
		for n := range 450 {
			ids = append(ids, fmt.Sprint(n))
		}
		got, err := db.Revisions(t.Context(), ids)
		if err != nil ||
			!maps.Equal(got, map[string]Revision{"cs_1": {Version: 2}, "cs_2": {Version: 1}}) {
			t.Errorf("%s: Revisions = %v, %v", name, got, err)
		}
		if got, err := db.Revisions(t.Context(), nil); err != nil || len(got) != 0 {
			t.Errorf("%s: Revisions of none = %v, %v", name, got, err)
		}
	}
}
