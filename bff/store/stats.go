package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/console"

	"github.com/shopspring/decimal"
)

const (
	firstDue  = `SELECT min(due_at) FROM sessions WHERE due_at IS NOT NULL AND ` + lane + ` = $1`
	countOpen = `SELECT count(*), min(COALESCE(d.opened_at, e.at)) FROM deliveries d
		JOIN events e ON e.seq = d.event
		WHERE d.state = 'open' AND d.endpoint IN %s AND e.unreadable_at IS NULL`
)

// countWaiting counts the few sessions that wait for the gateway or an operator; confirmed
// and open ones may be millions. What is set aside is counted by itself.
var countWaiting = `SELECT status, count(*), min(COALESCE(checked_at, created_at)) FROM sessions
	WHERE ` + inStatus(wire.Status.Waiting) + ` AND deleted = 0 AND unreadable_at IS NULL
	GROUP BY status`

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

	HeldBack time.Time // when the oldest event was written that the log does not show; zero = none

	UnreadableSessions, UnreadableEvents int // that are set aside

	// Unrouted is how many deliveries are open to URLs that no running instance has
	// configured. More than 10,000 to one URL count as 10,000.
	Unrouted int

	Size int64 // bytes of the file and its log of writes; zero = PostgreSQL, or not known
	Free int64 // bytes left on its volume; -1 = PostgreSQL, or not known
}

// Stats reads the present state. Errors: the database's.
func (db *DB) Stats(ctx context.Context) (Stats, error) {
	s := Stats{Waiting: map[wire.Status]int{}}
	err := db.View(ctx, func(ctx context.Context, q queryer) error {
		if err := s.sessions(ctx, q); err != nil {
			return err
		}

		for lane, first := range []*time.Time{&s.Due, &s.DueLate} {
			var due sql.NullInt64
			if err := q.QueryRowContext(ctx, firstDue, lane).Scan(&due); err != nil {
				return err
			}
			*first = timeOf(due)
		}
		if err := q.QueryRowContext(ctx, countSetAside).Scan(&s.UnreadableSessions); err != nil {
			return err
		}

		var err error
		s.UnreadableEvents, err = db.CountUnreadableEvents(ctx, q)
		if err != nil {
			return err
		}

		s.HeldBack, err = db.HeldBack(ctx, q)
		if err != nil {
			return err
		}

		unrouted, err := db.CountUnrouted(ctx, q)
		if err != nil {
			return err
		}

		s.Unrouted = 0
		for _, b := range unrouted {
			s.Unrouted += b.Waiting
		}

		return s.deliveries(ctx, q, db.endpoints)
	})
	if err != nil {
		return Stats{}, fmt.Errorf("reading statistics: %w", err)
	}

	s.Size, s.Free = db.Disk()
	return s, nil
}

func (s *Stats) sessions(ctx context.Context, q queryer) error {
	_, err := collect(ctx, q, func(rows *sql.Rows) (none struct{}, err error) {
		var status wire.Status
		var n int
		var checked sql.NullInt64
		err = rows.Scan(&status, &n, &checked)
		s.Waiting[status] = n
		if status == wire.Pending {
			s.Unchecked = timeOf(checked)
		}
		return none, err
	}, countWaiting)
	return err
}

func (s *Stats) deliveries(ctx context.Context, q queryer, endpoints []string) error {
	if len(endpoints) == 0 {
		return nil
	}
	in, args := inList(1, endpoints)
	var oldest sql.NullInt64
	err := q.QueryRowContext(ctx, fmt.Sprintf(countOpen, in), args...).Scan(&s.Undelivered, &oldest)
	s.OldestUndelivered = timeOf(oldest)
	return err
}

// tally sums whole cents, so that sums are exact; they come as text, which holds more than any
// integer. It counts by quarters of an hour, $3 microseconds: the days of every time zone of today
// consist of them, also those that are longer or shorter.
const tally = `SELECT created_at / CAST($3 AS BIGINT) AS quarter, status, coin, count(*),
	CAST(sum(amount_cents) AS TEXT) FROM sessions WHERE created_at >= $1 AND created_at < $2
	GROUP BY quarter, status, coin`

const (
	maxTallyDays = 92
	quarter      = 15 * time.Minute
)

// Tally implements console.Records. It reads an index, and no documents.
func (db *DB) Tally(ctx context.Context, from, to time.Time) ([]console.OrderCount, error) {
	if to.Before(from) || to.After(from.AddDate(0, 0, maxTallyDays)) {
		return nil, console.ErrRange
	}
	var quarters []console.OrderCount
	err := db.Browse(ctx, func(ctx context.Context, q queryer) (err error) {
		quarters, err = collect(ctx, q, scanCount, tally, ceilMicros(from), ceilMicros(to),
			quarter.Microseconds())
		return err
	})
	return sumDays(quarters, from.Location()), wrap(err, "counting sessions by day")
}

// sumDays sums counts of quarters of an hour by the days of a time zone.
func sumDays(quarters []console.OrderCount, zone *time.Location) (days []console.OrderCount) {
	places := map[console.OrderCount]int{}
	for _, c := range quarters {
		year, month, day := c.Day.In(zone).Date()
		of := console.OrderCount{
			Day:    time.Date(year, month, day, 0, 0, 0, 0, zone),
			Status: c.Status,
			Coin:   c.Coin,
		}
		i, known := places[of]
		if !known {
			i = len(days)
			places[of] = i
			days = append(days, of)
		}
		days[i].Sessions += c.Sessions
		days[i].AmountUSD = days[i].AmountUSD.Add(c.AmountUSD)
	}

	slices.SortFunc(days, func(a, b console.OrderCount) int {
		return cmp.Or(a.Day.Compare(b.Day), cmp.Compare(a.Status, b.Status),
			cmp.Compare(a.Coin, b.Coin))
	})
	return days
}

func scanCount(rows *sql.Rows) (c console.OrderCount, err error) {
	var at int64
	var coin sql.NullString
	var cents string
	if err := rows.Scan(&at, &c.Status, &coin, &c.Sessions, &cents); err != nil {
		return c, err
	}
	sum, err := decimal.NewFromString(cents)
	c.Day = time.UnixMicro(at * quarter.Microseconds()).UTC()
	c.Coin = fromKey(coin.String)
	c.AmountUSD = sum.Shift(-2)
	return c, wrap(err, "reading a sum")
}

// choices are the values of a column. Each step enters the column's index once, so
// that it takes as long for a million sessions as for one.
const choices = `WITH RECURSIVE due (v) AS (
	SELECT min(%[1]s) FROM sessions WHERE %[1]s > '' UNION ALL
	SELECT (SELECT min(s.%[1]s) FROM sessions s WHERE s.%[1]s > due.v) FROM due WHERE v IS NOT NULL
) SELECT v FROM due WHERE v IS NOT NULL LIMIT 200`

// Choices implements console.Records.
func (db *DB) Choices(ctx context.Context) (found console.Choices, err error) {
	err = db.Browse(ctx, func(ctx context.Context, q queryer) (err error) {
		for column, values := range map[string]*[]string{
			"coin": &found.Coins, "network": &found.Networks, "currency": &found.Currencies,
		} {
			*values, err = collect(ctx, q, scanKey, fmt.Sprintf(choices, column))
			if err != nil {
				return err
			}
		}
		return nil
	})
	return found, wrap(err, "listing coins, networks and currencies")
}
