package console

import (
	"context"
	"sync"
	"time"
)

const overviewPath = "/admin"

type overviewView struct {
	Needs []need      // the gravest first
	Chart *orderChart // nil = there were no orders in its days
}

// overview is GET /admin: what needs attention now, and how the last days were.
func (c *console) overview(r *request) (page, error) {
	needs, err := c.needs(r.r.Context(), r.now())
	if err != nil {
		return page{}, err
	}

	year, month, day := r.now().Date()
	tomorrow := time.Date(year, month, day+1, 0, 0, 0, 0, r.Zone)
	from := tomorrow.AddDate(0, 0, -chartDays)
	counts, err := c.tally.of(
		r.r.Context(), c.Records, from.AddDate(0, 0, -chartDays), tomorrow, r.now(),
	)
	if err != nil {
		return page{}, err
	}

	return page{
		Title:    "Overview",
		Section:  overviewPath,
		template: "overview",
		View:     overviewView{Needs: needs, Chart: newChart(counts, from)},
	}, nil
}

// maxTallyAge is how old the overview's figures may be: counting reads a row of each
// session of 60 days, seconds for a million.
const maxTallyAge = 30 * time.Second

// tally is the overview's figures, counted once for all operators. The zero value has none.
type tally struct {
	mu     sync.Mutex // guards the fields below, and is held while it is counted
	from   time.Time
	at     time.Time // when counting began
	counts []OrderCount
}

// of returns the counts of the days from…to, as they were 30 seconds ago at the
// earliest. The list is not the caller's to change. Errors: the database's.
func (t *tally) of(
	ctx context.Context, r Searcher, from, to, now time.Time,
) ([]OrderCount, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	age := now.Sub(t.at)
	if t.from.Equal(from) && age >= 0 && age < maxTallyAge {
		return t.counts, nil
	}

	counts, err := r.Tally(ctx, from, to)
	if err != nil {
		return nil, err
	}

	t.from = from
	t.at = now
	t.counts = counts
	return counts, nil
}
