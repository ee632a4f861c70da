package widget

import (
	"strconv"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"coinslot/app/wire"
)

// lastMinutes is when a running clock takes the place of whole minutes, and more
// time is offered.
const lastMinutes = 5 * time.Minute

// LastMinutes reports whether the time to pay was nearly up when the page's view
// was made.
func (p Page) LastMinutes() bool {
	a := p.View.Attempt
	return p.View.Status == wire.Pending && a != nil && a.ExpiresInMs < lastMinutes.Milliseconds()
}

// timing tells how much time is left, how to get more, and how fresh the page
// is. It counts from the moment the view came, by the browser's own stopwatch,
// so that a wrong clock does no harm.
type timing struct {
	app.Compo

	Page    Page
	At      time.Time // when the view came; zero on the server
	Left    bool      // show the time left
	Offline bool      // the BFF did not answer

	elapsed time.Duration
	asked   bool      // a look was asked for because the time has run out
	away    bool      // the browser says that it has no network
	awayAt  time.Time // At of the view that was shown when it had none; zero if it never was so
}

// OnMount starts the ticking; go-app ends it with the component.
func (t *timing) OnMount(ctx app.Context) { t.tick(ctx) }

// OnUpdate starts counting anew: the view is fresh.
func (t *timing) OnUpdate(app.Context) { t.measure() }

// Render draws the lines and, below them, the way to more time.
func (t *timing) Render() app.UI {
	return el("div").Class("timing").Body(spaced(
		app.If(t.Left, func() app.UI {
			return el("span").Class("countdown").DataSet("part", "countdown").Attr("role", "timer").
				Aria("live", "off").Text(t.left())
		}),
		el("span").Class("checked").DataSet("part", "checked").Text(t.checked()),
		t.extend(),
	)...)
}

// extend offers more time: without WebAssembly always, because the page does not
// count there; else in the last minutes, because it costs the price that was
// fixed. Then it stands open: one click gives it (WCAG 2.2.1). The style sheet hides an early one until WebAssembly does, so that
// nothing moves when it takes over.
func (t *timing) extend() app.UI {
	p := t.Page
	return app.If(t.Left && p.View.Can(wire.Extend) && p.View.Attempt != nil, func() app.UI {
		class, early := "extend", t.remaining() >= lastMinutes
		if early {
			class += " extend-early"
		}
		minutes, number := p.View.Attempt.ExtendMinutes, strconv.Itoa(p.View.Attempt.Number)
		return el("details").Class(class).DataSet("part", "more-time").Attr("hidden", early && !t.At.IsZero()).Attr("open", !early).Body(
			el("summary").Text(p.say("time.extend")),
			el("p").Text(p.count("time.extend.why", minutes)),
			press(p, "/extend", "extend", "", p.say("time.extend.sure"), false, Field{"attempt", number}),
		)
	})
}

// tick measures now and again in a second.
func (t *timing) tick(ctx app.Context) {
	before := t.remaining()
	t.measure()
	if t.Left && announced(before, t.remaining()) {
		ctx.NewActionWithValue(actionSay, t.left())
	}
	over := t.Left && t.remaining() <= 0
	if over && !t.asked {
		ctx.NewAction(actionLook)
	}
	t.asked = over
	ctx.After(time.Second, t.tick)
}

// announced reports whether the time left is told to screen readers now: when
// it falls below five, two and one minute, and never else.
func announced(before, now time.Duration) bool {
	for _, mark := range []time.Duration{lastMinutes, 2 * time.Minute, time.Minute} {
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
	if app.IsClient {
		t.network(app.Window().Get("navigator").Get("onLine").Bool())
	}
}

// network takes what the browser says of its network.
func (t *timing) network(there bool) {
	t.away = !there
	if t.away {
		t.awayAt = t.At
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
	case left >= lastMinutes:
		return t.Page.count("time.minutes", int(left.Minutes()))
	}
	seconds := int(left.Seconds())
	return t.Page.say("time.seconds", "time", strconv.Itoa(seconds/60)+":"+strconv.Itoa(100 + seconds%60)[1:])
}

// justNow is how old an answer may be without its age being counted aloud.
const justNow = 5 // seconds

// checked says how long ago the gateway was asked, or why that is not known: the
// network is away, or it is back and the answer is awaited.
func (t *timing) checked() string {
	ago := t.Page.View.CheckedMsAgo
	switch {
	case t.away:
		return t.Page.say("checked.offline")
	case !t.awayAt.IsZero() && t.awayAt.Equal(t.At):
		return t.Page.say("checked.again")
	case t.Offline:
		return t.Page.say("checked.offline")
	case ago < 0:
		return t.Page.say("checked.never")
	}
	seconds := int((time.Duration(ago)*time.Millisecond + t.elapsed).Seconds())
	switch {
	case seconds < justNow:
		return t.Page.say("checked.now")
	case seconds < 60:
		return t.Page.count("checked.seconds", seconds)
	}
	return t.Page.count("checked.minutes", seconds/60)
}
