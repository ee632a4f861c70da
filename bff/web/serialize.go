package web

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

// ActionTime is how long a request waits for its action on a session: less than a server may take
// to write an answer.
const ActionTime = 25 * time.Second

// maxWaiting bounds the shoppers' actions that wait for one session.
const maxWaiting = 8

// Action changes one session, or checks it at the gateway.
type Action struct {
	Session string
	// Key is equal for actions that have one result: those that wait share it. Empty = none.
	Key string
	// Merchant actions go before those of shoppers.
	Merchant bool
	// Do is called with a context that ends when no request waits for the result any more.
	Do func(ctx context.Context, id string) (payment.Session, error)
}

// Serialize runs an action exclusively among those of its session, so that a burst of the same
// request makes one or two exchanges with the gateway. It blocks for at most [ActionTime]. An action that
// was begun goes on after that, one that was not is dropped.
//
// Errors: *wire.Error with CodeGatewayUnavailable if too many others wait or it takes too long; the
// request has ended; the action's.
func (s *Server) Serialize(r *http.Request, a Action) (payment.Session, error) {
	ctx := r.Context()
	mine, err := s.actions.join(s, ctx, a)
	if err != nil {
		return payment.Session{}, err
	}
	timer := time.NewTimer(ActionTime)
	defer timer.Stop()
	select {
	case <-mine.done:
		return mine.session, mine.err
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
		err = errActionTime
	}
	s.actions.leave(mine)
	return payment.Session{}, err
}

var (
	errActionTime = fmt.Errorf(
		"waiting for an action on the session: %w", Refuse(wire.CodeGatewayUnavailable, ""),
	)
	errActionsFull = fmt.Errorf(
		"too many actions wait for the session: %w", Refuse(wire.CodeGatewayUnavailable, ""),
	)
)

// actionQueues has a queue for each session with actions. It saves requests to the gateway within
// one process: the store guarantees correctness.
type actionQueues struct {
	mu     sync.Mutex
	queues map[string]*actionQueue // by session id
}

// actionQueue is guarded by actionQueues.mu. It exists while an action runs.
type actionQueue struct {
	waiting []*queuedAction // the merchant's first, otherwise in FIFO order
}

// queuedAction is an action for one or more requests.
type queuedAction struct {
	Action
	ctx     context.Context
	stop    context.CancelFunc // of ctx
	clients int                // requests that wait for it; guarded by actionQueues.mu
	until   time.Time          // when the last of them gives up; likewise

	done    chan struct{} // closed when the fields below are set
	session payment.Session
	err     error
}

// join adds an action to its session's queue, or joins an equal one that waits, and starts a queue
// that is idle.
func (t *actionQueues) join(s *Server, ctx context.Context, a Action) (*queuedAction, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	queue := t.queues[a.Session]
	if queue != nil {
		if same := queue.find(a); same != nil {
			same.clients++
			same.until = time.Now().Add(ActionTime)
			return same, nil
		}
		if !a.Merchant && len(queue.waiting) >= maxWaiting {
			return nil, errActionsFull
		}
	}

	mine := &queuedAction{Action: a, clients: 1, done: make(chan struct{})}
	mine.until = time.Now().Add(ActionTime)
	mine.ctx, mine.stop = context.WithCancel(context.WithoutCancel(ctx))
	if queue == nil {
		if t.queues == nil {
			t.queues = map[string]*actionQueue{}
		}
		t.queues[a.Session] = &actionQueue{}
		go s.runActions(mine)
		return mine, nil
	}
	queue.add(mine)
	return mine, nil
}

// find returns a waiting action with the result that a will have, or nil.
func (q *actionQueue) find(a Action) *queuedAction {
	i := slices.IndexFunc(q.waiting, func(other *queuedAction) bool {
		return a.Key != "" && other.Key == a.Key && other.Merchant == a.Merchant
	})
	if i < 0 {
		return nil
	}
	return q.waiting[i]
}

func (q *actionQueue) add(mine *queuedAction) {
	i := len(q.waiting)
	for i > 0 && mine.Merchant && !q.waiting[i-1].Merchant {
		i--
	}
	q.waiting = slices.Insert(q.waiting, i, mine)
}

// leave is for a request that does not wait any more.
func (t *actionQueues) leave(mine *queuedAction) {
	t.mu.Lock()
	defer t.mu.Unlock()
	mine.clients--
	if mine.clients > 0 {
		return
	}
	mine.stop()
	if queue := t.queues[mine.Session]; queue != nil {
		if i := slices.Index(queue.waiting, mine); i >= 0 {
			queue.waiting = slices.Delete(queue.waiting, i, i+1)
		}
	}
}

// next removes and returns the action that comes next; nil if none waits, which ends the queue. It
// drops actions whose requests give up now: they may not have left yet.
func (t *actionQueues) next(session string) *queuedAction {
	t.mu.Lock()
	defer t.mu.Unlock()
	queue := t.queues[session]
	now := time.Now()
	queue.waiting = slices.DeleteFunc(queue.waiting, func(a *queuedAction) bool {
		return !now.Before(a.until)
	})
	if len(queue.waiting) == 0 {
		delete(t.queues, session)
		return nil
	}

	first := queue.waiting[0]
	queue.waiting = slices.Delete(queue.waiting, 0, 1)
	return first
}

// runActions runs an action and those that wait after it.
func (s *Server) runActions(a *queuedAction) {
	for ; a != nil; a = s.actions.next(a.Session) {
		s.runAction(a)
	}
}

func (s *Server) runAction(a *queuedAction) {
	defer close(a.done)
	defer a.stop()
	defer func() {
		if cause := recover(); cause != nil {
			s.Log.ErrorContext(a.ctx, "action panicked",
				"panic", fmt.Sprint(cause), "stack", string(debug.Stack()))
			a.err = fmt.Errorf("running an action: panic: %w", Refuse(wire.CodeInternal, ""))
		}
	}()
	a.session, a.err = a.Do(a.ctx, a.Session)
}
