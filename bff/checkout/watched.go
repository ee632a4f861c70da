package checkout

import (
	"context"
	"time"
)

// watchedSessions remembers which watched sessions may be due, so that the others are not claimed
// in vain. It may be wrong: the store decides what is due.
type watchedSessions struct {
	refreshedAt time.Time            // last call of PollerConfig.Watched
	next        map[string]time.Time // by session id: when it is due again, at the earliest
}

const (
	watchInterval = 250 * time.Millisecond // between calls of PollerConfig.Watched
	watchRetry    = 250 * time.Millisecond // until a session that was not due is claimed again
	watchBatch    = 200                    // sessions in one claim
)

// claimWatched claims watched sessions that are due. Usually the other lanes have claimed them
// already, but those go by due time and may be far behind.
func (p *Poller) claimWatched(ctx context.Context, limit int) ([]StoredSession, error) {
	now := p.Now()
	if now.Before(p.watched.refreshedAt) { // the clock was set back
		p.watched = watchedSessions{}
	}
	if now.Sub(p.watched.refreshedAt) >= watchInterval {
		p.watched.refresh(now, p.Watched())
	}

	ids := p.watched.due(now)
	if len(ids) == 0 {
		return nil, nil
	}

	claimed, err := p.Store.ClaimOf(ctx, ids, now, p.Lease, limit)
	for _, s := range claimed {
		p.watched.next[s.ID] = now.Add(p.WatchedInterval)
	}

	return claimed, err
}

func (w *watchedSessions) refresh(now time.Time, ids []string) {
	next := make(map[string]time.Time, len(ids))
	for _, id := range ids {
		next[id] = w.next[id]
	}
	w.refreshedAt = now
	w.next = next
}

// due returns some that may be due, and skips those for watchRetry.
func (w *watchedSessions) due(now time.Time) (ids []string) {
	for id, at := range w.next {
		if now.Before(at) {
			continue
		}
		ids = append(ids, id)
		if len(ids) == watchBatch {
			break
		}
	}

	for _, id := range ids {
		w.next[id] = now.Add(watchRetry)
	}

	return ids
}
