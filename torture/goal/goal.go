// Package goal is how a test of the torture harness asks for its bound and says what it has proven.
// `make torture` runs the tests with the full bounds and makes the table of torture/README.md
// from what they say; `make test-all` runs the same tests with the short ones.
//
// TORTURE=long asks for the full bounds, TORTURE=0.1 for a tenth of them, and
// TORTURE_SEED=7 for one seed. TORTURE_LEDGER names the file that results are
// appended to; unset, they are only logged. A test that uses [Resume] continues
// an interrupted run of that file.
package goal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"coinslot/bff/fortest"
)

// Result is what a test has proven.
type Result struct {
	Goal       string        `json:"goal"`   // as in the table of README.md
	Figure     string        `json:"figure"` // what was counted, in words: "1,000 lost answers, every orphan known within 14 s"
	Rounds     int           `json:"rounds"` // made
	Wanted     int           `json:"wanted"` // rounds of the full bound
	Violations int           `json:"violations"`
	Seed       uint64        `json:"seed"` // zero = nothing was drawn
	Took       time.Duration `json:"took"`
	// Counts are what Figure is made from, by name; nil = it is not kept.
	Counts map[string]int `json:"counts,omitempty"`
}

// Bound says what rounds without a violation mean: with 95 % confidence
// fewer than one in so many fails (the rule of three).
func (r Result) Bound() string {
	if r.Violations > 0 || r.Rounds <= 3 {
		return ""
	}
	return fmt.Sprintf("< %.2g %%", 300/float64(r.Rounds))
}

// Rounds returns how many rounds to make: short in `make test-all`, full or the
// share of it that TORTURE asks for, but never fewer than short.
func Rounds(short, full int) int {
	want := os.Getenv("TORTURE")
	switch want {
	case "":
		return short
	case "long":
		return full
	default:
		share, err := strconv.ParseFloat(want, 64)
		if err != nil || share <= 0 || share > 1 {
			panic("TORTURE=" + want + ": want long, or a share of the full bound like 0.1")
		}
		return max(short, int(share*float64(full)))
	}
}

// Long reports whether more than the short form was asked for.
func Long() bool { return os.Getenv("TORTURE") != "" }

// Seed returns TORTURE_SEED, or a fresh one, and logs it if t fails.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed := rand.Uint64N(1 << 32)
	if text := os.Getenv("TORTURE_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("TORTURE_SEED=%q is not a number", text)
		}
		seed = n
	}

	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("again with TORTURE_SEED=%d", seed)
		}
	})
	return seed
}

var results sync.Mutex

// Report logs r and appends it to the results. It fails t if there were
// violations, or no rounds at all.
func Report(t testing.TB, r Result) {
	t.Helper()
	t.Logf("%s: %d rounds of %d, %d violations, seed %d, %s %s", r.Goal, r.Rounds, r.Wanted, r.Violations, r.Seed, r.Figure, r.Bound())
	if r.Violations > 0 {
		t.Errorf("%s: %d violations in %d rounds (seed %d)", r.Goal, r.Violations, r.Rounds, r.Seed)
	}
	if r.Rounds == 0 {
		t.Errorf("%s: no rounds were made", r.Goal)
	}
	Save(t, r)
}

// Resume returns the result that an interrupted run of the same goal has saved, to be continued.
// It returns r if there is none, it has violations or all the rounds, or another seed is wanted.
func Resume(t testing.TB, r Result, rounds int) Result {
	t.Helper()
	saved := fortest.Must(Read(os.Getenv("TORTURE_LEDGER")))(t)
	for _, s := range saved {
		other := os.Getenv("TORTURE_SEED") != "" && s.Seed != r.Seed
		if s.Goal == r.Goal && s.Violations == 0 && s.Rounds < rounds && !other {
			t.Logf("%s: continuing after %d rounds of %d, seed %d", s.Goal, s.Rounds, rounds, s.Seed)
			return s
		}
	}
	return r
}

// Save appends what was done until now to the results, for Resume.
func Save(t testing.TB, r Result) {
	t.Helper()
	if name := os.Getenv("TORTURE_LEDGER"); name != "" {
		fortest.OK(t, r.AppendTo(name))
	}
}

// Read reads a file of results: for each goal the last one, in the order of the first. A file
// that does not exist has none.
func Read(name string) (list []Result, err error) {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	defer file.Close()
	for decoder := json.NewDecoder(file); ; {
		var one Result
		if err := decoder.Decode(&one); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("reading the results: %w", err)
		}

		at := slices.IndexFunc(list, func(o Result) bool { return o.Goal == one.Goal })
		if at < 0 {
			at = len(list)
			list = append(list, one)
		}

		list[at] = one
	}
}

// AppendTo appends r to a file of results. Errors: the file cannot be written.
func (r Result) AppendTo(name string) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}

	results.Lock()
	defer results.Unlock()
	file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}

	_, err = file.Write(append(line, '\n'))
	return errors.Join(err, file.Close())
}
