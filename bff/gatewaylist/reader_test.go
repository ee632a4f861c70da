package gatewaylist

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"coinslot/bff/fortest"
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
	const limit = pageSize
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

// Transactions implements Lister.
func (p *pager) Transactions(_ context.Context, q payment.ListQuery) (payment.RecordPage, error) {
	return p.page(q.Page), nil
}

// pages is a list of those pages.
type pages func(n int) payment.RecordPage

// Transactions implements Lister.
func (p pages) Transactions(_ context.Context, q payment.ListQuery) (payment.RecordPage, error) {
	return p(q.Page), nil
}

// readAll reads the list to its end.
func readAll(t *testing.T, l Lister) (*Reader, error) {
	r := NewReader(l, payment.ListQuery{})
	for r.Next(t.Context()) {
	}
	return r, r.Err()
}

// The list changes at random between answers: a complete reading has seen everything that was
// listed when it began.
func TestReaderMissesNothing(t *testing.T) {
	changes := map[string]func(r *rand.Rand, list []string, fresh string) []string{
		"in front": func(_ *rand.Rand, list []string, fresh string) []string {
			return slices.Insert(list, 0, fresh)
		},
		"behind": func(_ *rand.Rand, list []string, fresh string) []string {
			return append(list, fresh)
		},
		"anywhere": func(r *rand.Rand, list []string, fresh string) []string {
			return slices.Insert(list, r.IntN(len(list)+1), fresh)
		},
		"to the front": func(r *rand.Rand, list []string, _ string) []string {
			return moved(list, r.IntN(len(list)), 0)
		},
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
			for seed := range uint64(100) {
				r := rand.New(rand.NewPCG(seed, 1))
				p := newPager(1 + r.IntN(600))
				if name == "in front" || name == "behind" {
					p.late = r.IntN(5)
				}
				n, often := 0, r.Float64()
				p.change = func(list []string) []string {
					for range r.IntN(20) {
						if n++; n > 200 || r.Float64() > often {
							return list
						}
						list = change(r, slices.Clone(list), fmt.Sprintf("new%d", n))
					}
					return list
				}
				for range 3 {
					listed := slices.Clone(p.list)
					if _, err := readAll(t, p); errors.Is(err, ErrUnreadable) {
						break // proves nothing
					} else if err != nil {
						t.Fatal(err)
					}
					known++
					for _, code := range listed {
						if !p.shown[code] {
							t.Fatalf("seed %d: %s was listed and not shown", seed, code)
						}
					}
				}
			}
			if known < 33 {
				t.Errorf("only %d of 300 readings came to an end", known)
			}
		})
	}
}

// moved returns list with one record moved.
func moved(list []string, from, to int) []string {
	code := list[from]
	return slices.Insert(slices.Delete(list, from, from+1), to, code)
}

// The requests of a complete reading.
func TestReaderRequests(t *testing.T) {
	every := func(n int, change func(list []string) []string) func(list []string) []string {
		asked := 0
		return func(list []string) []string {
			if asked++; asked%n == 0 {
				return change(list)
			}
			return list
		}
	}
	front := func(list []string) []string {
		return append([]string{fmt.Sprint("new", len(list))}, list...)
	}
	behind := func(list []string) []string { return append(list, fmt.Sprint("new", len(list))) }
	for _, c := range []struct {
		name    string
		records int
		change  func([]string) []string
		want    int // requests
	}{
		{"empty", 0, nil, 1},
		{"one page", 3, nil, 1},
		{"a full page", 50, nil, 2}, // another could follow
		{"at rest", 10_001, nil, 201},
		{"new ones in front of every tenth page", 10_000, every(10, front), 202},
		{"new ones behind every tenth page", 10_000, every(10, behind), 201},
		{"as long as can be read", 49_999, nil, 1000},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPager(c.records)
			p.change = c.change
			if _, err := readAll(t, p); err != nil || p.asked != c.want {
				t.Errorf("%d requests, %v; want %d", p.asked, err, c.want)
			}
		})
	}
}

