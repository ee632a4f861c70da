package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"log/slog"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/bff/fortest"

	"github.com/jackc/pgx/v5/pgxpool"
)

// deadLine is a way to a database that does not answer: an attempt ends after its time,
// or, stuck, when it is freed.
type deadLine struct {
	takes time.Duration
	stuck chan struct{} // nil = it is not
}

func (l deadLine) try(ctx context.Context) error {
	if l.stuck != nil {
		<-l.stuck
	}
	ctx, cancel := context.WithTimeout(ctx, l.takes)
	defer cancel()
	<-ctx.Done()
	return errors.New("no server")
}

func (l deadLine) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	return nil, l.try(ctx)
}

// Connect and Driver implement driver.Connector.
func (l deadLine) Connect(ctx context.Context) (driver.Conn, error) { return nil, l.try(ctx) }
func (l deadLine) Driver() driver.Driver                            { return nil }

// unanswered is a database behind such a line.
func unanswered(t *testing.T, l deadLine) *DB {
	c := fortest.Must(pgxpool.ParseConfig("postgres://coinslot@127.0.0.1/coinslot"))(t)
	c.ConnConfig.DialFunc = l.dial
	pool := fortest.Must(pgxpool.NewWithConfig(t.Context(), c))(t)
	return &DB{
		pool: pool, Reader: sql.OpenDB(l), dialect: postgresDialect(), patience: defaultPatience,
		log: slog.New(slog.DiscardHandler), failed: make(chan struct{}),
	}
}

// The background loops keep beating although the database does not answer, and
// stop when a call hangs.
func TestHeartbeats(t *testing.T) {
	for name, stuck := range map[string]bool{"away": false, "stuck": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := deadLine{takes: 5 * time.Second}
				if stuck {
					l.stuck = make(chan struct{})
				}
				db := unanswered(t, l)
				ctx, cancel := context.WithCancel(t.Context())
				db.running.Go(func() { db.keepClock(ctx) })
				for range 20 {
					time.Sleep(15 * time.Second)
					for loop, at := range db.LastBeats() {
						if late := time.Since(at); !stuck && !at.IsZero() && late > time.Minute {
							t.Errorf("%s has not beaten for %v", loop, late)
						}
					}
				}
				beats := db.LastBeats()
				for _, loop := range []string{"clock"} {
					if at := beats[loop]; at.IsZero() || stuck != (time.Since(at) > 2*time.Minute) {
						t.Errorf("%s has beaten %v ago", loop, time.Since(at))
					}
				}
				cancel()
				if stuck {
					close(l.stuck)
				}
				db.running.Wait()
				db.pool.Close()
				_ = db.Reader.Close()
				for loop, at := range db.LastBeats() {
					if !at.IsZero() {
						t.Errorf("%s turns after the end", loop)
					}
				}
			})
		})
	}
}
