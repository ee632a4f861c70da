package rates

import (
	"context"
	"fmt"
	"time"
)

// Health is how the stored rates are at a time.
type Health struct {
	AsOf   time.Time // of the newest table; zero = there was none
	Usable int       // currencies that can be converted
	Held   int       // currencies whose newest rate waits for an operator
	// FailingSince is when the first of the last reads failed, all with an error like Failure;
	// zero = the last one succeeded.
	FailingSince time.Time
	Failure      string
}

// Health returns how the stored rates of the source are now. Errors: the store's.
func (r *Refresher) Health(ctx context.Context) (Health, error) {
	state, _, err := r.Store.LoadRates(ctx)
	if err != nil {
		return Health{}, fmt.Errorf("loading exchange rates: %w", err)
	}
	if state.Source != r.Source.Name() { // it was not read yet
		return Health{}, nil
	}

	h := Health{
		AsOf:         state.AsOf,
		FailingSince: state.Schedule.FailingSince,
		Failure:      state.Schedule.Failure,
	}
	for _, e := range state.Currencies {
		if _, reason := e.Usable(r.Now()); reason == "" {
			h.Usable++
		}
		if e.Held != nil {
			h.Held++
		}
	}
	return h, nil
}

// Warning returns what is at risk with rates of a source of that name at now; "" = nothing.
func (h Health) Warning(source string, now time.Time) string {
	if h.Usable == 0 && h.Failure != "" {
		return "no exchange rate can be used, so only orders in USD are accepted: " + h.Failure
	}
	if h.Usable == 0 {
		return "no exchange rate can be used, so only orders in USD are accepted"
	}
	if !h.FailingSince.IsZero() && now.Sub(h.FailingSince) > Interval(source) {
		return fmt.Sprintf("exchange rates could not be read since %s: %s",
			h.FailingSince.UTC().Format(time.RFC3339), h.Failure)
	}
	return ""
}
