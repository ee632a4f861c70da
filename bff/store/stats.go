package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/store/sqldb"
)

const (
	firstDue  = `SELECT min(due_at) FROM sessions WHERE due_at IS NOT NULL AND ` + lane + ` = $1`
	countOpen = `SELECT count(*), min(COALESCE(d.opened_at, e.at)) FROM deliveries d
		JOIN events e ON e.seq = d.event WHERE d.state = 'open' AND d.endpoint IN %s`
)

// countWaiting counts the few sessions that wait for the gateway or an operator; confirmed
// and open ones may be millions.
var countWaiting = `SELECT status, count(*), min(COALESCE(checked_at, created_at)) FROM sessions
	WHERE ` + inStatus(wire.Status.Waiting) + ` GROUP BY status`

// Stats are the figures of the database, for all instances together.
type Stats struct {
	Waiting map[wire.Status]int // sessions now, by each status that waits

	// Unchecked is the last check, or else the opening, of the pending session whose last
	// check is oldest; zero = none is pending.
	Unchecked time.Time
	// Due is the earliest due time of a session, DueLate that of a late check; zero = none
	// is due, ever.
	Due, DueLate time.Time

	Undelivered       int       // open webhooks to the configured endpoints
	OldestUndelivered time.Time // when the oldest was written or replayed; zero = none is open

	// Unrouted is how many deliveries are open to URLs that no running instance has
	// configured. More than 10,000 to one URL count as 10,000.
	Unrouted int

	Size int64 // bytes of the file and its log of writes; zero = PostgreSQL, or not known
	Free int64 // bytes left on its volume; -1 = PostgreSQL, or not known
}

// Stats reads the present state. Errors: the database's.
func (db *DB) Stats(ctx context.Context) (Stats, error) {
	s := Stats{Waiting: map[wire.Status]int{}}
	err := db.View(ctx, func(ctx context.Context, q sqldb.Queryer) error {
		if err := s.sessions(ctx, q); err != nil {
			return err
		}
		for lane, first := range []*time.Time{&s.Due, &s.DueLate} {
			var due sql.NullInt64
			if err := q.QueryRowContext(ctx, firstDue, lane).Scan(&due); err != nil {
				return err
			}
			*first = sqldb.Time(due)
		}
		unrouted, err := db.CountUnrouted(ctx, q)
		if err != nil {
			return err
		}
		s.Unrouted = 0
		for _, b := range unrouted {
			s.Unrouted += b.Waiting
		}
		return s.deliveries(ctx, q, db.Endpoints)
	})
	if err != nil {
		return Stats{}, fmt.Errorf("reading statistics: %w", err)
	}
	s.Size, s.Free = db.Disk()
	return s, nil
}

func (s *Stats) sessions(ctx context.Context, q sqldb.Queryer) error {
	_, err := sqldb.Collect(ctx, q, func(rows *sql.Rows) (none struct{}, err error) {
		var status wire.Status
		var n int
		var checked sql.NullInt64
		err = rows.Scan(&status, &n, &checked)
		if s.Waiting[status] = n; status == wire.Pending {
			s.Unchecked = sqldb.Time(checked)
		}
		return none, err
	}, countWaiting)
	return err
}

func (s *Stats) deliveries(ctx context.Context, q sqldb.Queryer, endpoints []string) error {
	if len(endpoints) == 0 {
		return nil
	}
	in, args := sqldb.InList(1, endpoints)
	var oldest sql.NullInt64
	err := q.QueryRowContext(ctx, fmt.Sprintf(countOpen, in), args...).Scan(&s.Undelivered, &oldest)
	s.OldestUndelivered = sqldb.Time(oldest)
	return err
}
