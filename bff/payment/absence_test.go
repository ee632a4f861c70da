package payment

import (
	"errors"
	"testing"
	"time"

	"coinslot/bff/fortest"
)

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
				t.Errorf("attempt is %s, ended %v; want %s, %v", a.State, a.EndedAt, tt.want, tt.ended)
			}
			counted := tt.absences
			if err == nil {
				counted++
			}
			if a.Absences != counted {
				t.Errorf("absences = %d; want %d", a.Absences, counted)
			}
		})
	}
}

// A leftover attempt of a paid order needs no review.
func TestAbsentBesideAConfirmedAttempt(t *testing.T) {
	s := waiting()
	s.Attempts[0].Absences, s.Attempts[0].AbsentAt = 3, noon
	s.Attempts = append(s.Attempts, Attempt{Number: 2, State: Confirmed, TrackingCode: "T2"})
	fortest.OK(t, s.CountAbsence(1, DefaultSchedule(), noon.Add(time.Hour)))
	if got := s.Attempts[0].State; got != Cancelled {
		t.Errorf("attempt is %s; want cancelled", got)
	}
}
