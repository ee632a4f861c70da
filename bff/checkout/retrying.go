package checkout

import (
	"context"
	"errors"
	"time"

	"coinslot/app/wire"
)

const (
	// maxRetries is how often a create is sent again that the gateway has answered
	// with 429, before the shopper is asked to choose again.
	maxRetries = 5
	// maxRetryWait is the longest Retry-After that is waited for: a shopper who is
	// told that the address is being made does not wait longer.
	maxRetryWait = time.Minute
	// firstRetryWait is the wait if the gateway does not say; it doubles each time.
	firstRetryWait = 2 * time.Second
)

// putOff plans to send the create of a again, and reports whether it may: the
// gateway has answered that it takes no requests now, so nothing was created and
// there is nothing to search for. a stays in state Creating.
func (s *Session) putOff(a *Attempt, e *RefusedError, now time.Time) bool {
	wait := e.RetryAfter
	if wait <= 0 {
		wait = firstRetryWait << a.Retries
	}
	if e.Reason != ReasonBusy || a.State != Creating || a.Retries >= maxRetries ||
		wait > maxRetryWait {
		return false
	}
	a.Retries++
	a.RetryAt = now.Add(wait)
	s.note(now, "gateway", "attempt.put_off", wait.String())
	return true
}

// resume allows the create of attempt n, which was put off, to be sent again.
// Whoever commits this change sends it, and nobody else does. If the session has
// been paid meanwhile, nothing may be sent: the attempt is closed and resume
// reports false. ErrUnchanged if it is too soon, or another process sends it.
func (s *Session) resume(n int, now time.Time) (send bool, err error) {
	a := s.Attempt(n)
	if a == nil || a.State != Creating || a.RetryAt.IsZero() || now.Before(a.RetryAt) {
		return false, ErrUnchanged
	}
	a.RetryAt = time.Time{}
	without := s.without(n)
	if err := without.mayOpen(now); err != nil && !errors.Is(err, tooMany) {
		a.State, a.Reason, a.EndedAt = Refused, string(ReasonBusy), now
		s.note(now, "coinslot", "attempt.not_sent", err.Error())
		return false, nil
	}
	a.StartedAt = now // nothing was opened before
	return true, nil
}

// tooMany says that a session has used up its attempts. One that was put off is
// counted already.
var tooMany = problem(wire.CodeTooManyAttempts, "")

// without is a copy of s in which attempt n came to nothing.
func (s *Session) without(n int) Session {
	probe := *s
	probe.Attempts = append([]Attempt(nil), s.Attempts...)
	probe.Attempt(n).State = Refused
	return probe
}

// resend sends a create again that was put off.
func (c *Service) resend(ctx context.Context, s Session, n int) error {
	send := false
	s, err := c.change(ctx, s, func(s *Session, now time.Time) (err error) {
		send, err = s.resume(n, now)
		return err
	})
	if err != nil || !send {
		return err
	}
	_, err = c.start(ctx, s, n, c.quote(ctx, *s.Attempt(n)))
	return err
}
