package admin

import (
	"context"
	"sync"
	"time"

	"coinslot/bff/records"
)

// figuresAge is how old the overview's figures may be: counting reads a row of each
// session of 30 days, seconds for a million.
const figuresAge = 30 * time.Second

// figures are the overview's, counted once for everybody who looks. The zero value
// has none.
type figures struct {
	mu     sync.Mutex // guards the fields below, and is held while it is counted
	from   time.Time
	at     time.Time // when it was begun to count
	counts []records.Count
}

// of returns the counts of the days from…to, as they were 30 seconds ago at the
// earliest. The list is not the caller's to change. Errors: the database's.
func (f *figures) of(
	ctx context.Context, r records.Records, from, to, now time.Time,
) ([]records.Count, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if age := now.Sub(f.at); f.from.Equal(from) && age >= 0 && age < figuresAge {
		return f.counts, nil
	}
	counts, err := r.Tally(ctx, from, to)
	if err != nil {
		return nil, err
	}
	f.from, f.at, f.counts = from, now, counts
	return counts, nil
}
