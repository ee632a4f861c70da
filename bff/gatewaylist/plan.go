package gatewaylist

import (
	"time"

	"coinslot/bff/payment"
)

// mode is how waiting payments are checked.
type mode int

const (
	statuses mode = iota // a status read for each
	// the list for unwatched payments, status reads for watched ones
	slow
	fast  // the list for all
	modes = iota
)

type load struct {
	pending int // waiting payments
	watched int // those with an open page
	pages   int // how many the list has, with others' transactions; zero = unknown
}

// period is the time between two list polls for payments with that check interval; the rest is
// for payments that the list does not show.
func period(interval time.Duration) time.Duration { return interval * 9 / 10 }

// interval is how often the list is read in a mode.
func (m mode) interval(p payment.Schedule) time.Duration {
	if m == fast {
		return period(p.Watched)
	}
	return period(p.Unwatched)
}

// costs returns the requests per hour of each mode.
func (l load) costs(p payment.Schedule) [modes]int {
	pages := l.pages
	if pages == 0 {
		pages = (l.pending + pageSize - 1) / pageSize
	}

	watched := min(l.watched, l.pending)
	unwatched := l.pending - watched
	audits := perHour(unwatched, p.AuditInterval(false))
	return [modes]int{
		statuses: perHour(unwatched, p.Unwatched) + perHour(watched, p.Watched),
		slow:     perHour(pages, slow.interval(p)) + perHour(watched, p.Watched) + audits,
		fast: perHour(pages, fast.interval(p)) + perHour(watched, p.AuditInterval(true)) +
			audits,
	}
}

func perHour(n int, every time.Duration) int { return int(int64(n) * int64(time.Hour/every)) }

// minSaving is the least saving, in requests per hour, that justifies a mode. Status reads detect a
// payment fastest, so watched payments get them until they take the default rate limit.
var minSaving = [modes]int{slow: 3600, fast: 10 * 3600}

// plan returns the cheapest mode. A change must save a fifth, to avoid flapping; the list is
// read only if it saves minSaving, or half of that while it is being read. notFast rules fast
// out.
func plan(l load, p payment.Schedule, now mode, notFast bool) mode {
	costs := l.costs(p)
	best := statuses
	stays := now == statuses
	for _, m := range []mode{slow, fast} {
		least := minSaving[m]
		if m == now {
			least /= 2
		}
		if m == fast && notFast {
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
