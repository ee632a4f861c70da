package poller

import (
	"time"

	"coinslot/bff/payment"
)

// mode is a way to watch all payments.
type mode int

const (
	statuses mode = iota // one status read for each
	// the gateway's list for those that nobody looks at, status reads for the others
	slow
	fast  // the gateway's list for all
	modes = iota
)

// load is what there is to watch.
type load struct {
	pending int // payments that wait
	watched int // of them, those that somebody looks at
	// of the gateway's list, which may hold others' transactions too; zero = not known
	pages   int
	missed  int  // of the pending ones, those that the list has not shown
	tooSlow bool // the list cannot be read fast enough for those that are watched
}

// period is the time between two readings of the list for payments that are to be
// checked once in an interval: what is left is for those that it does not show.
func period(interval time.Duration) time.Duration { return interval * 9 / 10 }

// interval is how often the list is read in a mode.
func (m mode) interval(p payment.Schedule) time.Duration {
	if m == fast {
		return period(p.Watched)
	}
	return period(p.Unwatched)
}

// costs are the requests an hour that each mode makes.
func (l load) costs(p payment.Schedule) [modes]int {
	pages := l.pages
	if pages == 0 {
		pages = (l.pending + 49) / 50
	}
	watched := min(l.watched, l.pending)
	unwatched := l.pending - watched
	besides := perHour(min(l.missed, unwatched), p.Unwatched) + perHour(
		unwatched, p.AuditInterval(false),
	)
	return [modes]int{
		statuses: perHour(unwatched, p.Unwatched) + perHour(watched, p.Watched),
		slow:     perHour(pages, slow.interval(p)) + perHour(watched, p.Watched) + besides,
		fast: perHour(pages, fast.interval(p)) + perHour(watched, p.AuditInterval(true)) +
			besides,
	}
}

// perHour is how many requests an hour n make that come once in every.
func perHour(n int, every time.Duration) int { return int(int64(n) * int64(time.Hour/every)) }

// minSaving is the least saving, in requests an hour, for which a mode is chosen. A
// status read is the quickest way to hear of a payment, so that those who look
// at their page get it until that takes a default budget's worth.
var minSaving = [modes]int{slow: 3600, fast: 10 * 3600}

// plan returns the cheapest mode. A change must save a fifth, so that it does not
// go back and forth; the list is read only if it saves what that is worth, or
// half of that once it is being read, and never in a mode that it is too slow for.
func plan(l load, p payment.Schedule, now mode) mode {
	costs := l.costs(p)
	best, stays := statuses, now == statuses
	for _, m := range []mode{slow, fast} {
		least := minSaving[m]
		if m == now {
			least /= 2
		}
		if m == fast && l.tooSlow {
			continue
		}
		if costs[m] <= costs[best]-least {
			best = m
		}
		stays = stays || m == now && costs[m] <= costs[statuses]-least
	}
	if stays && costs[best]*5 > costs[now]*4 {
		return now
	}
	return best
}
