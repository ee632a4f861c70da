package web

import (
	"context"
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
	// startTime is the least time that a turn leaves to its action: enough to cancel one payment
	// and to start another. An action that could only cancel must not begin.
	startTime = 6 * time.Second
	// maxWaiting bounds the different actions of shoppers that wait for one session.
	maxWaiting = 8
)

// Action is what a request wants to do with a session.
type Action struct {
	Session string
	// Key is equal for actions of which one does for all that wait, see [Turn.Done] and [Turn.Fail].
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
	ready  chan struct{} // closed when the turn has come, or an equal action has done for it

	// The following are guarded by turns.mu until ready is closed.
	leader *Turn // the equal action that runs now; its result is this one's, too. nil = none
	err    error // the error of this turn, or of its leader
	done   bool  // whether this turn, or its leader, has done it
}

// TakeTurn waits until no other action on the session runs, so that a burst of the same request,
// like a double click, costs the gateway hardly more than one. The action has to use ctx, which ends
// early enough for an answer within [ActionTime].
//
// Errors: *wire.Error with CodeGatewayUnavailable if too many others wait or it takes too long; that
// of an equal action, see [Turn.Fail]; the request has ended.
func (s *Server) TakeTurn(r *http.Request, a Action) (ctx context.Context, t *Turn, err error) {
	ctx, stop := context.WithTimeout(r.Context(), ActionTime-finishTime)
	t = &Turn{
		action: a,
		turns:  &s.turns,
		ctx:    ctx,
		stop:   stop,
		ready:  make(chan struct{}),
	}
	if err := s.turns.join(t); err != nil {
		stop()
		return nil, nil, err
	}

	select {
	case <-t.ready:
		err = t.err
	case <-ctx.Done():
		err = errActionTime
	}

	end, _ := ctx.Deadline()
	if err == nil && !t.done && time.Until(end) < startTime {
		err = errActionTime
	}
	if err != nil {
		t.End()
		return nil, nil, err
	}

	return ctx, t, nil
}

// Fail returns the error of the turn's action as [StorageError] does. Equal actions that have
// waited since it began fail with it, unless its client has gone or its time was over.
func (t *Turn) Fail(err error) error {
	err = StorageError(err)
	if t.ctx.Err() == nil {
		t.err = err
	}
	return err
}

// Done says that the action was done, whatever the gateway answered: equal ones that wait now only
// have to read the session.
func (t *Turn) Done() { t.done = true }

// AlreadyDone reports whether an equal action was done while this one waited.
func (t *Turn) AlreadyDone() bool { return t.done }

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
		close(t.ready)
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

// isFullFor reports whether too many other actions wait. Equal ones cost little: they share a
// result, or find done what they ask for.
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

	queue.share(t)
	if len(queue.waiting) == 0 {
		delete(ts.queues, t.action.Session)
		return
	}
	queue.next()
}

// share gives the result of a turn to those that wait for it.
func (q *turnQueue) share(t *Turn) {
	if t.err == nil && !t.done {
		return
	}

	q.waiting = slices.DeleteFunc(q.waiting, func(w *Turn) bool {
		shares := w.leader == t || t.done && w.action == t.action
		if !shares {
			return false
		}
		w.err = t.err
		w.done = t.done
		close(w.ready)
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
	close(first.ready)
}
