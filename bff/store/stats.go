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
	countOpen = `SELECT count(*), min(COALESCE(d.opened_at, e.at)) FROM deliveries d JOIN events e
		ON e.seq = d.event
		WHERE d.state = 'open' AND d.endpoint IN %s`
)

// countWaiting is of the few sessions in which something is going on; confirmed and open
// ones may be millions.
var countWaiting = `SELECT status, count(*), min(COALESCE(checked_at, created_at)) FROM sessions
	WHERE ` + inStatus(wire.Status.Waiting) + ` GROUP BY status`

// Stats is what the database has to tell to its operator: of all instances, if
// there are several.
type Stats struct {
	Waiting map[wire.Status]int // sessions now, by each status that waits

	// Unchecked is when the pending session that was not checked for the longest was
	// checked, or opened; zero = none is pending.
	Unchecked time.Time
	// Due is when the session that is due first is due, and DueLate when the one is that
	// is due first for a late check; zero = none ever is.
	Due, DueLate time.Time

	Undelivered int // webhooks to the configured endpoints that are still to be taken
	// when the oldest of them was written, or replayed; zero = there is none
	OldestUndelivered time.Time

	// Unrouted is how many deliveries are open to URLs that no running instance has
	// configured. More than 10,000 to one URL count as 10,000.
	Unrouted int

	Size int64 // bytes of the file and its log of writes; zero = PostgreSQL, or not known
	Free int64 // bytes left on its volume; -1 = PostgreSQL, or not known
}

// Stats reads the present state. Errors: the database's.
func (db *DB) Stats(ctx context.Context) (Stats, error) {
	s := Stats{Free: -1, Waiting: map[wire.Status]int{}}
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
	rows, err := q.QueryContext(ctx, countWaiting)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var status wire.Status
		var n int
		var checked sql.NullInt64
		if err := rows.Scan(&status, &n, &checked); err != nil {
			return err
		}
		if s.Waiting[status] = n; status == wire.Pending {
			s.Unchecked = sqldb.Time(checked)
		}
	}
	return rows.Err()
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
