package widget

import (
	"strconv"
	"time"

	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// lastMinutes is the time left from which seconds are shown and more time is offered.
const lastMinutes = 5 * time.Minute

// LastMinutes reports whether the time to pay was nearly up when the page's view was made.
func (p *Page) LastMinutes() bool {
	a := p.View.Attempt
	return p.View.Status == wire.Pending && a != nil && a.ExpiresInMs < lastMinutes.Milliseconds()
}

// Shows is what a Timing shows.
type Shows int

// What a Timing can show.
const (
	Checked  Shows = iota // the age of the last check
	TimeLeft              // the status line, with the time left
	MoreTime              // the offer of more time
)

// phase is how near the end of the time to pay is. A new one is drawn anew.
type phase int

const (
	early phase = iota
	ending
	over
)

// Timing shows one thing that changes with time. It counts from the arrival of the view by the
// browser's monotonic clock, so that a wrong wall clock does no harm. As long as only texts change,
// updater writes them.
type Timing struct {
	app.Compo

	Page    Page
	At      time.Time // arrival of the view; zero on the server
	Shows   Shows
	Offline bool   // the server did not answer
	Note    string // shown instead of the age; may be empty

	elapsed     time.Duration
	shortest    time.Duration // shortest time left so far
	number      int           // of the attempt that shortest is about
	drawn       phase
	refreshed   bool      // the view was requested because the time has run out
	networkDown bool      // says the browser
	downAt      time.Time // At of the view on screen when the network was down; zero = never

	ctx     app.Context  // of the mounted component
	updater *textUpdater // nil until it is mounted
}

// ViewTime is a view that differs from the one before in times only.
type ViewTime struct {
	View wire.View
	At   time.Time // its arrival
}

// OnMount starts counting.
func (t *Timing) OnMount(ctx app.Context) {
	t.ctx = ctx
	ctx.Handle(ActionViewTime, func(ctx app.Context, a app.Action) {
		m := a.Value.(ViewTime)
		t.Page.View = m.View
		t.At = m.At
		t.tick(ctx)
	})
	ctx.Handle(ActionNetwork, func(ctx app.Context, _ app.Action) {
		t.setNetwork(online())
		t.tick(ctx)
	})
	t.setNetwork(online())
	t.refresh()
}

// OnDismount stops counting.
func (t *Timing) OnDismount() { t.updater.stop() }

// OnUpdate restarts counting, because the view is new.
func (t *Timing) OnUpdate(ctx app.Context) {
	t.ctx = ctx
	t.refresh()
}

// Draw draws what t shows.
func (t *Timing) Draw() *node.Element {
	t.updateElapsed() // only the updater's copy is up to date
	t.drawn = t.phase()
	switch t.Shows {
	case TimeLeft:
		return t.status()
	case MoreTime:
		return t.extendForm()
	case Checked:
	}
	return el("p").Class("small center").Body(timeText("checked", t.checkedText()))
}

// status is the line that says what is awaited, and for how long. Screen readers get announcements
// instead of the clock, see crossesMark.
func (t *Timing) status() *node.Element {
	p := t.Page
	key := "pay.waiting"
	switch {
	case t.drawn == over:
		key = "pay.recheck.busy"
	case p.View.LatestAttempt().PaidAmount != "":
		key = "part.title"
	}
	return el("div").Class("status").Body(WithSpaces(
		el("p").Class("live").Attr("data-part", "status").Text(p.T(key)),
		el("p").Class("pill timer"+TextIf(t.drawn != early, " warn")).
			Attr("data-part", "time-left").Body(timeText("countdown", t.leftText()).
			Attr("role", "timer").Attr("aria-live", "off")),
	)...)
}

// extendForm offers more time: always without WebAssembly, where the page does not count; else in
// the last minutes, because it gives up the fixed price. It is open then, so that one click is
// enough (WCAG 2.2.1). The stylesheet hides an early one until WebAssembly does, so that nothing
// moves when it takes over.
func (t *Timing) extendForm() *node.Element {
	p := t.Page
	early := t.drawn == early
	a := t.Page.View.LatestAttempt()
	return Details("extend"+TextIf(early, " extend-early"), !early).
		Attr("data-part", "more-time").Bool("hidden", early && !t.At.IsZero()).Body(
		el("summary").Text(p.T("time.extend")),
		el("p").Text(p.Plural("time.extend.why", a.ExtendMinutes)),
		ButtonForm(p, "/extend", "extend", "", p.T("time.extend.sure"), false,
			Field{"attempt", strconv.Itoa(a.Number)}),
	)
}

// phase is how near the end is now. The age of the last check does not depend on it.
func (t *Timing) phase() phase {
	left := t.remaining()
	switch {
	case t.Shows == Checked || left >= lastMinutes:
		return early
	case left > 0:
		return ending
	}
	return over
}

// tick updates what has changed with time.
func (t *Timing) tick(ctx app.Context) {
	ctx.PreventUpdate()
	t.refresh()
	if t.drawn != t.phase() {
		t.ctx.Update()
	}
}

// refresh makes the announcements that are due, requests the view when the time is up, and starts
// a new updater.
func (t *Timing) refresh() {
	t.updateElapsed()
	left := t.remaining()
	number := t.Page.View.LatestAttempt().Number
	if number != t.number {
		t.number = number
		t.shortest = left
	}
	if t.Shows == TimeLeft && crossesMark(t.shortest, left) {
		t.ctx.NewActionWithValue(ActionAnnounce, t.leftText())
	}
	t.shortest = min(t.shortest, left)
	isOver := t.Shows == TimeLeft && left <= 0
	if isOver && !t.refreshed {
		t.ctx.NewAction(ActionRefresh)
	}
	t.refreshed = isOver
	t.updater.stop()
	t.updater = t.startUpdater()
}

// needsRedraw reports whether more than texts has to change now.
func (t *Timing) needsRedraw() bool {
	left := t.remaining()
	return t.drawn != t.phase() || t.Shows == TimeLeft &&
		(crossesMark(t.shortest, left) || left <= 0 && !t.refreshed)
}

// text is the text that changes, with its part; empty if there is none.
func (t *Timing) text() (part, text string) {
	switch t.Shows {
	case TimeLeft:
		return "countdown", t.leftText()
	case Checked:
		return "checked", t.checkedText()
	case MoreTime:
	}
	return "", ""
}

// validFor is how long what is on screen stays correct; zero = forever.
func (t *Timing) validFor() time.Duration {
	left := t.remaining()
	switch {
	case t.Shows == Checked:
		return t.checkedValidFor()
	case left <= 0:
		return 0
	case t.Shows == MoreTime:
		return max(0, left-lastMinutes+time.Millisecond)
	case left >= lastMinutes:
		return left%time.Minute + time.Millisecond
	}
	return left%time.Second + time.Millisecond
}

// checkedValidFor is how long checkedText stays the same; zero = forever.
func (t *Timing) checkedValidFor() time.Duration {
	if t.Note != "" || t.unknownAge() != "" {
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

// crossesMark reports whether the time left falls below five, two or one minute, the only moments
// when it is announced to screen readers.
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

// online reports whether the browser has a network.
func online() bool {
	return !app.IsClient || app.Window().Get("navigator").Get("onLine").Bool()
}

func (t *Timing) setNetwork(isUp bool) {
	t.networkDown = !isUp
	t.updateElapsed()
}

// remaining is the time left to pay; zero or less if it is over or there is no attempt.
func (t *Timing) remaining() time.Duration {
	return time.Duration(t.Page.View.LatestAttempt().ExpiresInMs)*time.Millisecond - t.elapsed
}

// leftText is the time left: in whole minutes as long as there are several, because a running clock
// hurries shoppers into mistakes, and in seconds near the end.
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

// justNow is the age from which the age of the last check is shown.
const justNow = wire.JustNow * time.Millisecond

// checkedText is the time since the gateway's last answer, or why it is unknown.
func (t *Timing) checkedText() string {
	key := t.unknownAge()
	switch {
	case t.Note != "":
		return t.Note
	case key != "":
		return t.Page.T(key)
	case t.Page.AutoRefreshes():
		return t.Page.T("pay.refresh") + " " + t.ageText()
	}
	return t.ageText()
}

func (t *Timing) ageText() string {
	age := t.age()
	switch {
	case age < justNow:
		return t.Page.T("checked.now")
	case age < time.Minute:
		return t.Page.Plural("checked.seconds", int(age.Seconds()))
	}
	return t.Page.Plural("checked.minutes", int(age.Minutes()))
}

// unknownAge is the key of the text that says why the age is unknown: the network is down, or it is
// up again and the answer is still missing. It is empty if the age is known.
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

// age is the time since the gateway's last answer. It stands still while a newer view would have
// come by itself.
func (t *Timing) age() time.Duration {
	ago := time.Duration(t.Page.View.CheckedMsAgo) * time.Millisecond
	if t.Page.View.WillUpdate && ago < justNow {
		return ago
	}
	return ago + t.elapsed
}
