package shop

import (
	"context"
	"net/http"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/payment"
	"coinslot/bff/web"
)

// sessions finds what shoppers may open.
type sessions struct {
	site     *web.Server
	checkout *checkout.Service
	pagesFor time.Duration // how long a finished session can be opened; zero = forever
}

// find returns a session unless it finished more than COINSLOT_PAGES_FOR ago. Errors: *wire.Error
// with CodeSessionUnknown; the store's.
func (s *sessions) find(ctx context.Context, id string) (payment.Session, error) {
	session, err := s.checkout.Session(ctx, id)
	if err != nil {
		return payment.Session{}, web.StorageError(err)
	}
	if s.isClosed(session) {
		return payment.Session{}, web.Refuse(wire.CodeSessionUnknown, "")
	}
	return session, nil
}

// isClosed reports whether shoppers can no longer open the session.
func (s *sessions) isClosed(session payment.Session) bool {
	return session.Tombstone() || session.FinishedFor(s.pagesFor, s.site.Now())
}

// checkOpen refuses a post to a closed session. It reads the session only if sessions can close.
func (s *sessions) checkOpen(ctx context.Context, id string) error {
	if s.pagesFor <= 0 {
		return nil
	}
	_, err := s.find(ctx, id)
	return err
}

// nudge schedules an immediate check, unless the client has scheduled too many; it only logs
// errors. It does not kick the poller: thousands of pages may come back at once.
func (s *sessions) nudge(r *http.Request, session payment.Session) {
	if !s.site.AllowNudge(r) {
		return
	}
	if err := s.checkout.Nudge(r.Context(), session); err != nil {
		s.site.Log.WarnContext(
			r.Context(), "scheduling a check failed", "session", session.ID, "error", err,
		)
	}
}
