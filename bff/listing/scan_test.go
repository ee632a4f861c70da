package listing

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"coinslot/bff/payment"
)

// pager is a list that changes between its pages, by change.
type pager struct {
	list   []string // tracking codes
	change func(list []string) []string
	late   int   // for how many answers the length that it tells is that of before
	were   []int // its lengths so far
	asked  int
	shown  map[string]bool
}

func (p *pager) page(n int) payment.RecordPage {
	p.asked++
	const limit = 5
	p.were = append(p.were, len(p.list))
	total := p.were[max(0, len(p.were)-1-p.late)]
	answer := payment.RecordPage{Page: n, LastPage: max(1, (total+limit-1)/limit), Total: total}
	from := min((n-1)*limit, len(p.list))
	for _, code := range p.list[from:min(from+limit, len(p.list))] {
		answer.Items = append(answer.Items, payment.Record{TrackingCode: code})
		p.shown[code] = true
	}
	if p.change != nil {
		p.list = p.change(p.list)
	}
	return answer
}

// newPager returns a list of n records.
func newPager(n int) *pager {
	p := &pager{shown: map[string]bool{}}
	for i := range n {
		p.list = append(p.list, fmt.Sprintf("old%d", i))
	}
	return p
}

var scanQuery = payment.ListQuery{Limit: 5}

// complete reads until nothing of notBefore can be missing.
func complete(s *Scan, p *pager, notBefore time.Time, clock func() time.Time) error {
	for s.AsOf.IsZero() || s.AsOf.Before(notBefore) {
		if err := s.Add(p.page(s.Next(clock()))); err != nil {
			return err
		}
	}
	return nil
}

// The list changes at random between answers: everything listed at AsOf has been seen.
func TestScanMissesNothing(t *testing.T) {
	changes := map[string]func(r *rand.Rand, list []string, fresh string) []string{
		"in front": func(_ *rand.Rand, list []string, fresh string) []string { return slices.Insert(list, 0, fresh) },
		"behind":   func(_ *rand.Rand, list []string, fresh string) []string { return append(list, fresh) },
		"anywhere": func(r *rand.Rand, list []string, fresh string) []string {
			return slices.Insert(list, r.IntN(len(list)+1), fresh)
		},
		"to the front": func(r *rand.Rand, list []string, _ string) []string { return moved(list, r.IntN(len(list)), 0) },
		"to the end": func(r *rand.Rand, list []string, _ string) []string {
			return moved(list, r.IntN(len(list)), len(list)-1)
		},
		"both": func(r *rand.Rand, list []string, fresh string) []string {
			return slices.Insert(moved(list, r.IntN(len(list)), 0), 0, fresh)
		},
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			known := 0
			for seed := range uint64(300) {
				r := rand.New(rand.NewPCG(seed, 1))
				p := newPager(1 + r.IntN(60))
				if name == "in front" || name == "behind" {
					p.late = r.IntN(5)
				}
				n, often := 0, r.Float64()
				p.change = func(list []string) []string {
					if n++; n > 200 || r.Float64() > often {
						return list
					}
					return change(r, slices.Clone(list), fmt.Sprintf("new%d", n))
				}
				var listedAt []map[string]bool // by second
				clock := func() time.Time {
					now := map[string]bool{}
					for _, code := range p.list {
						now[code] = true
					}
					listedAt = append(listedAt, now)
					return time.Unix(int64(len(listedAt)), 0)
				}
				s := NewScan(scanQuery)
				s.EndsSoon = seed%2 == 0
				for range 3 {
					notBefore := time.Unix(int64(len(listedAt)), 0).Add(time.Nanosecond)
					if err := complete(s, p, notBefore, clock); errors.Is(err, errUnstable) {
						break // proves nothing
					} else if err != nil {
						t.Fatal(err)
					}
					known++
					for code := range listedAt[s.AsOf.Unix()-1] {
						if !p.shown[code] {
							t.Fatalf("seed %d: %s was listed at %d and not shown", seed, code, s.AsOf.Unix())
						}
					}
				}
			}
			if known < 100 {
				t.Errorf("only %d of 900 scans came to an end", known)
			}
		})
	}
}

// moved returns list with one record moved.
func moved(list []string, from, to int) []string {
	code := list[from]
	return slices.Insert(slices.Delete(list, from, from+1), to, code)
}

