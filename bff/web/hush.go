package web

import (
	"time"

	"coinslot/app/wire"
)

const (
	// sayEvery is how long a socket that has nothing new to say is silent at most.
	// static/program.js waits a little longer and then takes it for dead.
	sayEvery = 15 * time.Second
	// justNow is how old the gateway's answer may be while the socket is silent.
	justNow = wire.JustNow * time.Millisecond
)

// hush keeps from a socket what a page knows already: each message wakes it, and
// most checks find nothing. A silent socket means that nothing has changed and that
// the gateway has answered within justNow; it speaks as soon as either is not so,
// and when it is again. The zero hush has said nothing. One goroutine may use it.
type hush struct {
	said  uint64      // the words that were said last; zero = whatever comes is news
	at    time.Time   // when they were said
	timer *time.Timer // looks when there may be something to say; nil until there may be
}

// lets reports whether v is to be said now, which it then counts as. Otherwise, and
// if it will be no longer true, wake is called in time. It may be called after the
// socket has gone, and does nothing then.
func (h *hush) lets(v shown, wake func()) bool {
	fresh := v.age < justNow
	lets := v.words != h.said || !fresh || time.Since(h.at) >= sayEvery
	if lets {
		h.said, h.at = v.words, time.Now()
	}
	if !fresh {
		h.said = 0 // a page counts the age aloud from now on
	}
	if fresh && v.age >= 0 {
		h.look(min(justNow-v.age, time.Until(h.at.Add(sayEvery)))+time.Millisecond, wake)
	}
	return lets
}

// look has wake called after some time, instead of what was wanted before.
func (h *hush) look(in time.Duration, wake func()) {
	if h.timer == nil {
		h.timer = time.AfterFunc(in, wake)
		return
	}
	h.timer.Reset(in)
}
