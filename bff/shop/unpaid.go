package shop

import (
	"net/http"
	"sync"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/payment"
	"coinslot/bff/web"
)

const (
	// unpaidPeriod is how long each opening counts.
	unpaidPeriod = time.Hour
	// maxUnpaid bounds the sessions that are counted, some 30 MB. Further ones do not count.
	maxUnpaid = 100_000
)

// Unpaid counts what clients have opened of catalog items: anyone can open sessions and attempts,
// and each causes webhooks, rows, and checks until its time to pay is over.
//
// The count is in memory: after a restart, or at another instance, a client can open as many
// again. A session counts once for each attempt, until it is paid or an hour has passed since the
// last one was opened, or its time to pay is over if that is later: to cancel it makes no room.
type Unpaid struct {
	mu   sync.Mutex        // guards open
	open map[string]unpaid // by session; expired ones are removed lazily
}

type unpaid struct {
	client  string
	network string
	opened  int // attempts, or 1 before the first
	until   time.Time
}

// SessionChanged updates the count. It does not block.
func (u *Unpaid) SessionChanged(s payment.Session) {
	u.mu.Lock()
	defer u.mu.Unlock()
	o, counts := u.open[s.ID]
	if !counts {
		return
	}
	if s.EverPaid() {
		delete(u.open, s.ID)
		return
	}

	o.opened = max(1, len(s.Attempts))
	if a := s.Current(); a != nil {
		o.until = latest(o.until, a.StartedAt.Add(unpaidPeriod))
		if s.Status == wire.Pending {
			o.until = latest(o.until, a.ExpiresAt)
		}
	}

	u.open[s.ID] = o
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (u *Unpaid) add(s payment.Session, client string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.open == nil {
		u.open = map[string]unpaid{}
	}
	if len(u.open) >= maxUnpaid {
		u.forget(s.CreatedAt)
	}
	if len(u.open) >= maxUnpaid {
		return
	}

	own, all := web.ClientKeys(client)
	u.open[s.ID] = unpaid{
		client:  own,
		network: all,
		opened:  1,
		until:   s.CreatedAt.Add(unpaidPeriod),
	}
}

// forget removes what does not count any more.
func (u *Unpaid) forget(now time.Time) {
	for id, o := range u.open {
		if !now.Before(o.until) {
			delete(u.open, id)
		}
	}
}

// atLimit reports whether the client has opened most, or its network NetworkFactor times as many.
func (u *Unpaid) atLimit(client string, most int, now time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.forget(now)
	own, all := web.ClientKeys(client)
	byClient := 0
	byNetwork := 0
	for _, o := range u.open {
		if o.client == own {
			byClient += o.opened
		}
		if o.network == all {
			byNetwork += o.opened
		}
	}

	return byClient >= most || byNetwork >= web.NetworkFactor*most
}

// attempts is how many of the session count; 0 = it is not counted.
func (u *Unpaid) attempts(session string) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.open[session].opened
}

// freeAttempts is how many attempts of a session of an item a shopper may always open.
const freeAttempts = 3

// unpaidLimit bounds what a client may open of items before it pays: web.Limits.Unpaid.
type unpaidLimit struct {
	site     *web.Server
	checkout *checkout.Service
	unpaid   *Unpaid
}

// checkOpening returns nil if the client of r may open another session of an item, or key repeats
// one. Concurrent requests may exceed the limit by a few. Errors: *wire.Error with CodeRateLimited;
// the store's.
func (l *unpaidLimit) checkOpening(r *http.Request, key string) error {
	if l.site.IsLocal(r) || !l.reached(r) {
		return nil
	}
	repeated, err := l.checkout.IsKeyUsed(r.Context(), key)
	if err != nil {
		return web.StorageError(err)
	}
	if repeated {
		return nil
	}
	return l.refuse(r)
}

// checkAttempt returns nil if the client of r may open another attempt of the session in its path.
// Errors: *wire.Error with CodeRateLimited.
func (l *unpaidLimit) checkAttempt(r *http.Request) error {
	if l.site.IsLocal(r) || l.unpaid.attempts(r.PathValue("session")) < freeAttempts {
		return nil
	}
	if !l.reached(r) {
		return nil
	}
	return l.refuse(r)
}

// count counts a session that the client of r has opened.
func (l *unpaidLimit) count(r *http.Request, session payment.Session) {
	l.unpaid.add(session, l.site.Client(r))
}

func (l *unpaidLimit) reached(r *http.Request) bool {
	return l.unpaid.atLimit(l.site.Client(r), l.site.Limits.Unpaid, l.site.Now())
}

func (l *unpaidLimit) refuse(r *http.Request) error {
	l.site.WarnHiddenClients(r)
	return web.Refuse(wire.CodeRateLimited, "")
}
