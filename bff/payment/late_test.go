package payment

import (
	"errors"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/token"

	"github.com/shopspring/decimal"
)

// Checks are late only if nothing was paid and no recheck was requested.
func TestLateChecksFrom(t *testing.T) {
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	p := DefaultSchedule()
	waiting := Attempt{State: Waiting, TrackingCode: "A", ExpiresAt: noon}
	expired := Attempt{State: Expired, TrackingCode: "B", EndedAt: noon.Add(time.Minute)}
	with := func(a Attempt, change func(*Attempt)) []Attempt {
		change(&a)
		return []Attempt{a}
	}
	never := time.Time{}
	for name, c := range map[string]struct {
		status   wire.Status
		attempts []Attempt
		want     time.Time
	}{
		"before a choice": {wire.Open, nil, never},
		"waiting":         {wire.Pending, []Attempt{waiting}, noon},
		"waiting, end not known": {
			wire.Pending,
			with(waiting, func(a *Attempt) { a.ExpiresAt = never }),
			never,
		},
		"waiting, partly paid": {
			wire.Pending,
			with(waiting, func(a *Attempt) { a.Paid = decimal.NewFromInt(1) }),
			never,
		},
		"waiting, seen": {
			wire.Pending,
			with(waiting, func(a *Attempt) { a.TxID = "0xa" }),
			never,
		},
		"waiting, paid at": {
			wire.Pending,
			with(waiting, func(a *Attempt) { a.PaidAt = noon }),
			never,
		},
		"waiting, absent": {
			wire.Pending,
			with(waiting, func(a *Attempt) { a.Absences = 1 }),
			never,
		},
		"to be cancelled": {wire.Cancelled, []Attempt{waiting}, never},
		"expired":         {wire.Expired, []Attempt{expired}, noon.Add(time.Minute)},
		"expired, partly paid": {
			wire.Expired,
			with(expired, func(a *Attempt) { a.Paid = decimal.NewFromInt(1) }),
			never,
		},
		"expired, asked about": {
			wire.Expired,
			with(expired, func(a *Attempt) { a.RecheckAskedAt = noon }),
			never,
		},
		"expired, follow is over": {
			wire.Expired,
			with(expired,
				func(a *Attempt) { a.RecheckAskedAt, a.FollowUps = noon, len(p.FollowUps) }),
			noon.Add(time.Minute),
		},
		"expired, was in review": {
			wire.Expired,
			with(expired, func(a *Attempt) { a.ReviewedAt = noon }),
			never,
		},
		"cancelled": {
			wire.Cancelled,
			with(expired, func(a *Attempt) { a.State = Cancelled }),
			noon.Add(time.Minute),
		},
		"another coin chosen": {
			wire.Pending,
			[]Attempt{expired, waiting},
			noon.Add(time.Minute),
		},
		"another coin, longer": {
			wire.Pending,
			[]Attempt{
				expired,
				with(waiting, func(a *Attempt) { a.ExpiresAt = noon.Add(time.Hour) })[0],
			},
			noon.Add(time.Hour),
		},
		"another coin, first paid": {
			wire.Pending,
			[]Attempt{with(expired, func(a *Attempt) { a.TxID = "0xa" })[0], waiting},
			never,
		},
		"confirmed": {wire.Confirmed, []Attempt{{State: Confirmed, EndedAt: noon}}, never},
		"in review": {wire.Review, []Attempt{{State: InReview, ReviewedAt: noon}}, never},
		"preparing": {wire.Preparing, []Attempt{expired, {State: Creating}}, never},
		"refused before": {
			wire.Expired,
			[]Attempt{{State: Refused, StartedAt: noon}, expired},
			noon.Add(time.Minute),
		},
		"orphan to be found": {
			wire.Expired,
			[]Attempt{{State: Abandoned, StartedAt: noon}, expired},
			never,
		},
		"orphan not found": {
			wire.Expired,
			[]Attempt{{State: Abandoned, StartedAt: noon, ChecksDone: 3, TTLMinutes: 30}, expired},
			noon.Add(time.Minute),
		},
		"orphan to be ended": {
			wire.Expired,
			[]Attempt{{State: Duplicate, TrackingCode: "C"}, expired},
			never,
		},
		"orphan ended": {
			wire.Expired,
			[]Attempt{{State: Duplicate, TrackingCode: "C", EndedAt: noon}, expired},
			noon.Add(time.Minute),
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := Session{Status: c.status, Attempts: c.attempts}
			if got := s.LateChecksFrom(p); !got.Equal(c.want) {
				t.Errorf("lateFrom = %v; want %v", got, c.want)
			}
		})
	}
}

func TestDueLate(t *testing.T) {
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		due, from time.Time
		want      bool
	}{
		{noon, noon, true},
		{noon.Add(-time.Microsecond), noon, false},
		{noon.Add(time.Hour), noon, true},
		{noon, time.Time{}, false}, {time.Time{}, noon, false},
	} {
		s := Session{DueAt: c.due, LateFrom: c.from}
		fortest.Equal(t, s.DueForLateCheck(), c.want, "due %v, late from %v", c.due, c.from)
	}
}

