package shop

import (
	"time"

	"coinslot/app/wire"
)

const (
	// maxSilence is how long a socket is silent at most. A page waits a little longer and
	// then takes the connection for dead.
	maxSilence = 15 * time.Second
	// freshFor is how old the gateway's answer may be while the socket is silent.
	freshFor = wire.JustNow * time.Millisecond
)

// dedupe suppresses updates that the page already has: each message wakes the page,
// and most checks find nothing. A silent socket means that nothing has changed and
// that the gateway has answered within justNow; a view is sent as soon as either is not
// so, and when it is again. The zero dedupe has sent nothing. It is for one goroutine.
type dedupe struct {
	last  uint64      // hash of the view that was sent last; zero = any view is new
	at    time.Time   // when it was sent
	timer *time.Timer // calls wake when there may be something to send; nil until then
}

// shouldSend reports whether v is to be sent now, and counts it as sent. Otherwise, and if v
// will no longer be true, wake is called in time: possibly after the socket has ended.
func (d *dedupe) shouldSend(v encodedView, wake func()) bool {
	fresh := v.age < freshFor
	sends := v.hash != d.last || !fresh || time.Since(d.at) >= maxSilence
	if sends {
		d.last, d.at = v.hash, time.Now()
	}
	if !fresh {
		d.last = 0 // from now on a page shows the age, so the next answer is new
	}
	if fresh && v.age >= 0 {
		d.schedule(min(freshFor-v.age, time.Until(d.at.Add(maxSilence)))+time.Millisecond, wake)
	}
	return sends
}

// schedule has wake called after that time, instead of what was scheduled before.
func (d *dedupe) schedule(after time.Duration, wake func()) {
	if d.timer == nil {
		d.timer = time.AfterFunc(after, wake)
		return
	}
	d.timer.Reset(after)
}
