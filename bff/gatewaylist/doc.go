// Package gatewaylist reads the gateway's list of transactions, for three purposes:
//
//   - When many payments wait, a [Poller] checks them by the list, fifty in a request.
//   - A [Finder] looks for the transactions of creates whose answers were lost.
//   - A [Reconciler] looks for money that the database does not know, every hour, every day
//     and when an operator asks.
//
// All of them read pages with a [Reader], which tries a page three times and knows when it has
// seen the whole list. A list proves nothing about a payment: what differs from the database
// gets a status read. Nothing is assumed absent unless the list was read completely.
//
// Instances that share a database take turns by a lease of [Runs]: one polls, and one does each
// kind of reconciliation. A list that contradicts itself or the database is suspect: for a while
// polls read each status, and a Finder reads only the ends of the list.
package gatewaylist

import (
	"context"
	"time"

	"coinslot/bff/payment"
)

// Lister reads one page of the gateway's list of transactions. Errors: as for
// checkout.Gateway.
type Lister interface {
	Transactions(ctx context.Context, q payment.ListQuery) (payment.RecordPage, error)
}

// suspicion keeps a list from being used. The zero suspicion is none.
type suspicion struct{ until time.Time }

// suspectFor is how long a list is suspect: five minutes with the default schedule.
func suspectFor(p payment.Schedule) time.Duration { return 20 * p.Unwatched }

// raise makes the list suspect from now on.
func (s *suspicion) raise(p payment.Schedule, now time.Time) { s.until = now.Add(suspectFor(p)) }

// lasts reports whether the list is suspect. A suspicion that a clock which was ahead has
// raised does not count.
func (s *suspicion) lasts(p payment.Schedule, now time.Time) bool {
	left := s.until.Sub(now)
	return left > 0 && left <= suspectFor(p)
}
