package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"coinslot/bff/gateway"
)

// Bucket is a [gateway.Bucket] of all instances together: it hands out slots at a number per
// second, and as many at once.
//
// It is one number, as in the generic cell rate algorithm (ITU-T I.371, "virtual
// scheduling"): when all slots would be free again. The database's clock decides; a slot
// that is lost because the database does not answer is not given back.
type Bucket struct {
	db       *DB
	name     string
	interval int64 // between slots, in microseconds
	slack    int64 // how far the number may be ahead of a slot: all but one interval of a second
}

// The clock is the %s. $2 is the interval, $3 the slack, $4 the patience.
const (
	makeBucket = `INSERT INTO buckets (name, next_at) VALUES ($1, 0) ON CONFLICT DO NOTHING`
	takeSlot   = `WITH clock AS MATERIALIZED (SELECT %s AS now)
		UPDATE buckets SET next_at = CASE WHEN next_at > clock.now THEN next_at ELSE clock.now END
		+ $2
		FROM clock WHERE name = $1 AND next_at - $3 - clock.now <= $4
		RETURNING next_at - $2 - $3 - (SELECT now FROM clock)`
	nextSlot    = `SELECT next_at - $2 - %s FROM buckets WHERE name = $1`
	pauseBucket = `WITH clock AS MATERIALIZED (SELECT %s AS now)
		UPDATE buckets SET next_at = clock.now + $2 FROM clock WHERE name = $1 AND next_at <
		clock.now + $2`
)

// Bucket returns the bucket of that name with rps slots per second; rps below 1
// counts as 1. All who use a name have to agree on rps.
func (db *DB) Bucket(name string, rps int) *Bucket {
	rps = max(rps, 1)
	interval := time.Second.Microseconds() / int64(rps)
	return &Bucket{db: db, name: name, interval: interval, slack: interval * int64(rps-1)}
}

// Take implements gateway.Bucket.
func (b *Bucket) Take(ctx context.Context, patience time.Duration) (wait time.Duration, err error) {
	for range maxTries {
		wait, err = b.take(ctx, patience)
		if !errors.Is(err, gateway.ErrFull) || wait > patience {
			break // or else a slot has come near since
		}
	}
	if err != nil && !errors.Is(err, gateway.ErrFull) {
		return 0, fmt.Errorf("taking a slot of bucket %q: %w", b.name, err)
	}
	return wait, err
}

func (b *Bucket) take(ctx context.Context, patience time.Duration) (time.Duration, error) {
	var wait int64
	err := b.db.Write(ctx, func(tx *sql.Tx) error {
		query := fmt.Sprintf(takeSlot, b.db.dialect.Clock)
		return tx.QueryRowContext(
			ctx, query, b.name, b.interval, b.slack, patience.Microseconds(),
		).Scan(&wait)
	})
	if !errors.Is(err, sql.ErrNoRows) {
		return max(0, time.Duration(wait)*time.Microsecond), err
	}
	wait, err = b.nextSlot(ctx, b.slack)
	if errors.Is(err, sql.ErrNoRows) { // of the name, too
		return 0, errors.Join(b.db.Execute(ctx, makeBucket, b.name), gateway.ErrFull)
	}
	if err != nil {
		return 0, err
	}
	return max(0, time.Duration(wait)*time.Microsecond), gateway.ErrFull
}

// nextSlot is how many microseconds ahead of now the bucket is, less slack.
func (b *Bucket) nextSlot(ctx context.Context, slack int64) (int64, error) {
	query := fmt.Sprintf(nextSlot, b.db.dialect.Clock)
	return readOne[int64](ctx, b.db, query, b.name, slack)
}

// Free returns how many slots could be taken without a wait now. Errors: the database's.
func (b *Bucket) Free(ctx context.Context) (int, error) {
	ahead, err := b.nextSlot(ctx, 0) // all slots would be free then
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("counting the slots of bucket %q: %w", b.name, err)
	}
	return int(max(0, (b.slack+b.interval-max(0, ahead))/b.interval)), nil
}

// Pause implements gateway.Bucket.
func (b *Bucket) Pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	err := b.db.Write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, makeBucket, b.name); err != nil {
			return err
		}
		query := fmt.Sprintf(pauseBucket, b.db.dialect.Clock)
		_, err := tx.ExecContext(ctx, query, b.name, d.Microseconds()+b.slack)
		return err
	})
	return wrap(err, "pausing bucket %q", b.name)
}
