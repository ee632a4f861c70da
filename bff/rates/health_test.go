package rates

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"coinslot/bff/fortest"
)

// TestHealth: the warnings while a source answers, fails for longer than its interval,
// and until its rates are too old.
func TestHealth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, source := &memory{}, &scripted{name: JSON, answer: fails}
		r := &Refresher{Source: source, Store: store, Now: time.Now}
		want := func(when string, usable, held int, warning string) {
			t.Helper()
			synctest.Wait()
			h := fortest.Must(r.Health(t.Context()))(t)
			if h.Usable != usable || h.Held != held {
				t.Errorf("%s: %d usable and %d held; want %d and %d", when, h.Usable, h.Held, usable, held)
			}
			said := h.Warning(JSON, time.Now())
			if said != warning && (warning == "" || !strings.Contains(said, warning)) {
				t.Errorf("%s: the warning is %q; want %q", when, said, warning)
			}
		}

		want("before the first read", 0, 0, "only orders in USD are accepted")
		start(t, source, store)
		want("after a first failure", 0, 0, "only orders in USD are accepted: no answer")

		source.set(euros("0.9"))
		time.Sleep(time.Minute)
		want("after an answer", 1, 0, "")
		source.set(euros("0.8"))
		time.Sleep(10 * time.Minute)
		want("after a jump", 1, 1, "")

		source.set(fails)
		time.Sleep(11 * time.Minute)
		failing := fortest.Must(r.Health(t.Context()))(t).FailingSince
		want("after some failures", 1, 1, "")
		time.Sleep(20 * time.Minute)
		want("after a long failure", 1, 1, "could not be read since "+failing.UTC().Format(time.RFC3339)+": no answer")
		time.Sleep(2 * time.Hour)
		want("when all rates are too old", 0, 1, "only orders in USD are accepted: no answer")

		r.Source = &scripted{name: ECB}
		want("of another source", 0, 0, "only orders in USD are accepted")
	})
}
