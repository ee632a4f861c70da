package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"coinslot/app/wire"
)

// ActionTime is how long a request may take for its action on a session: less than a server may
// take to write an answer.
const ActionTime = 25 * time.Second

const (
	// finishTime is the part of ActionTime that an action may need after its context has ended, to
	// find out and to store what the gateway has done.
	finishTime = 9 * time.Second
	// startTime is the least time that a turn leaves to its action.
	startTime = time.Second
	// maxWaiting bounds the different actions of shoppers that wait for one session.
	maxWaiting = 8
)

// Action is what a request wants to do with a session.
type Action struct {
	Session string
	// Key is equal for actions that fail alike: those that wait fail together.
	Key string
	// Merchant actions go before those of shoppers.
	Merchant bool
}

// Turn is the right of a request to act on a session. Its holder calls End after the action, before
// it answers, since a client may read slowly; and defers End, for a panic.
type Turn struct {
	action Action
	turns  *turns
	ctx    context.Context
	stop   context.CancelFunc
	came   chan struct{} // closed when the turn has come, or has failed with another

	// The following are guarded by turns.mu until came is closed.
	leader *Turn // an equal turn that has come since this one waits; nil = none
	err    error // of this turn, or of its leader
}

// TakeTurn waits until no other action on the session runs, so that a burst of the same request,
// like a double click, costs as many requests to the gateway as one. The action has to use ctx,
// which ends early enough for an answer within [ActionTime].
//
// Errors: *wire.Error with CodeGatewayUnavailable if too many others wait or it takes too long; that
// of an equal action, see [Turn.Fail]; the request has ended.
func (s *Server) TakeTurn(r *http.Request, a Action) (ctx context.Context, t *Turn, err error) {
	ctx, stop := context.WithTimeout(r.Context(), ActionTime-finishTime)
	t = &Turn{action: a, turns: &s.turns, ctx: ctx, stop: stop, came: make(chan struct{})}
	if err := s.turns.join(t); err != nil {
		stop()
		return nil, nil, err
	}

	tooLate := time.NewTimer(ActionTime - finishTime - startTime)
	defer tooLate.Stop()
	select {
	case <-t.came:
		err = t.err
	case <-ctx.Done():
		err = ctx.Err()
	case <-tooLate.C:
		err = errActionTime
	}
	if err != nil {
		t.End()
		return nil, nil, err
	}
	return ctx, t, nil
}

// Fail returns the error of the turn's action as [StorageError] does. Equal actions that have
// waited since it began fail with it, unless its client has gone.
func (t *Turn) Fail(err error) error {
	err = StorageError(err)
	if !errors.Is(t.ctx.Err(), context.Canceled) {
		t.err = err
	}
	return err
}

// End passes the turn on, or leaves the queue. It may be called again.
func (t *Turn) End() {
	t.stop()
	t.turns.leave(t)
}

var (
	errActionTime = fmt.Errorf(
		"waiting for an action on the session: %w", Refuse(wire.CodeGatewayUnavailable, ""),
	)
	errActionsFull = fmt.Errorf(
		"too many actions wait for the session: %w", Refuse(wire.CodeGatewayUnavailable, ""),
	)
)

// turns has a queue for each session with actions. It saves requests to the gateway within one
// process: the store guarantees correctness.
type turns struct {
	mu     sync.Mutex
	queues map[string]*turnQueue // by session id
}

// turnQueue is guarded by turns.mu. It exists while an action runs.
type turnQueue struct {
	acting  *Turn
	waiting []*Turn // the merchant's first, otherwise in FIFO order
}

// join adds a turn to its session's queue. It comes at once if the queue was empty.
func (ts *turns) join(t *Turn) error {
	ts.mu.Lock()
	defer ts.mu.Unlock()

	queue := ts.queues[t.action.Session]
	if queue == nil {
		if ts.queues == nil {
			ts.queues = map[string]*turnQueue{}
		}
		ts.queues[t.action.Session] = &turnQueue{acting: t}
		close(t.came)
		return nil
	}

	if !t.action.Merchant && queue.isFullFor(t.action) {
		return errActionsFull
	}
	i := len(queue.waiting)
	for i > 0 && t.action.Merchant && !queue.waiting[i-1].action.Merchant {
		i--
	}
	queue.waiting = slices.Insert(queue.waiting, i, t)
	return nil
}

// isFullFor reports whether too many other actions wait. Equal ones cost little: they fail together,
// or find done what they ask for.
func (q *turnQueue) isFullFor(a Action) bool {
	others := map[Action]bool{}
	for _, w := range q.waiting {
		if w.action == a {
			return false
		}
		others[w.action] = true
	}
	return len(others) >= maxWaiting
}

// leave removes a turn from its session's queue. If it was acting, the next one is.
func (ts *turns) leave(t *Turn) {
	ts.mu.Lock()
	defer ts.mu.Unlock()

	queue := ts.queues[t.action.Session]
	if queue == nil {
		return
	}
	if queue.acting != t {
		queue.waiting = slices.DeleteFunc(queue.waiting, func(w *Turn) bool { return w == t })
		return
	}

	queue.fail(t)
	if len(queue.waiting) == 0 {
		delete(ts.queues, t.action.Session)
		return
	}
	queue.next()
}

// fail answers those that wait for the result of a turn that has failed.
func (q *turnQueue) fail(t *Turn) {
	if t.err == nil {
		return
	}
	q.waiting = slices.DeleteFunc(q.waiting, func(w *Turn) bool {
		if w.leader != t {
			return false
		}
		w.err = t.err
		close(w.came)
		return true
	})
}

// next gives the turn to the one that waits in front, which leads the others with its action.
func (q *turnQueue) next() {
	first := q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	q.acting = first
	for _, w := range q.waiting {
		if w.action == first.action {
			w.leader = first
		}
	}
	close(first.came)
}
