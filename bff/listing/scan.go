// Package listing reads the gateway's transaction list page by page, and knows when it is
// complete.
package listing

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"time"

	"coinslot/bff/internal/background"
	"coinslot/bff/payment"
)

const (
	// maxPages bounds a list to a million transactions.
	maxPages = 20_000
	// maxPasses bounds the complete passes over a list that keeps changing.
	maxPasses = 3
)

// Why a list cannot be read to its end although the gateway answers.
var (
	errEndless  = fmt.Errorf("the transaction list has more than %d pages, or no end", maxPages)
	errUnstable = fmt.Errorf("the transaction list keeps changing, or has a wrong total: "+
		"read %d times", maxPasses)
)

// Scan reads a part of the gateway's list page by page, in all statuses, and knows when nothing
// can be missing. It can stop after any page and continue later. It is not safe for concurrent
// use.
//
// A list may change while it is read: new records shift the others, so that some come twice, or
// are appended; at which end is not documented. Nothing that existed when a pass began is
// missing after it
//
//   - if nothing moved: every page had the same total, no record came twice, and there
//     were that many records; or
//   - if as many distinct records have been seen, in this and earlier passes, as the list
//     has now. The gateway lists a transaction forever, so everything seen is still there.
//
// Otherwise, and for newer records, the two ends are read until they show nothing new and the
// count matches: a few requests, however long the list. Only if the ends have nothing new and
// the count does not match, another pass is needed.
type Scan struct {
	Query    payment.ListQuery // without its page
	EndsSoon bool              // read the last two pages right after the first one
	AsOf     time.Time         // nothing listed then is missing; zero = unknown

	seen     map[uint64]int // by hash of tracking code: its last pass; 0 = none
	total    int            // records in the list, of the last answer; 0 = unknown
	LastPage int            // of the last answer
	shrank   bool           // the list became shorter
	Pages    int            // read since AsOf was set
	began    time.Time      // start of the pass, or of reading the ends
	PassDone bool           // a pass has reached the end of the list
	passes   int            // passes that proved nothing

	// The current pass.
	pass  int // its number, from 1
	page  int // the last page read; 0 = no current pass
	met   int // distinct records
	moved bool

	// Reading the ends.
	back     int   // the furthest page read
	ends     []int // pages to read before the pass continues
	endsRead bool  // read since the last pass, without new records
	foundNew bool  // had new records
	complete bool  // the count matched, and nothing new came since
}

// NewScan returns a scan of q that starts at the first page.
func NewScan(q payment.ListQuery) *Scan { return &Scan{Query: q, seen: map[uint64]int{}} }

// codeSeed seeds the hashes in seen: a million tracking codes take 30 MB that way. A collision
// looks like a moving list.
var codeSeed = maphash.MakeSeed()

// Unreadable reports whether err means that the list cannot be read even if the gateway
// answers.
func Unreadable(err error) bool { return errors.Is(err, errEndless) || errors.Is(err, errUnstable) }

// ReadingEnds reports whether the next page is one of the list's ends.
func (s *Scan) ReadingEnds() bool { return len(s.ends) > 0 }

// InFirstPass reports whether s is in the middle of its first pass.
func (s *Scan) InFirstPass() bool { return s.page > 0 && !s.PassDone && !s.ReadingEnds() }

// Next returns the page to read now. If it cannot be read, call Next again.
func (s *Scan) Next(now time.Time) int {
	switch {
	case len(s.ends) > 0:
		return s.ends[0]
	case s.page > 0:
	case s.PassDone && !s.endsRead && s.total > 0:
		s.endsRead, s.foundNew, s.complete, s.began = true, false, false, now
		s.ends, s.back = []int{1}, max(1, s.LastPage)
		if s.back > 1 {
			s.ends = append(s.ends, s.back)
		}
		return 1
	default:
		if s.shrank {
			s.shrank, s.PassDone = false, false
			clear(s.seen)
		}
		s.pass++
		s.began, s.met, s.moved = now, 0, false
	}
	return s.page + 1
}

// fewPages is the length of a list whose ends need no extra requests.
const fewPages = 3

// EndsFirst has the ends of the list read before the pass continues: new transactions are
// there.
func (s *Scan) EndsFirst() {
	if s.page > 0 && s.LastPage > fewPages {
		s.ends = []int{1, s.LastPage, s.LastPage - 1}
	}
}

// Add records the page that Next returned. After an error (errEndless, errUnstable) the scan
// cannot be used.
func (s *Scan) Add(p payment.RecordPage) error {
	s.Pages++
	s.moved = s.moved || s.page > 0 && p.Total != s.total
	s.shrank = s.shrank || p.Total < s.total
	s.total, s.LastPage = p.Total, p.LastPage
	if len(s.ends) > 0 {
		s.addEnd(p.Items)
	} else if s.addNext(p) && s.passes == maxPasses {
		return errUnstable
	}
	if s.Pages > maxPages || s.page > 1 && s.LastPage > maxPages {
		return errEndless
	}
	return nil
}

