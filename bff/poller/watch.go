package poller

import (
	"context"
	"time"

	"coinslot/bff/payment"
)

// watch knows which watched sessions may be due, so that not all of them are
// asked for again and again. All of it is a guess: the store decides.
type watch struct {
	refreshedAt time.Time            // when it was last asked who is watched
	next        map[string]time.Time // by id of the watched: not due before
}

const (
	watchInterval = 250 * time.Millisecond // is how often it is asked who is watched
	watchRetry    = 250 * time.Millisecond // is when one is asked for again that was not due
	watchBatch    = 200                    // bounds how many are asked for at once
)

// claimWatched claims watched sessions that are due. Most of the time others have
// claimed them by then, but those claim the oldest first and may be far behind.
func (p *Poller) claimWatched(ctx context.Context, limit int) ([]payment.Session, error) {
	now := p.Now()
	if now.Before(p.watch.refreshedAt) { // the clock was set back
		p.watch = watch{}
	}
	if now.Sub(p.watch.refreshedAt) >= watchInterval {
		p.watch.refresh(now, p.Watched())
	}
	ids := p.watch.due(now)
	if len(ids) == 0 {
		return nil, nil
	}
	claimed, err := p.Store.ClaimOf(ctx, ids, now, p.Lease, limit)
	for _, s := range claimed {
		p.watch.next[s.ID] = now.Add(p.WatchedInterval)
	}
	return claimed, err
}

// refresh takes in who is watched now.
func (w *watch) refresh(now time.Time, ids []string) {
	next := make(map[string]time.Time, len(ids))
	for _, id := range ids {
		next[id] = w.next[id]
	}
	w.refreshedAt, w.next = now, next
}

// due returns some that may be due, and leaves those alone for a while.
func (w *watch) due(now time.Time) (ids []string) {
	for id, at := range w.next {
		if now.Before(at) {
			continue
		}
		if ids = append(ids, id); len(ids) == watchBatch {
			break
		}
	}
	for _, id := range ids {
		w.next[id] = now.Add(watchRetry)
	}
	return ids
}
