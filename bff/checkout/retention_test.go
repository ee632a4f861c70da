package checkout

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
)

// shelf is an Eraser of a few sessions; the others of its methods are not called.
type shelf struct {
	Eraser
	ids    []string
	fails  string
	erased []string
}

func (s *shelf) Erasable(
	_ context.Context, _ time.Time, at string, _ int,
) ([]string, string, error) {
	if at == "" {
		return s.ids[:1], "next", nil
	}
	return s.ids[1:], "", nil
}

func (s *shelf) Erase(
	_ context.Context, id string, _ time.Time, _ func(payment.Session, bool) payment.Erasure,
) (payment.Erasure, error) {
	if id == s.fails {
		return payment.EraseNothing, errors.New("disk full")
	}
	s.erased = append(s.erased, id)
	return payment.EraseAll, nil
}

func (s *shelf) EraseActions(context.Context, time.Time, int) (int, error) { return 0, nil }
func (s *shelf) Truncate(context.Context) error                            { return nil }

// One instance erases at a time and then none for a day. After a session that cannot be
// erased it continues with the others, and tries again sooner. By default nothing is even
// looked for.
func TestRetentionPass(t *testing.T) {
	const every, lease = 24 * time.Hour, 10 * time.Minute
	for name, c := range map[string]struct {
		mine   bool
		fails  string
		erased int
		held   []time.Duration
		failed bool
	}{
		"mine":            {true, "", 2, []time.Duration{lease, lease, every}, false},
		"another's":       {false, "", 0, nil, false},
		"the last fails":  {true, "b", 1, []time.Duration{lease, lease}, true},
		"the first fails": {true, "a", 1, []time.Duration{lease, lease}, true},
	} {
		s := &shelf{ids: []string{"a", "b"}, fails: c.fails}
		var held []time.Duration
		r := Retention{
			Eraser:  s,
			Keep:    time.Hour,
			Now:     time.Now,
			Changed: func(string) {},
			Log:     slog.New(slog.DiscardHandler),
			Acquire: func(context.Context) (bool, error) { return c.mine, nil },
			Hold: func(_ context.Context, d time.Duration) error {
				held = append(held, d)
				return nil
			},
		}
		fortest.Equal(t, r.pass(t.Context()) != nil, c.failed, "%s: pass", name)
		if len(s.erased) != c.erased || !slices.Equal(held, c.held) {
			t.Errorf("%s: erased %v, held %v; want %d, %v", name, s.erased, held, c.erased, c.held)
		}
	}
	none := Retention{
		Acquire: func(context.Context) (bool, error) { t.Error("looked for"); return true, nil },
	}
	if err := none.Run(t.Context()); err != nil {
		t.Errorf("Run without a period = %v", err)
	}
}