func (s *Scan) addEnd(items []payment.Record) {
	n := s.ends[0]
	s.ends = s.ends[1:]
	fresh, _ := s.mark(items, 0)
	if s.page > 0 { // the current pass reads them again
		return
	}
	if fresh > 0 {
		s.foundNew, s.complete = true, false
	}
	s.complete = s.complete || s.countMatches()
	if further := s.further(n); fresh > 0 && further > 0 { // while there are new records
		s.ends = append([]int{further}, s.ends...)
	}
	if n == s.back && len(items) == s.Query.Limit { // another may follow, as in addNext
		s.back = n + 1
		s.ends = append([]int{s.back}, s.ends...)
	}
	if len(s.ends) > 0 {
		return
	}
	if s.complete {
		s.finish()
	} else if s.foundNew {
		s.endsRead = false
	}
}

// further returns the neighbor of page n that is further from its end of the list; 0 = none.
func (s *Scan) further(n int) int {
	if 2*n <= s.LastPage {
		return n + 1
	}
	return n - 1
}

// addNext records the next page of a pass, and reports whether the pass ended without a proof.
// A full last page may be followed by another.
func (s *Scan) addNext(p payment.RecordPage) (disturbed bool) {
	s.page++
	_, repeated := s.mark(p.Items, s.pass)
	n := len(p.Items)
	lastAgain := p.LastPage > 0 && s.page > p.LastPage && repeated == n
	end := n == 0 || lastAgain
	if !end {
		s.moved = s.moved || repeated > 0
		end = p.LastPage > 0 && s.page >= p.LastPage && n < s.Query.Limit
	}
	if !end {
		if s.EndsSoon && s.page == 1 && !s.PassDone && p.LastPage > fewPages {
			s.ends = []int{p.LastPage, p.LastPage - 1}
		}
		return false
	}
	unmoved := !s.moved && s.met >= s.total && s.page >= p.LastPage
	if unmoved { // records of earlier passes only are gone
		s.shrank = false
		maps.DeleteFunc(s.seen, func(_ uint64, pass int) bool { return pass != s.pass })
	}
	if unmoved || s.countMatches() {
		s.finish()
		return false
	}
	s.page, s.PassDone, s.endsRead = 0, true, false
	s.passes++
	return true
}

// countMatches reports whether as many distinct records were seen as the list has.
func (s *Scan) countMatches() bool { return s.total > 0 && !s.shrank && len(s.seen) == s.total }

func (s *Scan) finish() {
	s.AsOf, s.PassDone, s.endsRead, s.page, s.Pages, s.passes = s.began, true, false, 0, 0, 0
}

// mark records items as seen by a pass, and returns how many are new, and how many this pass
// has seen already. Pass 0 stands for none.
func (s *Scan) mark(items []payment.Record, pass int) (fresh, repeated int) {
	for _, r := range items {
		h := maphash.String(codeSeed, r.TrackingCode)
		met, known := s.seen[h]
		switch {
		case !known:
			fresh++
		case pass > 0 && met == pass:
			repeated++
		}
		if !known || pass > 0 {
			s.seen[h] = pass
		}
	}
	if pass > 0 {
		s.met += len(items) - repeated
	}
	return fresh, repeated
}

// ReadAll reads every page of q, for display: if the list keeps changing, it returns what was
// seen. Of duplicates, the last one counts.
func ReadAll(ctx context.Context, g Lister, q payment.ListQuery) ([]payment.Record, error) {
	index := map[string]int{} // in records, by tracking code
	var records []payment.Record
	for s := NewScan(q); s.AsOf.IsZero(); {
		q.Page = s.Next(time.Now())
		page, err := ReadPage(ctx, g, q)
		if err != nil {
			return nil, err
		}
		for _, r := range page.Items {
			i, again := index[r.TrackingCode]
			if !again {
				i = len(records)
				index[r.TrackingCode], records = i, append(records, r)
			}
			records[i] = r
		}
		switch err := s.Add(page); {
		case errors.Is(err, errUnstable):
			return records, nil
		case err != nil:
			return nil, fmt.Errorf("reading the transaction list: %w", err)
		}
	}
	return records, nil
}

// maxPageTries is how often a page is tried: a sporadic failure must not stop a long reading.
const maxPageTries = 3

// ReadPage reads one page, with retries.
func ReadPage(
	ctx context.Context, g Lister, q payment.ListQuery,
) (page payment.RecordPage, err error) {
	for try := 1; ; try++ {
		page, err = g.Transactions(ctx, q)
		if err == nil {
			return page, nil
		}
		if try == maxPageTries || ctx.Err() != nil {
			return page, fmt.Errorf("reading page %d of the transaction list: %w", q.Page, err)
		}
		background.Sleep(ctx, time.Duration(try)*50*time.Millisecond)
	}
}

// Lister reads the gateway's list of transactions.
type Lister interface {
	Transactions(ctx context.Context, q payment.ListQuery) (payment.RecordPage, error)
}
