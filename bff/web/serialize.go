package web

import (
	"context"
	"net/http"
	"sync"

	"coinslot/bff/limiter"
	"coinslot/bff/payment"
)

// Serialize runs do when it is the session's turn; what do asks of the gateway is asked for the
// session. It blocks until then. Errors: the request's end, do's.
func (s *Server) Serialize(
	r *http.Request, id string,
	do func(ctx context.Context, id string) (payment.Session, error),
) (payment.Session, error) {
	ctx := limiter.WithSession(r.Context(), id)
	return s.sessions.do(ctx, id, func() (payment.Session, error) { return do(ctx, id) })
}

// sessionLocks lets what is asked of one session happen one after the other, so that a
// burst of the same request finds the work done and asks the gateway, whose
// budget all shoppers share, once. It is a courtesy within one process:
// correctness rests on the store.
type sessionLocks struct {
	mu    sync.Mutex
	inUse map[string]*sessionLock // by session id
}

// sessionLock is held by whoever has put the one value into busy.
type sessionLock struct {
	busy  chan struct{}
	users int // holder and waiting ones; guarded by turns.mu
}

// do runs act when it is the session's turn. Errors: ctx's, act's.
func (t *sessionLocks) do(
	ctx context.Context, id string, act func() (payment.Session, error),
) (payment.Session, error) {
	mine := t.join(id)
	defer t.leave(id, mine)
	select {
	case mine.busy <- struct{}{}:
	case <-ctx.Done():
		return payment.Session{}, ctx.Err()
	}
	defer func() { <-mine.busy }()
	return act()
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
