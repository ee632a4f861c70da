package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"coinslot/bff/records"
	"coinslot/bff/store/sqldb"

	"github.com/shopspring/decimal"
)

// tally sums whole cents, so that sums are exact; they come as text, which holds
// what no integer does.
const tally = `SELECT created_at / 86400000000 AS day, status, coin, count(*), CAST(sum(cents) AS
	TEXT) FROM facets
	WHERE created_at >= $1 AND created_at < $2 GROUP BY day, status, coin ORDER BY day,
	status, coin`

// maxTally bounds the days of one Tally.
const maxTally = 92 * 24 * time.Hour

// Tally implements records.Records. It reads a short row of each session.
func (db *DB) Tally(ctx context.Context, from, to time.Time) ([]records.Count, error) {
	if to.Before(from) || to.Sub(from) > maxTally {
		return nil, records.ErrRange
	}
	var counts []records.Count
	err := db.Browse(ctx, func(ctx context.Context, q sqldb.Queryer) error {
		counts = nil
		rows, err := q.QueryContext(ctx, tally, sqldb.Ceil(from), sqldb.Ceil(to))
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			c, err := readCount(rows)
			if err != nil {
				return err
			}
			counts = append(counts, c)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("counting sessions by day: %w", err)
	}
	return counts, nil
}

func readCount(rows *sql.Rows) (c records.Count, err error) {
	var day int64
	var coin sql.NullString
	var cents string
	if err := rows.Scan(&day, &c.Status, &coin, &c.Sessions, &cents); err != nil {
		return c, err
	}
	sum, err := decimal.NewFromString(cents)
	if err != nil {
		return c, fmt.Errorf("reading a sum: %w", err)
	}
	c.Day, c.Coin, c.AmountUSD = time.Unix(day*24*60*
		60, 0).UTC(), sqldb.FromKey(coin.String), sum.Shift(-2)
	return c, nil
}
