package widget

import (
	"sync"
	"time"

	"coinslot/app/widget/node"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// textUpdater writes the words of a timing as time goes by, beside go-app: that would wake
// three times for each of them, and compare what it draws with what it has drawn.
// What is on the page is therefore newer than what go-app remembers of it; both are
// right after each drawing. It has a copy of the timing, because that belongs to the
// UI goroutine.
type textUpdater struct {
	redraw func()    // called when more is to change than words
	root   app.Value // the element of the timing

	mu      sync.Mutex // guards the fields below
	timing  Timing
	written map[string]string // what it has written, by part
	timer   *time.Timer
	stopped bool
}

// startUpdater writes the words of this moment and returns the hand that will write the
// next. Only the UI goroutine may call it, for a timing that is mounted.
func (t *Timing) startUpdater() *textUpdater {
	ctx := t.ctx
	h := &textUpdater{redraw: func() {
		ctx.Dispatch(t.tick)
	}, root: ctx.JSSrc(), timing: *t, written: map[string]string{}}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.write()
	if in := h.timing.validFor(); in > 0 {
		h.timer = time.AfterFunc(in, h.update)
	}
	return h
}

// stop ends it; nil has ended.
func (h *textUpdater) stop() {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stopped = true
	if h.timer != nil {
		h.timer.Stop()
	}
}

// update is called when a word is no longer true.
func (h *textUpdater) update() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped {
		return
	}
	h.timing.updateElapsed()
	if h.timing.needsRedraw() {
		h.redraw()
		return
	}
	h.write()
	if in := h.timing.validFor(); in > 0 {
		h.timer.Reset(in)
	}
}

// write puts the words that are true now into the page. mu is held.
func (h *textUpdater) write() {
	h.setText("countdown", h.timing.leftText())
	h.setText("checked", h.timing.checkedText())
}

// setText writes a word if it is on the page and says something else. mu is held.
func (h *textUpdater) setText(part, text string) {
	if h.written[part] == text {
		return
	}
	h.written[part] = text
	span := h.root.Call("querySelector", "."+part)
	if !span.Truthy() {
		return
	}
	if node := span.Get("firstChild"); node.Get("data").String() != text {
		node.Set("data", text)
	}
}

// timeText is a text that a hand keeps true.
func timeText(part, text string) *node.Element {
	return el("span").Class(part).Attr("data-part", part).Text(text)
}
