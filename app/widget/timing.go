package widget

import (
	"strconv"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// timing tells how much time is left and how fresh the page is. Both count from
// the moment the view came, by the browser's own clock, so that a wrong clock
// does no harm.
type timing struct {
	app.Compo

	Page    Page
	At      time.Time // when the view came; zero on the server
	Left    bool      // show the time left
	Offline bool

	elapsed time.Duration
	asked   bool // a look was asked for because the time has run out
}

// OnMount starts the ticking; go-app ends it with the component.
func (t *timing) OnMount(ctx app.Context) { t.tick(ctx) }

// OnUpdate starts counting anew: the view is fresh.
func (t *timing) OnUpdate(app.Context) { t.measure() }

// Render draws both lines.
func (t *timing) Render() app.UI {
	return el("div").Class("timing").Body(
		app.If(t.Left, func() app.UI {
			return el("span").Class("countdown").DataSet("part", "countdown").Attr("role", "timer").
				Aria("live", "off").Text(t.left())
		}),
		el("span").Class("checked").DataSet("part", "checked").Text(t.checked()),
	)
}

// tick measures now and again in a second.
func (t *timing) tick(ctx app.Context) {
	before := t.remaining()
	t.measure()
	if t.Left && announced(before, t.remaining()) {
		ctx.NewActionWithValue(actionSay, t.left())
	}
	if t.Left && t.remaining() <= 0 && !t.asked {
		t.asked = true
		ctx.NewAction(actionLook)
	}
	ctx.After(time.Second, t.tick)
}

// announced reports whether the time left is told to screen readers now: when
// it falls below five, two and one minute, and never else.
func announced(before, now time.Duration) bool {
	for _, mark := range []time.Duration{5 * time.Minute, 2 * time.Minute, time.Minute} {
		if before >= mark && now < mark {
			return true
		}
	}
	return false
}

func (t *timing) measure() {
	t.elapsed = 0
	if !t.At.IsZero() {
		t.elapsed = max(0, time.Since(t.At))
	}
}

// remaining is the time left to pay; zero if there is nothing to pay.
func (t *timing) remaining() time.Duration {
	if t.Page.View.Attempt == nil {
		return 0
	}
	return time.Duration(t.Page.View.Attempt.ExpiresInMs)*time.Millisecond - t.elapsed
}

// left says the time left: whole minutes as long as there are several, because
// a running clock hurries people into mistakes; seconds only near the end.
func (t *timing) left() string {
	left := t.remaining()
	switch {
	case left <= 0:
		return t.Page.say("time.over")
	case left >= time.Hour:
		return t.Page.say("time.hours", "hours", strconv.Itoa(int(left.Hours())), "minutes", strconv.Itoa(int(left.Minutes())%60))
	case left >= 5*time.Minute:
		return t.Page.count("time.minutes", int(left.Minutes()))
	}
	seconds := int(left.Seconds())
	return t.Page.say("time.seconds", "time", strconv.Itoa(seconds/60)+":"+strconv.Itoa(100 + seconds%60)[1:])
}

// checked says how long ago the gateway was asked.
func (t *timing) checked() string {
	ago := t.Page.View.CheckedMsAgo
	switch {
	case t.Offline:
		return t.Page.say("checked.offline")
	case ago < 0:
		return t.Page.say("checked.never")
	}
	seconds := int((time.Duration(ago)*time.Millisecond + t.elapsed).Seconds())
	if seconds < 60 {
		return t.Page.count("checked.seconds", seconds)
	}
	return t.Page.count("checked.minutes", seconds/60)
}
