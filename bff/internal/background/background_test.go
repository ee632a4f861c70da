package background

import (
	"testing"
	"testing/synctest"
	"time"

	"coinslot/bff/fortest"
)

func TestHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p Heartbeat
		if !p.Last().IsZero() {
			t.Errorf("before the first beat: %v", p.Last())
		}
		began := time.Now()
		turned := func(what string, want time.Duration) {
			t.Helper()
			fortest.Equal(t, p.Last().Sub(began), want, "%s: turned at", what)
		}
		p.Beat(0)
		turned("a beat", 0)
		p.Beat(time.Minute)
		turned("a rest", time.Minute)
		time.Sleep(time.Second)
		p.Beat(0)
		turned("a beat during the rest", time.Minute)
		p.Beat(-time.Hour)
		turned("a rest that is over", time.Minute)
		time.Sleep(time.Minute)
		p.Beat(0)
		turned("a beat after it", 61*time.Second)
		if p.Stop(); !p.Last().IsZero() {
			t.Errorf("after the end: %v", p.Last())
		}
		p.Beat(0)
		turned("begun again", 61*time.Second)
	})
}

func TestEarliest(t *testing.T) {
	one, two := time.Unix(1, 0), time.Unix(2, 0)
	if got := Earliest(time.Time{}, two, one, time.Time{}); !got.Equal(one) {
		t.Errorf("Earliest = %v; want %v", got, one)
	}
	if got := Earliest(time.Time{}); !got.IsZero() || !Earliest().IsZero() {
		t.Errorf("Earliest of none = %v", got)
	}
}
