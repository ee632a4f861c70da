package widget

import (
	"strconv"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"

	"github.com/google/go-cmp/cmp"
)

// counting returns a mounted timing.
func counting(t *testing.T, left, ago time.Duration, announced bool) *Timing {
	t.Helper()
	return &Timing{
		Shows: TimeLeft,
		Page: Page{
			Text: english(t),
			View: wire.View{
				Status:       wire.Pending,
				CheckedMsAgo: ago.Milliseconds(),
				WillUpdate:   announced,
				Attempt:      &wire.Attempt{Number: 1, ExpiresInMs: left.Milliseconds()},
			},
		},
	}
}

// TestTextUpdateWithoutRedraw: the timer wakes only when a text changes.
func TestTextUpdateWithoutRedraw(t *testing.T) {
	const half = 30 * time.Minute
	for name, c := range map[string]struct {
		shows     Shows
		left, ago time.Duration
		announced bool
		want      int
	}{
		"half an hour":              {TimeLeft, half, 0, true, 1},
		"hours":                     {TimeLeft, 3*time.Hour + 30*time.Second, 0, true, 1},
		"the last minutes":          {TimeLeft, 4 * time.Minute, 0, true, 60},
		"nearly the last minutes":   {TimeLeft, 5*time.Minute + 10*time.Second, 0, true, 50},
		"over":                      {TimeLeft, 0, 0, true, 0},
		"checked, announced":        {Checked, half, 200 * time.Millisecond, true, 0},
		"checked, not announced":    {Checked, half, 200 * time.Millisecond, false, 56},
		"checked long ago":          {Checked, half, 10 * time.Minute, true, 1},
		"no more time yet":          {MoreTime, half, 0, true, 0},
		"more time in ten seconds":  {MoreTime, 5*time.Minute + 10*time.Second, 0, true, 1},
		"more time is offered":      {MoreTime, 4 * time.Minute, 0, true, 0},
		"the time for more is over": {MoreTime, 0, 0, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := counting(t, c.left, c.ago, c.announced)
			s.Shows = c.shows
			shown := func() string {
				_, text := s.text()
				return text + strconv.Itoa(int(s.phase()))
			}
			wakes := 0
			for wake := s.validFor(); wake > 0 && s.elapsed+wake <= time.Minute; wake = s.validFor() {
				before := shown()
				began := s.elapsed
				for _, s.elapsed = range []time.Duration{began + wake/2, began + wake - 2*time.Millisecond} {
					if wake > 2*time.Millisecond && shown() != before {
						t.Fatalf("after %v, %q was still shown; it is %q", s.elapsed, before, shown())
					}
				}
				s.elapsed = began + wake
				if wakes++; shown() == before {
					t.Errorf("after %v it wakes for nothing", s.elapsed)
				}
			}
			if wakes < c.want-1 || wakes > c.want+1 || c.want == 0 && wakes > 0 {
				t.Errorf("it wakes %d times in a minute; want about %d", wakes, c.want)
			}
		})
	}
}

// TestNeedsRedraw: more than texts changes when the last minutes begin, when the time is announced to screen readers, and when it is over.
func TestNeedsRedraw(t *testing.T) {
	s := counting(t, 6*time.Minute, 0, true)
	s.shortest = s.remaining()
	var turns []string
	for wake := s.validFor(); wake > 0; wake = s.validFor() {
		if s.elapsed += wake; s.needsRedraw() {
			turns = append(turns, s.leftText())
			s.drawn, s.shortest, s.refreshed = s.phase(), s.remaining(), s.remaining() <= 0
		}
	}
	want := []string{"4:59 left", "1:59 left", "0:59 left", "Time’s up"}
	if diff := cmp.Diff(want, turns); diff != "" || s.needsRedraw() {
		t.Errorf("it turns when it says (-want +got):\n%s", diff)
	}
}

// TestCheckedTextNamesProblem follows a phone through a tunnel.
func TestCheckedTextNamesProblem(t *testing.T) {
	p := counting(t, time.Hour, 0, true).Page
	text := p.Text
	at := time.Now()
	now := text["pay.refresh"] + " " + text["checked.now"]
	s := &Timing{Page: p, At: at}
	want := func(when, sentence string) {
		t.Helper()
		fortest.Equal(t, s.checkedText(), sentence, "%s", when)
	}
	want("at first", now)
	s.setNetwork(false)
	want("in the tunnel", text["checked.offline"])
	s.Offline = true
	s.setNetwork(true)
	want("behind the tunnel", text["checked.again"])
	s.At = at.Add(time.Minute)
	s.Offline = false
	s.setNetwork(true)
	want("after an answer", now)
	s.Offline = true
	want("when the server is away", text["checked.offline"])
	s.Note = "Nothing yet."
	want("after a recheck", s.Note)
}