// A payment that the gateway never ends is checked less and less often.
func TestWaitingSlowsDown(t *testing.T) {
	end := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	a := Attempt{State: Waiting, ExpiresAt: end}
	p := DefaultSchedule()
	for _, c := range []struct {
		after time.Duration
		want  time.Duration
	}{
		{-time.Hour, p.Watched},
		{time.Minute, p.Watched},
		{10 * time.Minute, 20 * time.Second},
		{23 * time.Hour, 20 * time.Second},
		{24 * time.Hour, time.Hour},
	} {
		now := end.Add(c.after)
		fortest.Equal(t, a.Due(p, now, true).Sub(now), c.want, "%v after its end, due in", c.after)
	}
}

// Times stored by a clock that was ahead are not waited for.
func TestDueAfterAClockThatWasAhead(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	ahead, p := now.Add(48*time.Hour), DefaultSchedule()
	for state, want := range map[State]time.Duration{
		Creating:  p.CreateTimeout,
		Expired:   p.LateChecks[0],
		Cancelled: p.LateChecks[0],
		Confirmed: p.ConfirmedChecks[0],
		Abandoned: p.OrphanSearches[0],
	} {
		a := Attempt{State: state, StartedAt: ahead, TTLMinutes: 30}
		if state != Abandoned {
			a.EndedAt = ahead
		}
		fortest.Equal(t, a.Due(p, now, false).Sub(now), want, "%s is due in", state)
	}
}

// An answer to an abandoned create yields a tracking code to cancel; it is never shown.
func TestAnswerAfterAbandonmentNamesTheTransaction(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	s := Session{
		Attempts: []Attempt{{Number: 1, State: Abandoned, StartedAt: now.Add(-time.Minute)}},
	}
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
	fortest.Is(t, other.ApplyCreateAnswer(1, Created{}, errors.New("cut"), Terms{}, now),
		ErrUnchanged, "answered")
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
		{Desired{Offer: offer("BTC"), instead: 2}, true},
		{Desired{Offer: offer("USDT"), instead: 1}, false},
	} {
		fortest.Equal(t, c.w.replaces(a), c.want,
			"%s instead of %d replaces", c.w.Offer.Currency.Symbol, c.w.instead)
	}
}

// Each row is the effect of one more answer on an attempt with that many absences, the first
// one that long ago.
func TestAbsent(t *testing.T) {
	p := DefaultSchedule()
	for name, tt := range map[string]struct {
		state    State
		reason   string
		absences int
		ago      time.Duration
		want     State
		ended    bool
		err      error
	}{
		"first":  {state: Waiting, want: Waiting},
		"second": {state: Waiting, absences: 1, ago: 30 * time.Second, want: Waiting},
		"second, too soon": {state: Waiting, absences: 1, ago: 29 * time.Second,
			want: Waiting, err: ErrUnchanged},
		"third":           {state: Waiting, absences: 2, ago: 90 * time.Second, want: Waiting},
		"two, long ago":   {state: Waiting, absences: 1, ago: time.Hour, want: Waiting},
		"third, long ago": {state: Waiting, absences: 2, ago: time.Hour, want: InReview},
		"fourth":          {state: Waiting, absences: 3, ago: 3 * time.Minute, want: InReview},
		"after the last": {state: InReview, reason: reasonTxAbsent, absences: 14,
			ago: 99 * time.Hour, want: InReview, err: ErrUnchanged},
		"in review for it": {state: InReview, reason: reasonTxAbsent, absences: 4,
			ago: 5 * time.Minute, want: InReview},
		"in another review": {state: InReview, reason: reasonPaidShort,
			want: InReview, err: ErrUnchanged},
		"expired": {state: Expired, absences: 3, ago: time.Hour,
			want: Expired, err: ErrUnchanged},
		"confirmed": {state: Confirmed, absences: 3, ago: time.Hour,
			want: Confirmed, err: ErrUnchanged},
		"an orphan": {state: Abandoned, absences: 2, ago: 90 * time.Second, want: Abandoned},
		"an orphan, at last": {state: Duplicate, absences: 3, ago: 3 * time.Minute,
			want: Duplicate, ended: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := waiting()
			a := &s.Attempts[0]
			a.State, a.Reason, a.Absences, a.AbsentAt = tt.state, tt.reason, tt.absences, noon
			err := s.CountAbsence(1, p, noon.Add(tt.ago))
			if !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) {
				t.Fatalf("absent = %v; want %v", err, tt.err)
			}
			if a.State != tt.want || !a.EndedAt.IsZero() != tt.ended {
				t.Errorf("attempt is %s, ended %v; want %s, %v", a.State, a.EndedAt, tt.want,
					tt.ended)
			}
			counted := tt.absences
			if err == nil {
				counted++
			}
			fortest.Equal(t, a.Absences, counted, "absences")
		})
	}
}

// A leftover attempt of a paid order needs no review.
func TestAbsentBesideAConfirmedAttempt(t *testing.T) {
	s := waiting()
	s.Attempts[0].Absences, s.Attempts[0].AbsentAt = 3, noon
	s.Attempts = append(s.Attempts, Attempt{Number: 2, State: Confirmed, TrackingCode: "T2"})
	fortest.OK(t, s.CountAbsence(1, DefaultSchedule(), noon.Add(time.Hour)))
	fortest.Equal(t, s.Attempts[0].State, Cancelled, "attempt")
}
