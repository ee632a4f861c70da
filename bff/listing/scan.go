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
	// maxPages bounds a list that is read, to a million transactions.
	maxPages = 20_000
	// maxPasses is how often a list is read from its first page to its last that
	// changed meanwhile in a way that was not accounted for.
	maxPasses = 3
)

// Why a list that the gateway answers for cannot be read to its end.
var (
	errEndless  = fmt.Errorf("the transaction list has more than %d pages, or no end", maxPages)
	errUnstable = fmt.Errorf("the transaction list is not as long as it says, or moves: %d "+
		"readings",
		maxPasses)
)

// Scan reads a part of the gateway's list page by page, in all statuses, and knows
// when nothing of it can be missing. It can stop after any page and go on later. It
// has no lock.
//
// A list may change while it is read: what is new pushes the rest on, so that records
// come twice, or is added behind; which end it is is not documented. Nothing that was
// there when a pass began is missing after it
//
//   - if nothing moved: each page told the same length of the list, no record came
//     twice, and there were as many records as that; or
//   - if as many different records have been seen, by this pass and those before, as
//     the list is long now. The gateway lists a transaction for ever, so that nothing
//     seen is gone, and what is as long is the same.
//
// Otherwise, and for what has come since, the two ends are read until they show
// nothing new and the count is even: some requests, however long the list is. Only if
// the ends have nothing new and the count is not even, another pass is needed.
type Scan struct {
	Query    payment.ListQuery // without its page
	EndsSoon bool              // read the last two pages of a long list after the first one
	AsOf     time.Time         // nothing that was listed then is missing; zero = not known yet

	seen     map[uint64]int // hashes of tracking codes: the last pass that met it; 0 = none has
	total    int            // records in the list, as told by the last answer; 0 = not told
	LastPage int            // its last page, likewise
	shrank   bool           // it became shorter: what was seen may be gone
	Pages    int            // read since asOf was known
	began    time.Time      // when the pass, or the reading of the ends, began
	PassDone bool           // a pass has come to the end of the list
	passes   int            // that came to its end and proved nothing

	// Of the pass under way.
	pass  int // its number, from 1
	page  int // the last page that was read; 0 = no pass is under way
	met   int // different records that it met
	moved bool

	// Of the reading of the ends.
	back     int   // the furthest page of them
	ends     []int // pages still to be read; while there are any, the pass waits
	endsRead bool  // they were read since the last pass, and showed nothing new
	foundNew bool  // they have shown something new
	complete bool  // the count was even, and nothing new was shown since
}

// NewScan returns a reading of what q selects that begins with the first page.
func NewScan(q payment.ListQuery) *Scan { return &Scan{Query: q, seen: map[uint64]int{}} }

// codeSeed is of the hashes in seen: a million tracking codes are 30 MB that way.
// Two that collide look like a list that moves.
var codeSeed = maphash.MakeSeed()

// Unreadable reports whether err says that the list cannot be read, however long the
// gateway answers.
func Unreadable(err error) bool { return errors.Is(err, errEndless) || errors.Is(err, errUnstable) }

// ReadingEnds reports whether the next page is one of the list's ends.
func (s *Scan) ReadingEnds() bool { return len(s.ends) > 0 }

// InFirstPass reports whether s is in the middle of its first pass.
func (s *Scan) InFirstPass() bool { return s.page > 0 && !s.PassDone && !s.ReadingEnds() }

// Next returns the page to be read now. What it decides is undone by nothing: if the
// page cannot be read, it is asked for again.
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

// fewPages is the length of a list whose ends are not worth a request of their own.
const fewPages = 3

// EndsFirst has the ends of a list read before the pass under way goes on: a
// transaction that is new is there.
func (s *Scan) EndsFirst() {
	if s.page > 0 && s.LastPage > fewPages {
		s.ends = []int{1, s.LastPage, s.LastPage - 1}
	}
}

// Add takes in the page that next has named. Errors: errEndless, errUnstable; then the
// scan is of no further use.
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

// addEnd takes in a page at one of the ends.
func (s *Scan) addEnd(items []payment.Record) {
	n := s.ends[0]
	s.ends = s.ends[1:]
	fresh, _ := s.mark(items, 0)
	if s.page > 0 { // in the middle of a pass, which meets them again
		return
	}
	if fresh > 0 {
		s.foundNew, s.complete = true, false
	}
	s.complete = s.complete || s.countMatches()
	if further := s.further(n); fresh > 0 && further > 0 { // as far in as there is anything new
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

// further returns the neighbor of page n that is further from its end of the list; 0 =
// there is none.
func (s *Scan) further(n int) int {
	if 2*n <= s.LastPage {
		return n + 1
	}
	return n - 1
}

// addNext takes in the next page of a pass, and reports whether the pass has come to
// its end without a proof. A last page that is full may be followed by one that the
// gateway did not tell of.
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
	if unmoved { // what only other passes have seen is gone
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

// countMatches reports whether as many different records were seen as the list has.
func (s *Scan) countMatches() bool { return s.total > 0 && !s.shrank && len(s.seen) == s.total }

// finish notes that nothing is missing.
func (s *Scan) finish() {
	s.AsOf, s.PassDone, s.endsRead, s.page, s.Pages, s.passes = s.began, true, false, 0, 0, 0
}

// mark remembers records of a page, as met by a pass, and returns how many were never
// seen before, and how many this pass has met already. Pass 0 stands for none.
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

// ReadAll reads every page of q, for people: of a list that goes on moving, it returns
// what it has shown. What came twice counts as it was last.
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

// maxPageTries is how often a page is read: of a hundred pages one that fails now
// and then must not stop the reading.
const maxPageTries = 3

// ReadPage reads one page, again after a moment if that fails.
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

// Lister reads the gateway's list of transactions; see [Gateway].
type Lister interface {
	Transactions(ctx context.Context, q payment.ListQuery) (payment.RecordPage, error)
}