// The requests of a scan, the first time and when it is extended.
func TestScanRequests(t *testing.T) {
	front := func(list []string) []string { return append([]string{fmt.Sprint("new", len(list))}, list...) }
	behind := func(list []string) []string { return append(list, fmt.Sprint("new", len(list))) }
	for _, c := range []struct {
		name         string
		records      int
		change       func([]string) []string
		first, later int // requests at most
	}{
		{"empty", 0, nil, 1, 1},
		{"one page", 3, nil, 1, 1},
		{"a full page", 5, nil, 2, 2},
		{"at rest", 1001, nil, 201, 2},
		{"new ones in front of each page", 1000, front, 400, 6},
		{"new ones behind each page", 1000, behind, 260, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPager(c.records)
			p.change = c.change
			at := time.Unix(1, 0)
			s := NewScan(scanQuery)
			if err := complete(s, p, at, func() time.Time { return at }); err != nil || p.asked > c.first {
				t.Errorf("%d requests, %v; want %d at most", p.asked, err, c.first)
			}
			p.asked = 0
			later := at.Add(time.Minute)
			if err := complete(s, p, later, func() time.Time { return later }); err != nil || p.asked > c.later {
				t.Errorf("%d requests later, %v; want %d at most", p.asked, err, c.later)
			}
		})
	}
}

// Contradictory lists are never considered complete.
func TestScanProvesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		page func(n int) payment.RecordPage
		want error
	}{
		"no end": {func(n int) payment.RecordPage {
			return payment.RecordPage{Items: []payment.Record{{TrackingCode: fmt.Sprint(n)}}, LastPage: n + 1, Total: 9}
		}, errEndless},
		"too long": {func(n int) payment.RecordPage {
			return payment.RecordPage{Items: []payment.Record{{TrackingCode: fmt.Sprint(n)}}, LastPage: maxPages + 1}
		}, errEndless},
		"shorter than it says": {func(n int) payment.RecordPage {
			return payment.RecordPage{Items: []payment.Record{{TrackingCode: "a"}}, LastPage: 1, Total: 2}
		}, errUnstable},
		"empty before its end": {func(n int) payment.RecordPage {
			if n > 1 {
				return payment.RecordPage{LastPage: 9}
			}
			return payment.RecordPage{Items: make([]payment.Record, 5), LastPage: 9}
		}, errUnstable},
		"one that comes twice and another never": {func(n int) payment.RecordPage {
			if n > 1 {
				return payment.RecordPage{Items: []payment.Record{{TrackingCode: "a"}}, LastPage: 2}
			}
			return payment.RecordPage{Items: []payment.Record{{TrackingCode: "a"}, {}, {}, {}, {}}, LastPage: 2}
		}, errUnstable},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewScan(scanQuery)
			var err error
			for n := 0; err == nil && s.AsOf.IsZero(); n++ {
				if n > maxPages+1 {
					t.Fatal("it does not end")
				}
				err = s.Add(c.page(s.Next(time.Unix(1, 0))))
			}
			if !errors.Is(err, c.want) || !s.AsOf.IsZero() {
				t.Errorf("%v, known as of %v; want %v", err, s.AsOf, c.want)
			}
		})
	}
}

// What is said of the length of a list may be wrong: the list is read to its end all the same.
func TestScanOfAWrongLastPage(t *testing.T) {
	full := func(name string) (list []payment.Record) {
		for i := range 5 {
			list = append(list, payment.Record{TrackingCode: fmt.Sprint(name, i)})
		}
		return list
	}
	wanted := payment.Record{TrackingCode: "wanted"}
	for name, page := range map[string]func(n int) payment.RecordPage{
		"one too low": func(n int) payment.RecordPage {
			pages := map[int][]payment.Record{1: full("a"), 2: {wanted}}
			return payment.RecordPage{Items: pages[n], Page: n, LastPage: 1, Total: 6}
		},
		"missing": func(n int) payment.RecordPage {
			pages := map[int][]payment.Record{1: full("a")[:1], 2: full("b")[:1], 3: {wanted}}
			return payment.RecordPage{Items: pages[n], Page: n}
		},
		"given for all later ones": func(n int) payment.RecordPage {
			items := full("a")
			if n > 1 {
				items = append(full("b")[1:], wanted)
			}
			return payment.RecordPage{Items: items, Page: n, LastPage: 2, Total: 10}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, found := NewScan(scanQuery), false
			var err error
			for asked := 0; asked < 50 && err == nil && !found; asked++ {
				p := page(s.Next(time.Unix(1, 0)))
				found, err = slices.Contains(p.Items, wanted), s.Add(p)
			}
			if !found {
				t.Errorf("a record is not found: %v", err)
			}
		})
	}
}
