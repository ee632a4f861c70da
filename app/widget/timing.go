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

	elapsed time.Duration
	least   time.Duration // the shortest time left so far
	number  int           // of the attempt that least is about
	early   bool          // what was drawn is for more than the last minutes
	asked   bool          // a look was asked for because the time has run out
	away    bool          // the browser says that it has no network
	awayAt  time.Time     // At of the view that was shown when it had none; zero if it never was so

	ctx  app.Context // of the mounted component
	hand *hand       // nil until it is mounted
}

// Instant is when a view came that shows nothing new but the time.
type Instant struct {
	View wire.View
	At   time.Time
}

// OnMount starts the counting.
func (t *Timing) OnMount(ctx app.Context) {
	t.ctx = ctx
	ctx.Handle(ActionInstant, func(ctx app.Context, a app.Action) {
		m := a.Value.(Instant)
		t.Page.View, t.At = m.View, m.At
		t.tick(ctx)
	})
	ctx.Handle(ActionNetwork, func(ctx app.Context, _ app.Action) {
		t.network(online())
		t.tick(ctx)
	})
	t.network(online())
	t.count()
}

// OnDismount ends it.
func (t *Timing) OnDismount() { t.hand.stop() }

// OnUpdate starts counting anew: the view is fresh.
func (t *Timing) OnUpdate(ctx app.Context) {
	t.ctx = ctx
	t.count()
}

// Draw draws the lines and, below them, the way to more time.
func (t *Timing) Draw() *node.Element {
	t.measure() // the hand has gone on
	t.early = t.remaining() >= lastMinutes
	return el("div").Class("timing").Body(Spaced(
		node.If(t.Left, func() node.Node {
			// nobody wants to hear each step
			return word("countdown", t.left()).Attr("role", "timer").Attr("aria-live", "off")
		}),
		word("checked", t.checked()),
		t.extend(),
	)...)
}

// extend offers more time: without WebAssembly always, because the page does not
// count there; else in the last minutes, because it costs the price that was
// fixed. Then it stands open: one click gives it (WCAG 2.2.1). The style sheet hides an
// early one until WebAssembly does, so that nothing moves when it takes over.
func (t *Timing) extend() node.Node {
	p := t.Page
	return node.If(t.Left && p.View.Can(wire.Extend) && p.View.Attempt != nil, func() node.Node {
		class, early := "extend", t.early
		if early {
			class += " extend-early"
		}
		minutes, number := p.View.Attempt.ExtendMinutes, strconv.Itoa(p.View.Attempt.Number)
		return el("details").Class(class).Attr("data-part", "more-time").
			Bool("hidden", early && !t.At.IsZero()).Bool("open", !early).Body(
			el("summary").Text(p.Say("time.extend")),
			el("p").Text(p.Count("time.extend.why", minutes)),
			Press(p, "/extend", "extend", "", p.Say("time.extend.sure"), false,
				Field{"attempt", number}),
		)
	})
}

// tick does what is due.
func (t *Timing) tick(ctx app.Context) {
	ctx.PreventUpdate()
	t.count()
	if t.early != (t.remaining() >= lastMinutes) {
		t.ctx.Update() // more time is offered from now on
	}
}

// count measures, says aloud what is to be said at such a time, and lets the hand
// go on from there.
func (t *Timing) count() {
	t.measure()
	left := t.remaining()
	if number := AttemptNumber(t.Page.View); number != t.number {
		t.number, t.least = number, left
	}
	if t.Left && announced(t.least, left) {
		t.ctx.NewActionWithValue(ActionSay, t.left())
	}
	t.least = min(t.least, left)
	over := t.Left && left <= 0
	if over && !t.asked {
		t.ctx.NewAction(ActionLook)
	}
	t.asked = over
	t.hand.stop()
	t.hand = t.wind()
}

// turns reports whether more changes by now than words.
func (t *Timing) turns() bool {
	left := t.remaining()
	return t.early != (left >= lastMinutes) || t.Left &&
		(announced(t.least, left) || left <= 0 && !t.asked)
}

// next is how long what is shown stays true; zero is for good.
func (t *Timing) next() time.Duration {
	left, age := t.leftHolds(), t.checkedHolds()
	if left == 0 || age > 0 && age < left {
		return age
	}
	return left
}

// leftHolds is how long left says the same; zero is for good.
func (t *Timing) leftHolds() time.Duration {
	left := t.remaining()
	switch {
	case !t.Left || left <= 0:
		return 0
	case left >= lastMinutes:
		return left%time.Minute + time.Millisecond
	}
	return left%time.Second + time.Millisecond
}

// checkedHolds is how long checked says the same; zero is for good.
func (t *Timing) checkedHolds() time.Duration {
	if t.unsure() != "" {
		return 0
	}
	age := t.age()
	switch {
	case age < justNow && t.Page.View.Told:
		return 0
	case age < justNow:
		return justNow - age
	case age < time.Minute:
		return time.Second - age%time.Second
	}
	return time.Minute - age%time.Minute
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

func (t *Timing) measure() {
	t.elapsed = 0
	if !t.At.IsZero() {
		t.elapsed = max(0, time.Since(t.At))
	}
	if t.away {
		t.awayAt = t.At
	}
}

// online is what the browser says of its network.
func online() bool {
	return !app.IsClient || app.Window().Get("navigator").Get("onLine").Bool()
}

// network takes what the browser says of its network.
func (t *Timing) network(there bool) {
	t.away = !there
	t.measure()
}

// remaining is the time left to pay; zero if there is nothing to pay.
func (t *Timing) remaining() time.Duration {
	if t.Page.View.Attempt == nil {
		return 0
	}
	return time.Duration(t.Page.View.Attempt.ExpiresInMs)*time.Millisecond - t.elapsed
}

// left says the time left: whole minutes as long as there are several, because
// a running clock hurries people into mistakes; seconds only near the end.
func (t *Timing) left() string {
	left := t.remaining()
	switch {
	case left <= 0:
		return t.Page.Say("time.over")
	case left >= time.Hour:
		return t.Page.Say("time.hours", "hours", strconv.Itoa(int(left.Hours())), "minutes",
			strconv.Itoa(int(left.Minutes())%60))
	case left >= lastMinutes:
		return t.Page.Count("time.minutes", int(left.Minutes()))
	}
	seconds := int(left.Seconds())
	return t.Page.Say("time.seconds", "time",
		strconv.Itoa(seconds/60)+":"+strconv.Itoa(100 + seconds%60)[1:])
}

// justNow is how old an answer may be without its age being counted aloud.
const justNow = wire.JustNow * time.Millisecond

// checked says how long ago the gateway was asked, or why that is not known.
func (t *Timing) checked() string {
	if why := t.unsure(); why != "" {
		return t.Page.Say(why)
	}
	age := t.age()
	switch {
	case age < justNow:
		return t.Page.Say("checked.now")
	case age < time.Minute:
		return t.Page.Count("checked.seconds", int(age.Seconds()))
	}
	return t.Page.Count("checked.minutes", int(age.Minutes()))
}

// unsure is the sentence that tells why it is not known how fresh the page is: the
// network is away, or it is back and the answer is awaited. It is empty if that is known.
func (t *Timing) unsure() string {
	switch {
	case t.away:
		return "checked.offline"
	case !t.awayAt.IsZero() && t.awayAt.Equal(t.At):
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
	if t.Page.View.Told && ago < justNow {
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
