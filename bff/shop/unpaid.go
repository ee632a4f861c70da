package shop

import (
	"net/http"
	"sync"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
	"coinslot/bff/web"
)

// unpaidLifetime is how long a session without a known end counts.
const unpaidLifetime = 30 * time.Minute

// Unpaid counts unpaid sessions of catalog items by client: anyone can open them, and each is
// checked until its time to pay is over.
//
// The count is in memory: after a restart, or at another instance, a client can open as many
// again. A session counts until it is paid, has ended, or its time to pay is over.
type Unpaid struct {
	mu   sync.Mutex        // guards open
	open map[string]unpaid // by session; expired ones are removed lazily
}

type unpaid struct {
	client, network string
	until           time.Time
}

// SessionChanged updates the count. It does not block.
func (u *Unpaid) SessionChanged(s payment.Session) {
	u.mu.Lock()
	defer u.mu.Unlock()
	o, counts := u.open[s.ID]
	if !counts {
		return
	}
	if until := payableUntil(s); until.IsZero() {
		delete(u.open, s.ID)
	} else if until.After(o.until) {
		o.until = until
		u.open[s.ID] = o
	}
}

// payableUntil returns until when s waits for its first payment; zero = it does not.
func payableUntil(s payment.Session) time.Time {
	a := s.Current()
	switch {
	case s.Status == wire.Pending && a.Paid.IsPositive():
		return time.Time{}
	case s.Status == wire.Pending && !a.ExpiresAt.IsZero():
		return a.ExpiresAt
	case s.Status.Outcome() == wire.Payable:
		return s.CreatedAt.Add(unpaidLifetime)
	}
	return time.Time{}
}

func (u *Unpaid) add(s payment.Session, client string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.open == nil {
		u.open = map[string]unpaid{}
	}
	own, all := web.ClientKeys(client)
	u.open[s.ID] = unpaid{own, all, s.CreatedAt.Add(unpaidLifetime)}
}

// atLimit reports whether the client has most open sessions, or its network NetworkFactor times as
// many.
func (u *Unpaid) atLimit(client string, most int, now time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.open) < most {
		return false
	}
	own, all := web.ClientKeys(client)
	of, ofAll := 0, 0
	for id, o := range u.open {
		switch {
		case !now.Before(o.until):
			delete(u.open, id)
		case o.client == own:
			of, ofAll = of+1, ofAll+1
		case o.network == all:
			ofAll++
		}
	}
	return of >= most || ofAll >= web.NetworkFactor*most
}

// checkUnpaid returns nil if the client of r may open another session of an item, or key repeats
// one. Concurrent requests may exceed the limit by a few. Errors: *wire.Error with CodeRateLimited;
// the store's.
func (s *server) checkUnpaid(r *http.Request, key string) error {
	if s.IsLocal(r) || !s.Unpaid.atLimit(s.Client(r), s.Limits.Unpaid, s.Now()) {
		return nil
	}
	if repeated, err := s.Checkout.IsKeyUsed(r.Context(), key); repeated || err != nil {
		return web.StorageError(err)
	}
	s.WarnHiddenClients(r)
	return web.Refuse(wire.CodeRateLimited, "")
}
