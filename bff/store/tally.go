package store

import (
	"context"
	"database/sql"
	"time"

	"coinslot/bff/records"
	"coinslot/bff/store/sqldb"

	"github.com/shopspring/decimal"
)

// tally sums whole cents, so that sums are exact; they come as text, which holds more than
// any integer.
const tally = `SELECT created_at / 86400000000 AS day, status, coin, count(*),
	CAST(sum(cents) AS TEXT) FROM facets WHERE created_at >= $1 AND created_at < $2
	GROUP BY day, status, coin ORDER BY day, status, coin`

const maxTally = 92 * 24 * time.Hour

// Tally implements records.Records. It reads a short row of each session.
func (db *DB) Tally(ctx context.Context, from, to time.Time) (counts []records.Count, err error) {
	if to.Before(from) || to.Sub(from) > maxTally {
		return nil, records.ErrRange
	}
	err = db.Browse(ctx, func(ctx context.Context, q sqldb.Queryer) (err error) {
		counts, err = sqldb.Collect(
			ctx, q, scanCount, tally, sqldb.CeilMicros(from), sqldb.CeilMicros(to),
		)
		return err
	})
	return counts, sqldb.Wrap(err, "counting sessions by day")
}

func scanCount(rows *sql.Rows) (c records.Count, err error) {
	var day int64
	var coin sql.NullString
	var cents string
	if err := rows.Scan(&day, &c.Status, &coin, &c.Sessions, &cents); err != nil {
		return c, err
	}
	sum, err := decimal.NewFromString(cents)
	c.Day, c.Coin = time.Unix(day*24*60*60, 0).UTC(), sqldb.FromKey(coin.String)
	c.AmountUSD = sum.Shift(-2)
	return c, sqldb.Wrap(err, "reading a sum")
}