// Contradictory lists are never considered complete.
func TestReaderProvesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		page pages
		want error
	}{
		"no end": {func(n int) payment.RecordPage {
			return payment.RecordPage{
				Items:    []payment.Record{{TrackingCode: fmt.Sprint(n)}},
				LastPage: n + 1,
				Total:    9,
			}
		}, errTooLong},
		"too long": {func(n int) payment.RecordPage {
			return payment.RecordPage{
				Items:    []payment.Record{{TrackingCode: fmt.Sprint(n)}},
				LastPage: maxPages + 1,
			}
		}, errTooLong},
		"shorter than it says": {func(n int) payment.RecordPage {
			return payment.RecordPage{
				Items:    []payment.Record{{TrackingCode: "a"}},
				LastPage: 1,
				Total:    2,
			}
		}, errMoving},
		"longer than it says": {func(n int) payment.RecordPage {
			return payment.RecordPage{
				Items:    []payment.Record{{TrackingCode: "a"}, {TrackingCode: "b"}},
				LastPage: 1,
				Total:    1,
			}
		}, errMoving},
		"without a total": {func(n int) payment.RecordPage {
			return payment.RecordPage{Items: []payment.Record{{TrackingCode: "a"}}, LastPage: 1}
		}, errMoving},
		"empty before its end": {func(n int) payment.RecordPage {
			if n > 1 {
				return payment.RecordPage{LastPage: 9, Total: 401}
			}
			return payment.RecordPage{Items: codes("a", 50), LastPage: 9, Total: 401}
		}, errMoving},
		"one that comes twice and another never": {func(n int) payment.RecordPage {
			if n > 1 {
				return payment.RecordPage{Items: codes("a", 1), LastPage: 2, Total: 51}
			}
			return payment.RecordPage{Items: codes("a", 50), LastPage: 2, Total: 51}
		}, errMoving},
		"always its first page": {func(int) payment.RecordPage {
			return payment.RecordPage{Items: codes("a", 50), LastPage: 3, Total: 120}
		}, errMoving},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := readAll(t, c.page)
			if !errors.Is(err, c.want) || !errors.Is(err, ErrUnreadable) {
				t.Errorf("%v; want %v", err, c.want)
			}
			if r.Next(t.Context()) {
				t.Error("it is read on")
			}
		})
	}
}

// A list that has lost transactions is read again: none that was seen before counts.
func TestReaderOfAListThatShrinks(t *testing.T) {
	asked := 0
	_, err := readAll(t, pages(func(int) payment.RecordPage {
		if asked++; asked == 1 { // a transaction that is gone then, and would fill a gap
			return payment.RecordPage{Items: codes("gone", 2), LastPage: 1, Total: 3}
		}
		return payment.RecordPage{Items: codes("a", 1), LastPage: 1, Total: 2}
	}))
	fortest.Is(t, err, errMoving, "reading")
}

// codes returns n records.
func codes(name string, n int) (list []payment.Record) {
	for i := range n {
		list = append(list, payment.Record{TrackingCode: fmt.Sprint(name, i)})
	}
	return list
}

// What is said of the length of a list may be wrong: the list is read to its end all the same.
func TestReaderOfAWrongLastPage(t *testing.T) {
	wanted := payment.Record{TrackingCode: "wanted"}
	for name, page := range map[string]pages{
		"one too low": func(n int) payment.RecordPage {
			pages := map[int][]payment.Record{1: codes("a", 50), 2: {wanted}}
			return payment.RecordPage{Items: pages[n], Page: n, LastPage: 1, Total: 51}
		},
		"missing": func(n int) payment.RecordPage {
			pages := map[int][]payment.Record{1: codes("a", 50), 2: codes("b", 50), 3: {wanted}}
			return payment.RecordPage{Items: pages[n], Page: n, Total: 101}
		},
		"given for all later ones": func(n int) payment.RecordPage {
			items := codes("a", 50)
			if n > 1 {
				items = append(codes("b", 49), wanted)
			}
			return payment.RecordPage{Items: items, Page: n, LastPage: 2, Total: 100}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := readAll(t, page)
			if err != nil || !r.seen["wanted"] {
				t.Errorf("found %t, %v", r.seen["wanted"], err)
			}
		})
	}
}

// A page is tried three times, and read first when the reading goes on after an error.
func TestReaderTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPager(120)
		failing := &failingList{Lister: p, fails: map[int]int{2: 2, 3: 4}}
		r := NewReader(failing, payment.ListQuery{})
		var read []int
		for r.Next(t.Context()) {
			read = append(read, r.Number)
		}
		if r.Err() == nil {
			t.Error("no error after three failures of a page")
		}
		for r.Next(t.Context()) {
			read = append(read, r.Number)
		}
		fortest.OK(t, r.Err())
		fortest.Diff(t, read, []int{1, 2, 3}, "pages that were read")
		fortest.Diff(t, failing.asked, []int{1, 2, 2, 2, 3, 3, 3, 3, 3},
			"pages that were asked for")
	})
}

// failingList is a list whose pages fail so many times.
type failingList struct {
	Lister
	fails map[int]int
	asked []int
}

func (l *failingList) Transactions(
	ctx context.Context, q payment.ListQuery,
) (payment.RecordPage, error) {
	l.asked = append(l.asked, q.Page)
	if l.fails[q.Page] > 0 {
		l.fails[q.Page]--
		return payment.RecordPage{}, errors.New("busy")
	}
	return l.Lister.Transactions(ctx, q)
}
