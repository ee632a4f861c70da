package shop

import (
	"time"

	"coinslot/app/wire"
)

const (
	// maxSilence is the longest pause between two messages. A page waits five seconds longer
	// before it polls beside the socket (static/program.js).
	maxSilence = 15 * time.Second
	// freshFor is the maximum age of the gateway's answer while the socket is silent.
	freshFor = wire.JustNow * time.Millisecond
)

// dedupe suppresses updates that the page already has: most checks find nothing, and each message
// wakes the page. Silence means that nothing has changed and that the gateway has answered within
// freshFor; when either changes, a view is sent. It is for one goroutine.
type dedupe struct {
	last  uint64      // hash of the view that was sent last; zero = any view is new
	at    time.Time   // when it was sent
	timer *time.Timer // calls wake when there may be something to send; nil until then
}

// shouldSend reports whether to send v now, and then counts it as sent. It schedules wake for when
// that may change, possibly after the socket has closed.
func (d *dedupe) shouldSend(v encodedView, wake func()) bool {
	fresh := v.age < freshFor
	sends := v.hash != d.last || !fresh || time.Since(d.at) >= maxSilence
	if sends {
		d.last = v.hash
		d.at = time.Now()
	}
	if !fresh {
		d.last = 0 // the page shows the age from now on, so the next answer is new
	}
	if fresh {
		pause := time.Until(d.at.Add(maxSilence))
		if v.age >= 0 { // negative = the gateway was never asked
			pause = min(pause, freshFor-v.age)
		}
		d.schedule(pause+time.Millisecond, wake)
	}

	return sends
}

// schedule replaces what was scheduled before.
func (d *dedupe) schedule(after time.Duration, wake func()) {
	if d.timer == nil {
		d.timer = time.AfterFunc(after, wake)
		return
	}
	d.timer.Reset(after)
}
