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
		counts, err = sqldb.Collect(ctx, q, scanCount, tally, sqldb.CeilMicros(from),
			sqldb.CeilMicros(to))
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

// choices are the values of a column of facets. Each step enters the column's index once, so
// that it takes as long for a million sessions as for one.
const choices = `WITH RECURSIVE due (v) AS (
	SELECT min(%[1]s) FROM facets WHERE %[1]s > '' UNION ALL
	SELECT (SELECT min(f.%[1]s) FROM facets f WHERE f.%[1]s > due.v) FROM due WHERE v IS NOT NULL
) SELECT v FROM due WHERE v IS NOT NULL LIMIT 200`

// Choices implements records.Records.
func (db *DB) Choices(ctx context.Context) (coins, networks []string, err error) {
	err = db.Browse(ctx, func(ctx context.Context, q sqldb.Queryer) (err error) {
		coins, err = sqldb.Collect(ctx, q, sqldb.ScanKey, fmt.Sprintf(choices, "coin"))
		if err == nil {
			networks, err = sqldb.Collect(ctx, q, sqldb.ScanKey, fmt.Sprintf(choices, "network"))
		}
		return err
	})
	return coins, networks, sqldb.Wrap(err, "listing coins and networks")
}
