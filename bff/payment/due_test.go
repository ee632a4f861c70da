package payment

import (
	"errors"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/token"
)

// A payment that the gateway never ends is checked less and less often.
func TestWaitingSlowsDown(t *testing.T) {
	end := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	a := Attempt{State: Waiting, ExpiresAt: end}
	p := DefaultSchedule()
	for _, c := range []struct {
		after time.Duration
		want  time.Duration
	}{{-time.Hour, p.Watched}, {time.Minute, p.Watched}, {10 * time.Minute, 20 * time.Second}, {23 * time.Hour, 20 * time.Second}, {24 * time.Hour, time.Hour}} {
		now := end.Add(c.after)
		if got := a.Due(p, now, true).Sub(now); got != c.want {
			t.Errorf("%v after its end, due in %v; want %v", c.after, got, c.want)
		}
	}
}

// Times stored by a clock that was ahead are not waited for.
func TestDueAfterAClockThatWasAhead(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	ahead, p := now.Add(48*time.Hour), DefaultSchedule()
	for state, want := range map[State]time.Duration{
		Creating: p.CreateTimeout, Expired: p.LateChecks[0], Cancelled: p.LateChecks[0], Confirmed: p.ConfirmedChecks[0], Abandoned: p.OrphanSearches[0],
	} {
		a := Attempt{State: state, StartedAt: ahead, TTLMinutes: 30}
		if state != Abandoned {
			a.EndedAt = ahead
		}
		if got := a.Due(p, now, false).Sub(now); got != want {
			t.Errorf("%s is due in %v; want %v", state, got, want)
		}
	}
}

// An answer to an abandoned create yields a tracking code to cancel; it is never shown.
func TestAnswerAfterAbandonmentNamesTheTransaction(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	s := Session{Attempts: []Attempt{{Number: 1, State: Abandoned, StartedAt: now.Add(-time.Minute)}}}
	created := Created{TrackingCode: "LATE1", Address: "T", Status: "pending"}
	fortest.OK(t, s.ApplyCreateAnswer(1, created, nil, Terms{Coins: token.Builtin()}, now))
	a := s.Attempts[0]
	if a.State != Abandoned || a.TrackingCode != "LATE1" || a.Address != "" {
		t.Errorf("attempt = %+v; want it lost, with its code and no address", a)
	}
	if due := a.Due(DefaultSchedule(), now, false); due.IsZero() || due.Sub(now) > time.Minute {
		t.Errorf("due %v; want soon", due)
	}
	other := Session{Attempts: []Attempt{{Number: 1, State: Abandoned}}}
	if err := other.ApplyCreateAnswer(1, Created{}, errors.New("cut"), Terms{}, now); !errors.Is(err, ErrUnchanged) {
		t.Errorf("answered = %v; want ErrUnchanged", err)
	}
}

// An extension applies to the attempt on screen, not to another coin chosen meanwhile.
func TestDesiredReplaces(t *testing.T) {
	offer := func(symbol string) Offer {
		return Offer{Currency: Currency{Symbol: symbol}, Network: Network{Code: "x"}}
	}
	a := &Attempt{Number: 2, State: Waiting, CurrencySymbol: "BTC", NetworkCode: "x"}
	for _, c := range []struct {
		w    Desired
		want bool
	}{
		{Desired{Offer: offer("USDT")}, true}, {Desired{Offer: offer("BTC")}, false},
		{Desired{Offer: offer("BTC"), instead: 2}, true}, {Desired{Offer: offer("USDT"), instead: 1}, false},
	} {
		if got := c.w.Replaces(a); got != c.want {
			t.Errorf("%s instead of %d replaces = %t; want %t", c.w.Offer.Currency.Symbol, c.w.instead, got, c.want)
		}
	}
}
