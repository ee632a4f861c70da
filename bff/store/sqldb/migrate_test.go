package sqldb

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/store/pgtest"
	"coinslot/torture/goal"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

// mostWait is how long a client of an older release may wait because of a migration.
const mostWait = time.Second

// TestTortureMigration runs the newest migration while clients read and write the old tables, first
// alone and then behind a transaction that stays open. Rows are narrow: what counts is their number.
func TestTortureMigration(t *testing.T) {
	began := time.Now()
	r := goal.Result{Goal: "migrations under load", Wanted: 10_000_000}
	r.Rounds = goal.Rounds(20_000, r.Wanted)
	settings := fortest.Must(postgresConfig(pgtest.New(t, "max_wal_size=8GB").DSN(t)))(t)
	db := stdlib.OpenDB(*settings.ConnConfig)
	defer db.Close()
	provider := fortest.Must(postgresDialect().Provider(db))(t)
	sources := provider.ListSources()
	fortest.Must(provider.UpTo(t.Context(), sources[len(sources)-2].Version))(t)
	fill(t, settings, r.Rounds)

	m := &migrating{t: t, rows: r.Rounds}
	m.pool = fortest.Must(pgxpool.NewWithConfig(t.Context(), settings))(t)
	defer m.pool.Close()
	usual := m.longestWait(func() { time.Sleep(time.Second) }) // what others on this machine cause
	blocked := m.longestWait(func() {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // a client waits four
		defer cancel()
		tx := fortest.Must(m.pool.Begin(t.Context()))(t)
		fortest.Must(tx.Exec(ctx, `UPDATE sessions SET version = 1 WHERE id = 'cs_0'`))(t)
		if err := migratePostgres(ctx, settings.ConnConfig, postgresDialect()); err == nil {
			t.Error("the tables were migrated behind an open transaction")
		}
		fortest.OK(t, tx.Rollback(t.Context()))
	})
	m.breakOff(settings.ConnConfig)
	migration := m.longestWait(func() {
		fortest.OK(t, migratePostgres(t.Context(), settings.ConnConfig, postgresDialect()))
	})
	var broken int
	fortest.OK(t, m.pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_index WHERE NOT indisvalid`).Scan(&broken))
	fortest.Equal(t, broken, 0, "indexes that a start has left broken")
	r.Took = time.Since(began)
	r.Figure = fmt.Sprintf("longest statement: %d ms before, %d ms during, %d ms behind an open transaction",
		usual.Milliseconds(), migration.Milliseconds(), blocked.Milliseconds())
	if goal.Long() && max(migration, blocked) > mostWait+usual {
		r.Violations++
	}
	goal.Report(t, r)
}

// fill makes rows sessions, and an event with an open delivery for every tenth.
func fill(t *testing.T, settings *pgxpool.Config, rows int) {
	t.Helper()
	c := settings.ConnConfig.Copy()
	c.RuntimeParams["statement_timeout"], c.RuntimeParams["synchronous_commit"] = "0", "off"
	conn := fortest.Must(pgx.ConnectConfig(t.Context(), c))(t)
	defer conn.Close(t.Context())
	for _, statement := range []string{
		`INSERT INTO sessions (id, version, status, created_at, due_at, doc)
			SELECT 'cs_' || n, 1, 'pending', n, n, '{}' FROM generate_series(0, %d - 1) n`,
		`INSERT INTO events (position, id, session, type, at, body) SELECT 1, 'evt_' || n, 'cs_' || n,
			CASE WHEN n %% 100 = 0 THEN 'checkout.confirmed' ELSE 'checkout.pending' END, n, ''
			FROM generate_series(0, %d - 1, 10) n`,
		`INSERT INTO deliveries (event, endpoint, next_at) SELECT seq, 'http://h', at FROM events WHERE %d > 0`,
		`ANALYZE /* %d */`,
	} {
		fortest.Must(conn.Exec(t.Context(), fmt.Sprintf(statement, rows)))(t)
	}
}

// breakOff ends a start while it makes an index, which waits for an open transaction.
func (m *migrating) breakOff(settings *pgx.ConnConfig) {
	tx := fortest.Must(m.pool.BeginTx(m.t.Context(), pgx.TxOptions{IsoLevel: pgx.RepeatableRead}))(m.t)
	fortest.Must(tx.Exec(m.t.Context(), `SET LOCAL idle_in_transaction_session_timeout = 0`))(m.t)
	fortest.Must(tx.Exec(m.t.Context(), `SELECT count(*) FROM attempts`))(m.t)
	ended := make(chan error, 1)
	go func() { ended <- migratePostgres(m.t.Context(), settings, postgresDialect()) }()
	fortest.Within(m.t, 10*time.Minute, "an index is being made", func() bool {
		done := fortest.Must(m.pool.Exec(m.t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE query LIKE 'CREATE INDEX CONCURRENTLY%' AND wait_event_type = 'Lock'`))(m.t)
		return done.RowsAffected() > 0
	})
	if err := <-ended; err == nil {
		m.t.Error("a start that was ended has succeeded")
	}
	fortest.OK(m.t, tx.Rollback(m.t.Context()))
}

// migrating is a database that clients use while its tables change.
type migrating struct {
	t    *testing.T
	pool *pgxpool.Pool
	rows int
}

// longestWait returns how long the slowest statement of the clients took while fn ran. None may fail.
func (m *migrating) longestWait(fn func()) (longest time.Duration) {
	var clients sync.WaitGroup
	var mu sync.Mutex
	ctx, stop := context.WithCancel(m.t.Context())
	for _, statement := range []string{
		`SELECT count(*) FROM sessions s JOIN events e ON e.session = s.id WHERE s.id = 'cs_' || $1::int`,
		`UPDATE sessions SET version = version + 1, due_at = due_at + 1 WHERE id = 'cs_' || $1::int`,
		`UPDATE deliveries SET tries = tries + 1 WHERE event = 1 + $1::int / 10`,
		`INSERT INTO sessions (id, version, status, created_at, doc)
			VALUES ('cs_new' || $1::int || clock_timestamp(), 1, 'open', 1, '{}')`,
	} {
		clients.Go(func() {
			for ctx.Err() == nil {
				start := time.Now()
				if _, err := m.pool.Exec(m.t.Context(), statement, 1+rand.IntN(m.rows-1)); err != nil {
					m.t.Errorf("%s: %v", statement, err)
					return
				}
				mu.Lock()
				longest = max(longest, time.Since(start))
				mu.Unlock()
			}
		})
	}
	fn()
	stop()
	clients.Wait()
	return longest
}
