package widget

import (
	"sync"
	"time"

	"coinslot/app/widget/node"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// hand writes the words of a timing as time goes by, beside go-app: that would wake
// three times for each of them, and compare what it draws with what it has drawn.
// What is on the page is therefore newer than what go-app remembers of it; both are
// right after each drawing. It has a copy of the timing, because that belongs to the
// UI goroutine.
type hand struct {
	turn  func()    // called when more is to change than words
	place app.Value // the element of the timing

	mu      sync.Mutex // guards the fields below
	at      Timing
	said    map[string]string // what it has written, by part
	timer   *time.Timer
	stopped bool
}

// wind writes the words of this moment and returns the hand that will write the
// next. Only the UI goroutine may call it, for a timing that is mounted.
func (t *Timing) wind() *hand {
	ctx := t.ctx
	h := &hand{turn: func() {
		ctx.Dispatch(t.tick)
	}, place: ctx.JSSrc(), at: *t, said: map[string]string{}}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.write()
	if in := h.at.next(); in > 0 {
		h.timer = time.AfterFunc(in, h.move)
	}
	return h
}

// stop ends it; nil has ended.
func (h *hand) stop() {
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

// move is called when a word is no longer true.
func (h *hand) move() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped {
		return
	}
	h.at.measure()
	if h.at.turns() {
		h.turn()
		return
	}
	h.write()
	if in := h.at.next(); in > 0 {
		h.timer.Reset(in)
	}
}

// write puts the words that are true now into the page. mu is held.
func (h *hand) write() {
	h.put("countdown", h.at.left())
	h.put("checked", h.at.checked())
}

// put writes a word if it is on the page and says something else. mu is held.
func (h *hand) put(part, text string) {
	if h.said[part] == text {
		return
	}
	h.said[part] = text
	span := h.place.Call("querySelector", "."+part)
	if !span.Truthy() {
		return
	}
	if node := span.Get("firstChild"); node.Get("data").String() != text {
		node.Set("data", text)
	}
}

// word is a text that a hand keeps true.
func word(part, text string) *node.Element {
	return el("span").Class(part).Attr("data-part", part).Text(text)
}
