package webhook

import "time"

// retryWindow is how long an event is tried for, from its creation.
const retryWindow = 30 * 24 * time.Hour

// maxRetryAfter bounds what an endpoint can ask for by Retry-After.
const maxRetryAfter = 24 * time.Hour

// Next returns how long to wait before the next try of an event, after tries
// of them have been made; age is the time since the event was created. ok is
// false when there is none. The times, before jitter:
//
//	try  1   at once
//	try  2   after   5 s
//	try  3   after  30 s   (35 s in all)
//	try  4   after   2 min (2 min 35 s)
//	try  5   after  10 min (12 min 35 s)
//	try  6   after  30 min (42 min 35 s)
//	try  7   after   1 h   (1 h 42 min)
//	try  8   after   2 h   (3 h 42 min)
//	try  9   after   4 h   (7 h 42 min)
//	try 10   after   8 h   (15 h 42 min)
//	then     every  12 h   until 30 days have passed: 68 tries
//
// A negative age (a clock set back) counts as zero.
func Next(tries int, age time.Duration) (wait time.Duration, ok bool) {
	steps := [...]time.Duration{
		0, 5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute,
		30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour,
	}
	wait = 12 * time.Hour
	if tries < len(steps) {
		wait = steps[max(tries, 0)]
	}
	return wait, max(age, 0)+wait <= retryWindow
}

// jitter moves wait by up to a tenth in either direction, so that events that
// failed together do not come back together. draw is in [0, 1).
func jitter(wait time.Duration, draw float64) time.Duration {
	return wait + time.Duration(float64(wait)*(draw-0.5)/5)
}
