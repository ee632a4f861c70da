package widget

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"coinslot/app/wire"
)

// counting is a mounted timing that nothing happens to.
func counting(t *testing.T, left, ago time.Duration, told bool) *timing {
	t.Helper()
	return &timing{Left: true, Page: Page{Text: english(t), View: wire.View{
		Status: wire.Pending, CheckedMsAgo: ago.Milliseconds(), Told: told, Attempt: &wire.Attempt{Number: 1, ExpiresInMs: left.Milliseconds()},
	}}}
}

// TestWakesForWordsOnly holds what a minute of waiting costs: the timer wakes for
// each word that is no longer true, and for nothing else.
func TestWakesForWordsOnly(t *testing.T) {
	for name, c := range map[string]struct {
		left, ago time.Duration
		told      bool
		most      int
	}{
		"half an hour, told":         {30 * time.Minute, 200 * time.Millisecond, true, 1},
		"half an hour, not told":     {30 * time.Minute, 200 * time.Millisecond, false, 57},
		"hours":                      {3*time.Hour + 30*time.Second, 0, true, 1},
		"the last minutes":           {4 * time.Minute, 900 * time.Millisecond, true, 60},
		"the last minutes, not told": {250_500 * time.Millisecond, 100 * time.Millisecond, false, 116},
		"nearly the last minutes":    {5*time.Minute + 10*time.Second, 0, true, 52},
		"over":                       {0, 10 * time.Minute, true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := counting(t, c.left, c.ago, c.told)
			wakes := 0
			for wake := s.next(); wake > 0 && s.elapsed+wake <= time.Minute; wake = s.next() {
				left, checked, began := s.left(), s.checked(), s.elapsed
				for _, s.elapsed = range []time.Duration{began + wake/2, began + wake - 2*time.Millisecond} {
					if wake > 2*time.Millisecond && (s.left() != left || s.checked() != checked) {
						t.Fatalf("after %v, %q, %q was still shown; it is %q, %q", s.elapsed, left, checked, s.left(), s.checked())
					}
				}
				s.elapsed = began + wake
				if wakes++; s.left() == left && s.checked() == checked {
					t.Errorf("after %v it wakes for nothing", s.elapsed)
				}
			}
			if wakes > c.most {
				t.Errorf("it wakes %d times in a minute; want at most %d", wakes, c.most)
			}
		})
	}
}

// TestTurns: more than words changes when the last minutes begin, when the time is
// told to screen readers, and when it is up.
func TestTurns(t *testing.T) {
	s := counting(t, 6*time.Minute, 0, true)
	s.early, s.least = true, s.remaining()
	var turns []string
	for wake := s.next(); wake > 0; wake = s.next() {
		if s.elapsed += wake; s.turns() {
			turns = append(turns, s.left())
			s.early, s.least, s.asked = s.remaining() >= lastMinutes, s.remaining(), s.remaining() <= 0
		}
	}
	want := []string{"4:59 left", "1:59 left", "0:59 left", "Time is up: looking once more"}
	if diff := cmp.Diff(want, turns); diff != "" || s.turns() {
		t.Errorf("it turns when it says (-want +got):\n%s", diff)
	}
}

// drawn is a checkout that counts how often it is drawn.
type drawn struct {
	*Checkout
	times int
	ctx   app.Context
}

func (d *drawn) Render() app.UI {
	d.times++
	return d.Checkout.Render()
}

func (d *drawn) OnPreRender(ctx app.Context) { d.ctx = ctx }

// TestRepeatsDrawNothing: a view that shows nothing new costs no drawing.
func TestRepeatsDrawNothing(t *testing.T) {
	first := named(t, "pending")
	first.View.Version = 9
	d := &drawn{Checkout: &Checkout{Page: first, Host: (&browserFake{}).host()}}
	engine := app.NewTestEngine()
	if err := engine.Load(d); err != nil {
		t.Fatal(err)
	}
	engine.ConsumeAll()
	takes := func(change func(*wire.View)) (times int) {
		v := first.View
		a := *v.Attempt
		v.Attempt = &a
		change(&v)
		d.times = 0
		d.ctx.Dispatch(func(ctx app.Context) { d.hear(ctx, v) })
		engine.ConsumeAll()
		return d.times
	}
	for ms := range int64(20) {
		if n := takes(func(v *wire.View) { v.CheckedMsAgo, v.Attempt.ExpiresInMs, v.Told = ms, 700_000-3000*ms, ms%2 == 0 }); n != 0 {
			t.Fatalf("the page was drawn %d times for a view that shows nothing new", n)
		}
	}
	if got := d.Page.View.CheckedMsAgo; got != 19 {
		t.Errorf("the time of the last view was not taken: %d", got)
	}
	for name, change := range map[string]func(*wire.View){
		"version": func(v *wire.View) { v.Version = 10 },
		"sum":     func(v *wire.View) { v.Version, v.Attempt.PaidAmount, v.Attempt.MissingAmount = 11, "1.00", "2.00" },
		"notice":  func(v *wire.View) { v.Version, v.Notice = 11, &wire.Notice{Message: "news"} },
	} {
		if takes(change) == 0 {
			t.Errorf("another %s was not drawn", name)
		}
	}
	d.offline = true
	if takes(func(v *wire.View) { *v = d.Page.View }) == 0 {
		t.Error("that the server is back was not drawn")
	}
}

// TestAnswersAreDrawn: an answer that repeats what is on screen ends the waiting
// for it all the same.
func TestAnswersAreDrawn(t *testing.T) {
	page := named(t, "pending")
	d := &drawn{Checkout: &Checkout{Page: page, Host: (&browserFake{}).host()}}
	engine := app.NewTestEngine()
	if err := engine.Load(d); err != nil {
		t.Fatal(err)
	}
	answer, err := json.Marshal(page.View)
	if err != nil {
		t.Fatal(err)
	}
	d.busy, d.Page.Changing = true, true
	engine.ConsumeAll()
	d.times = 0
	d.ctx.Dispatch(func(ctx app.Context) { d.answered(ctx, 200, answer, nil) })
	engine.ConsumeAll()
	if d.times == 0 || d.busy || d.Page.Changing {
		t.Errorf("drawn %d times, busy %t, changing %t; want it drawn, and neither", d.times, d.busy, d.Page.Changing)
	}
}
