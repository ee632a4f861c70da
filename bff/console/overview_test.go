package console

import (
	"context"
	"errors"
	"testing"
	"time"

	"coinslot/bff/records"
)

// tallies counts how often it is asked.
type tallies struct {
	records.Records
	asked int
	err   error
}

func (r *tallies) Tally(context.Context, time.Time, time.Time) ([]records.Count, error) {
	r.asked++
	return []records.Count{{Sessions: r.asked}}, r.err
}

// However often the overview is loaded, the database counts twice a minute.
func TestTally(t *testing.T) {
	day := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	r, f := &tallies{}, &tally{}
	for _, c := range []struct {
		from time.Time
		at   time.Duration
		err  error
		want int // of the count that is shown; 0 = an error
	}{
		{day, 0, nil, 1}, {day, 29 * time.Second, nil, 1}, {day, 30 * time.Second, nil, 2}, {day, 59 * time.Second, nil, 2},
		{day.AddDate(0, 0, 1), 59 * time.Second, nil, 3}, // midnight
		{day.AddDate(0, 0, 1), 30 * time.Second, nil, 4}, // the clock was set back
		{day.AddDate(0, 0, 1), time.Hour, errors.New("away"), 0},
		{day.AddDate(0, 0, 1), time.Hour, nil, 6},
	} {
		r.err = c.err
		counts, err := f.of(t.Context(), r, c.from, c.from.AddDate(0, 0, 30), day.Add(c.at))
		if !errors.Is(err, c.err) || err == nil && counts[0].Sessions != c.want {
			t.Errorf("tally from %s at %s = %v, %v; want count %d, %v", c.from.Format(time.DateOnly), c.at, counts, err, c.want, c.err)
		}
	}
}
