package widget

import (
	"testing"
	"time"

	"coinslot/app/wire"

	"github.com/google/go-cmp/cmp"
)

// counting returns a mounted timing.
func counting(t *testing.T, left, ago time.Duration, announced bool) *Timing {
	t.Helper()
	return &Timing{Left: true, Page: Page{Text: english(t), View: wire.View{
		Status: wire.Pending, CheckedMsAgo: ago.Milliseconds(), WillUpdate: announced, Attempt: &wire.Attempt{Number: 1, ExpiresInMs: left.Milliseconds()},
	}}}
}

// TestTextUpdateWithoutRedraw: the timer wakes only when a text changes.
func TestTextUpdateWithoutRedraw(t *testing.T) {
	for name, c := range map[string]struct {
		left, ago time.Duration
		announced bool
		most      int
	}{
		"half an hour, announced":         {30 * time.Minute, 200 * time.Millisecond, true, 1},
		"half an hour, not announced":     {30 * time.Minute, 200 * time.Millisecond, false, 57},
		"hours":                           {3*time.Hour + 30*time.Second, 0, true, 1},
		"the last minutes":                {4 * time.Minute, 900 * time.Millisecond, true, 60},
		"the last minutes, not announced": {250_500 * time.Millisecond, 100 * time.Millisecond, false, 116},
		"nearly the last minutes":         {5*time.Minute + 10*time.Second, 0, true, 52},
		"over":                            {0, 10 * time.Minute, true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := counting(t, c.left, c.ago, c.announced)
			wakes := 0
			for wake := s.validFor(); wake > 0 && s.elapsed+wake <= time.Minute; wake = s.validFor() {
				left, checked, began := s.leftText(), s.checkedText(), s.elapsed
				for _, s.elapsed = range []time.Duration{began + wake/2, began + wake - 2*time.Millisecond} {
					if wake > 2*time.Millisecond && (s.leftText() != left || s.checkedText() != checked) {
						t.Fatalf("after %v, %q, %q was still shown; it is %q, %q", s.elapsed, left, checked, s.leftText(), s.checkedText())
					}
				}
				s.elapsed = began + wake
				if wakes++; s.leftText() == left && s.checkedText() == checked {
					t.Errorf("after %v it wakes for nothing", s.elapsed)
				}
			}
			if wakes > c.most {
				t.Errorf("it wakes %d times in a minute; want at most %d", wakes, c.most)
			}
		})
	}
}

// TestNeedsRedraw: more than texts changes when the last minutes begin, when the time is announced to screen readers, and when it is over.
func TestNeedsRedraw(t *testing.T) {
	s := counting(t, 6*time.Minute, 0, true)
	s.drawnEarly, s.shortest = true, s.remaining()
	var turns []string
	for wake := s.validFor(); wake > 0; wake = s.validFor() {
		if s.elapsed += wake; s.needsRedraw() {
			turns = append(turns, s.leftText())
			s.drawnEarly, s.shortest, s.refreshed = s.remaining() >= lastMinutes, s.remaining(), s.remaining() <= 0
		}
	}
	want := []string{"4:59 left", "1:59 left", "0:59 left", "Time is up: looking once more"}
	if diff := cmp.Diff(want, turns); diff != "" || s.needsRedraw() {
		t.Errorf("it turns when it says (-want +got):\n%s", diff)
	}
}

// TestCheckedTextNamesProblem follows a phone through a tunnel.
func TestCheckedTextNamesProblem(t *testing.T) {
	p := counting(t, time.Hour, 0, true).Page
	text, at := p.Text, time.Now()
	s := &Timing{Page: p, At: at}
	want := func(when, sentence string) {
		t.Helper()
		if got := s.checkedText(); got != sentence {
			t.Errorf("%s: %q; want %q", when, got, sentence)
		}
	}
	want("at first", text["checked.now"])
	s.setNetwork(false)
	want("in the tunnel", text["checked.offline"])
	s.Offline = true
	s.setNetwork(true)
	want("behind the tunnel", text["checked.again"])
	s.At, s.Offline = at.Add(time.Minute), false
	s.setNetwork(true)
	want("after an answer", text["checked.now"])
	s.Offline = true
	want("when the server is away", text["checked.offline"])
}
