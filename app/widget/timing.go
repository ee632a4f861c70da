package widget

import (
	"strconv"
	"time"

	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
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

// Timing tells how much time is left, how to get more, and how fresh the page
// is. It counts from the moment the view came, by the browser's own stopwatch,
// so that a wrong clock does no harm. While nothing else happens, its hand writes
// its words.
type Timing struct {
	app.Compo

	Page    Page
	At      time.Time // when the view came; zero on the server
	Left    bool      // show the time left
	Offline bool      // the BFF did not answer

	elapsed     time.Duration
	shortest    time.Duration // the shortest time left so far
	number      int           // of the attempt that least is about
	drawnEarly  bool          // what was drawn is for more than the last minutes
	refreshed   bool          // a look was asked for because the time has run out
	networkDown bool          // the browser says that it has no network
	downAt      time.Time     // At of the view that was shown when it had none; zero if it never was so

	ctx     app.Context  // of the mounted component
	updater *textUpdater // nil until it is mounted
}

// ViewTime is when a view came that shows nothing new but the time.
type ViewTime struct {
	View wire.View
	At   time.Time
}

// OnMount starts the counting.
func (t *Timing) OnMount(ctx app.Context) {
	t.ctx = ctx
	ctx.Handle(ActionViewTime, func(ctx app.Context, a app.Action) {
		m := a.Value.(ViewTime)
		t.Page.View, t.At = m.View, m.At
		t.tick(ctx)
	})
	ctx.Handle(ActionNetwork, func(ctx app.Context, _ app.Action) {
		t.setNetwork(online())
		t.tick(ctx)
	})
	t.setNetwork(online())
	t.refresh()
}

// OnDismount ends it.
func (t *Timing) OnDismount() { t.updater.stop() }

// OnUpdate starts counting anew: the view is fresh.
func (t *Timing) OnUpdate(ctx app.Context) {
	t.ctx = ctx
	t.refresh()
}

// Draw draws the lines and, below them, the way to more time.
func (t *Timing) Draw() *node.Element {
	t.updateElapsed() // the hand has gone on
	t.drawnEarly = t.remaining() >= lastMinutes
	return el("div").Class("timing").Body(WithSpaces(
		node.If(t.Left, func() node.Node {
			// nobody wants to hear each step
			return timeText("countdown", t.leftText()).Attr("role", "timer").Attr("aria-live", "off")
		}),
		timeText("checked", t.checkedText()),
		t.extendForm(),
	)...)
}

// extendForm offers more time: without WebAssembly always, because the page does not
// count there; else in the last minutes, because it costs the price that was
// fixed. Then it stands open: one click gives it (WCAG 2.2.1). The style sheet hides an
// early one until WebAssembly does, so that nothing moves when it takes over.
func (t *Timing) extendForm() node.Node {
	p := t.Page
	return node.If(t.Left && p.View.Can(wire.Extend) && p.View.Attempt != nil, func() node.Node {
		class, early := "extend", t.drawnEarly
		if early {
			class += " extend-early"
		}
		minutes, number := p.View.Attempt.ExtendMinutes, strconv.Itoa(p.View.Attempt.Number)
		return el("details").Class(class).Attr("data-part", "more-time").
			Bool("hidden", early && !t.At.IsZero()).Bool("open", !early).Body(
			el("summary").Text(p.T("time.extend")),
			el("p").Text(p.Plural("time.extend.why", minutes)),
			ButtonForm(p, "/extend", "extend", "", p.T("time.extend.sure"), false,
				Field{"attempt", number}),
		)
	})
}

// tick does what is due.
func (t *Timing) tick(ctx app.Context) {
	ctx.PreventUpdate()
	t.refresh()
	if t.drawnEarly != (t.remaining() >= lastMinutes) {
		t.ctx.Update() // more time is offered from now on
	}
}

// refresh measures, says aloud what is to be said at such a time, and lets the hand
// go on from there.
func (t *Timing) refresh() {
	t.updateElapsed()
	left := t.remaining()
	if number := AttemptNumber(t.Page.View); number != t.number {
		t.number, t.shortest = number, left
	}
	if t.Left && crossesMark(t.shortest, left) {
		t.ctx.NewActionWithValue(ActionAnnounce, t.leftText())
	}
	t.shortest = min(t.shortest, left)
	over := t.Left && left <= 0
	if over && !t.refreshed {
		t.ctx.NewAction(ActionRefresh)
	}
	t.refreshed = over
	t.updater.stop()
	t.updater = t.startUpdater()
}

// needsRedraw reports whether more changes by now than words.
func (t *Timing) needsRedraw() bool {
	left := t.remaining()
	return t.drawnEarly != (left >= lastMinutes) || t.Left &&
		(crossesMark(t.shortest, left) || left <= 0 && !t.refreshed)
}

// validFor is how long what is shown stays true; zero is for good.
func (t *Timing) validFor() time.Duration {
	left, age := t.leftValidFor(), t.checkedValidFor()
	if left == 0 || age > 0 && age < left {
		return age
	}
	return left
}

// leftValidFor is how long left says the same; zero is for good.
func (t *Timing) leftValidFor() time.Duration {
	left := t.remaining()
	switch {
	case !t.Left || left <= 0:
		return 0
	case left >= lastMinutes:
		return left%time.Minute + time.Millisecond
	}
	return left%time.Second + time.Millisecond
}

// checkedValidFor is how long checked says the same; zero is for good.
func (t *Timing) checkedValidFor() time.Duration {
	if t.unknownAge() != "" {
		return 0
	}
	age := t.age()
	switch {
	case age < justNow && t.Page.View.WillUpdate:
		return 0
	case age < justNow:
		return justNow - age
	case age < time.Minute:
		return time.Second - age%time.Second
	}
	return time.Minute - age%time.Minute
}

// crossesMark reports whether the time left is told to screen readers now: when
// it falls below five, two and one minute, and never else.
func crossesMark(before, now time.Duration) bool {
	for _, mark := range []time.Duration{lastMinutes, 2 * time.Minute, time.Minute} {
		if before >= mark && now < mark {
			return true
		}
	}
	return false
}

func (t *Timing) updateElapsed() {
	t.elapsed = 0
	if !t.At.IsZero() {
		t.elapsed = max(0, time.Since(t.At))
	}
	if t.networkDown {
		t.downAt = t.At
	}
}

// online is what the browser says of its network.
func online() bool {
	return !app.IsClient || app.Window().Get("navigator").Get("onLine").Bool()
}

// setNetwork takes what the browser says of its network.
func (t *Timing) setNetwork(there bool) {
	t.networkDown = !there
	t.updateElapsed()
}

// remaining is the time left to pay; zero if there is nothing to pay.
func (t *Timing) remaining() time.Duration {
	if t.Page.View.Attempt == nil {
		return 0
	}
	return time.Duration(t.Page.View.Attempt.ExpiresInMs)*time.Millisecond - t.elapsed
}

// leftText says the time left: whole minutes as long as there are several, because
// a running clock hurries people into mistakes; seconds only near the end.
func (t *Timing) leftText() string {
	left := t.remaining()
	switch {
	case left <= 0:
		return t.Page.T("time.over")
	case left >= time.Hour:
		return t.Page.T("time.hours", "hours", strconv.Itoa(int(left.Hours())), "minutes",
			strconv.Itoa(int(left.Minutes())%60))
	case left >= lastMinutes:
		return t.Page.Plural("time.minutes", int(left.Minutes()))
	}
	seconds := int(left.Seconds())
	return t.Page.T("time.seconds", "time",
		strconv.Itoa(seconds/60)+":"+strconv.Itoa(100 + seconds%60)[1:])
}

// justNow is how old an answer may be without its age being counted aloud.
const justNow = wire.JustNow * time.Millisecond

// checkedText says how long ago the gateway was asked, or why that is not known.
func (t *Timing) checkedText() string {
	if why := t.unknownAge(); why != "" {
		return t.Page.T(why)
	}
	age := t.age()
	switch {
	case age < justNow:
		return t.Page.T("checked.now")
	case age < time.Minute:
		return t.Page.Plural("checked.seconds", int(age.Seconds()))
	}
	return t.Page.Plural("checked.minutes", int(age.Minutes()))
}

// unknownAge is the sentence that tells why it is not known how fresh the page is: the
// network is away, or it is back and the answer is awaited. It is empty if that is known.
func (t *Timing) unknownAge() string {
	switch {
	case t.networkDown:
		return "checked.offline"
	case !t.downAt.IsZero() && t.downAt.Equal(t.At):
		return "checked.again"
	case t.Offline:
		return "checked.offline"
	case t.Page.View.CheckedMsAgo < 0:
		return "checked.never"
	}
	return ""
}

// age is how long ago the gateway was asked. What would have been told by now is
// not older than it was.
func (t *Timing) age() time.Duration {
	ago := time.Duration(t.Page.View.CheckedMsAgo) * time.Millisecond
	if t.Page.View.WillUpdate && ago < justNow {
		return ago
	}
	return ago + t.elapsed
}

// AttemptNumber is the number of the attempt of v; zero if there is none.
func AttemptNumber(v wire.View) int {
	if v.Attempt == nil {
		return 0
	}
	return v.Attempt.Number
}
