package gatewaylist

import (
	"context"
	"errors"
	"fmt"
	"time"

	"coinslot/bff/internal/background"
	"coinslot/bff/payment"
)

const (
	// pageSize is the length of a page. Source: gateway-api.md, "Limits".
	pageSize = 50
	// maxPages bounds a list: fifty thousand transactions.
	maxPages = 1000
	// maxPasses is how often a list is read that does not account for all its transactions.
	maxPasses = 3
	// maxPageTries is how often a page is requested: a sporadic failure must not stop a reading.
	maxPageTries = 3
)

// ErrUnreadable means that the gateway answers, but its list cannot be read completely.
var ErrUnreadable = errors.New("the gateway's transaction list cannot be read completely")

var errMoving = fmt.Errorf("%w: in %d readings, its transactions were not as many as its total",
	ErrUnreadable, maxPasses)

var errTooLong = fmt.Errorf("%w: it has more than %d pages", ErrUnreadable, maxPages)

// Reader reads a part of the gateway's list page by page:
//
//	for r.Next(ctx) {
//		use(r.Page)
//	}
//	err := r.Err()
//
// The list is complete when as many different transactions were seen as it says it has: the
// gateway never drops one, so all of them are still there, and there is no other. If that is not
// so after the last page, transactions have come and moved others from page to page. Then the
// list is read again, up to three times in all, until what has come is seen, too.
//
// A Reader is not safe for concurrent use.
type Reader struct {
	// Page is the page that Next has read, and Number its number, from 1.
	Page   payment.RecordPage
	Number int
	// OnePass ends the reading after the last page, complete or not.
	OnePass bool

	gateway Lister
	query   payment.ListQuery // its page is the last one read in this pass; 0 = none
	passes  int               // that have ended
	seen    map[string]bool   // tracking codes of all passes
	total   int               // transactions in the list, as the last page says
	done    bool
	err     error
}

// NewReader returns a reader of the part of the list that q selects. It reads nothing yet.
func NewReader(gateway Lister, q payment.ListQuery) *Reader {
	q.Limit = pageSize
	q.Page = 0
	return &Reader{gateway: gateway, query: q, seen: map[string]bool{}}
}

// Next reads the next page into Page, and reports whether it did. It returns false if the list
// is complete, or after an error. Unless that is ErrUnreadable, Next may be called again, and
// reads the same page.
func (r *Reader) Next(ctx context.Context) bool {
	if r.done || errors.Is(r.err, ErrUnreadable) {
		return false
	}

	q := r.query
	q.Page++
	r.Page, r.err = readPage(ctx, r.gateway, q)
	if r.err != nil {
		return false
	}

	r.Number = q.Page
	r.query.Page = q.Page
	r.add(r.Page)
	return true
}

// Err returns why Next returned false: nil if the list is complete, or its only pass has ended;
// ErrUnreadable; the gateway's; that of the context.
func (r *Reader) Err() error { return r.err }

// Transactions returns how many different transactions were seen.
func (r *Reader) Transactions() int { return len(r.seen) }

// add notes what a page shows, and decides how the reading goes on.
func (r *Reader) add(p payment.RecordPage) {
	if p.Total < r.total { // it does drop some: what was seen before proves nothing
		clear(r.seen)
	}
	r.total = p.Total

	known := len(r.seen)
	for _, record := range p.Items {
		r.seen[record.TrackingCode] = true
	}
	fresh := len(r.seen) - known

	// For a proof, another page may follow a full one, whatever the gateway says.
	n := r.query.Page
	full := len(p.Items) >= pageSize && fresh > 0 && !r.OnePass
	last := len(p.Items) == 0 || n >= p.LastPage && !full
	all := len(r.seen) == r.total

	switch {
	case all && (last || r.passes > 0), last && r.OnePass:
		r.done = true
	case p.LastPage > maxPages, n >= maxPages && !last:
		r.err = errTooLong
	case last:
		r.passes++
		r.query.Page = 0
		if r.passes == maxPasses {
			r.err = errMoving
		}
	}
}

// readPage reads one page, with retries.
func readPage(
	ctx context.Context, gateway Lister, q payment.ListQuery,
) (page payment.RecordPage, err error) {
	for try := 1; ; try++ {
		page, err = gateway.Transactions(ctx, q)
		if err == nil {
			return page, nil
		}
		if try == maxPageTries || ctx.Err() != nil {
			return page, fmt.Errorf("reading page %d of the transaction list: %w", q.Page, err)
		}
		background.Sleep(ctx, time.Duration(try)*50*time.Millisecond)
	}
}
