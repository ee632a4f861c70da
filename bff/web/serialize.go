package web

import (
	"context"
	"net/http"
	"sync"

	"coinslot/bff/limiter"
	"coinslot/bff/payment"
)

// Serialize runs do exclusively among the requests of a session; its gateway requests count for
// that session. It blocks. Errors: the request has ended; do's.
func (s *Server) Serialize(
	r *http.Request, id string,
	do func(ctx context.Context, id string) (payment.Session, error),
) (payment.Session, error) {
	ctx := limiter.WithSession(r.Context(), id)
	mine := s.sessions.join(id)
	defer s.sessions.leave(id, mine)
	select {
	case mine.busy <- struct{}{}:
	case <-ctx.Done():
		return payment.Session{}, ctx.Err()
	}
	defer func() { <-mine.busy }()
	return do(ctx, id)
}

// sessionLocks serializes requests per session, so that a burst of the same request makes one
// gateway request. It is an optimization within one process: the store guarantees correctness.
type sessionLocks struct {
	mu    sync.Mutex
	inUse map[string]*sessionLock // by session id
}

type sessionLock struct {
	busy  chan struct{} // holds one value while the lock is held
	users int           // holder and waiters; guarded by sessionLocks.mu
}

func (t *sessionLocks) join(id string) *sessionLock {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.inUse == nil {
		t.inUse = map[string]*sessionLock{}
	}
	mine := t.inUse[id]
	if mine == nil {
		mine = &sessionLock{busy: make(chan struct{}, 1)}
		t.inUse[id] = mine
	}
	mine.users++
	return mine
}

func (t *sessionLocks) leave(id string, mine *sessionLock) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if mine.users--; mine.users == 0 {
		delete(t.inUse, id)
	}
}
