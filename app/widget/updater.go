package widget

import (
	"sync"
	"time"

	"coinslot/app/widget/node"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// textUpdater writes the texts of a timing into the page without go-app, which would wake three
// times for each and compare the drawn trees. Between two drawings the page is therefore newer than
// go-app's tree; a drawing makes both the same. It works on a copy of the timing, which itself
// belongs to the UI goroutine.
type textUpdater struct {
	redraw func()    // called when more than texts has to change
	root   app.Value // the element of the timing

	mu      sync.Mutex // guards the fields below
	timing  Timing
	written string // the text
	timer   *time.Timer
	stopped bool
}

// startUpdater writes the present texts and returns an updater for the next ones. Only the UI
// goroutine may call it, for a mounted timing.
func (t *Timing) startUpdater() *textUpdater {
	ctx := t.ctx
	u := &textUpdater{
		redraw: func() { ctx.Dispatch(t.tick) },
		root:   ctx.JSSrc(), timing: *t,
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.write()
	if in := u.timing.validFor(); in > 0 {
		u.timer = time.AfterFunc(in, u.update)
	}
	return u
}

// stop ends u, which may be nil.
func (u *textUpdater) stop() {
	if u == nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.stopped = true
	if u.timer != nil {
		u.timer.Stop()
	}
}

// update runs when a text is out of date.
func (u *textUpdater) update() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.stopped {
		return
	}
	u.timing.updateElapsed()
	if u.timing.needsRedraw() {
		u.redraw()
		return
	}
	u.write()
	if in := u.timing.validFor(); in > 0 {
		u.timer.Reset(in)
	}
}

// write puts the present text into the page, if it has another one. mu is held.
func (u *textUpdater) write() {
	part, text := u.timing.text()
	if u.written == text {
		return
	}
	u.written = text
	span := u.root.Call("querySelector", "."+part)
	if !span.Truthy() {
		return
	}
	node := span.Get("firstChild")
	if node.Get("data").String() != text {
		node.Set("data", text)
	}
}

// timeText is a text that a textUpdater keeps up to date.
func timeText(part, text string) *node.Element {
	return el("span").Class(part).Attr("data-part", part).Text(text)
}
