package shop

import (
	"context"
	"errors"
	"net/http"

	"coinslot/app/wire"
	"coinslot/bff/payment"
	"coinslot/bff/web"
)

// useCase changes a session; see package checkout.
type useCase struct {
	// key is equal for requests that have one result; empty = none
	key string
	do  func(ctx context.Context, id string) (payment.Session, error)
}

// sessionAction returns the handler of a shopper's post to a session; read reads the body and
// returns what to do.
func (s *server) sessionAction(read func(r *http.Request) (useCase, error)) web.Handler {
	return s.checkPost(func(w http.ResponseWriter, r *http.Request) error {
		u, err := read(r)
		if err != nil {
			return err
		}
		return s.perform(w, r, r.PathValue("session"), u)
	})
}

// perform runs a use case, exclusively for the session. Programs get the view; forms are redirected to
// the page, so that a reload does not repeat it.
func (s *server) perform(w http.ResponseWriter, r *http.Request, id string, u useCase) error {
	if err := s.checkOpen(r.Context(), id); err != nil {
		return err
	}
	session, err := s.Serialize(r, web.Action{Session: id, Key: u.key, Do: u.do})
	if err != nil {
		return web.StorageError(err)
	}
	if session.Tombstone() {
		return web.Refuse(wire.CodeSessionUnknown, "")
	}
	s.Kick()
	if web.WantsJSON(r) || r.PostForm == nil {
		return s.respondView(w, r, session)
	}
	s.Redirect(w, r, "/checkout/"+session.ID+s.parseEmbed(r.PostForm).query())
	return nil
}

// checkPost wraps the shopper's posts: same origin, and a body that is JSON, a form or empty.
func (s *server) checkPost(h web.Handler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := s.SameOrigin(r); err != nil {
			return err
		}
		kind, err := web.ContentType(r)
		if err != nil {
			return err
		}
		switch kind {
		case "application/json":
		case "application/x-www-form-urlencoded":
			if err := r.ParseForm(); err != nil {
				return formError(err)
			}
		case "":
			if r.ContentLength != 0 {
				return web.Refuse(wire.CodeMediaType, "Content-Type")
			}
		default:
			return web.Refuse(wire.CodeMediaType, "Content-Type")
		}
		return h(w, r)
	}
}

func formError(err error) error {
	if _, is := errors.AsType[*http.MaxBytesError](err); is {
		return web.Refuse(wire.CodeTooLarge, "")
	}
	return web.Refuse(wire.CodeInvalid, "")
}

// cancel is POST /checkout/{session}/cancel.
func (s *server) cancel(r *http.Request) (useCase, error) {
	if err := web.ReadEmpty(r); err != nil {
		return useCase{}, err
	}
	return useCase{"cancel", func(ctx context.Context, id string) (payment.Session, error) {
		return s.Checkout.Cancel(ctx, id, payment.ClosedByShopper)
	}}, nil
}

// recheck is POST /checkout/{session}/recheck: the shopper has paid.
func (s *server) recheck(r *http.Request) (useCase, error) {
	if err := web.ReadEmpty(r); err != nil {
		return useCase{}, err
	}
	began := s.Now()
	return useCase{"recheck", func(ctx context.Context, id string) (payment.Session, error) {
		session, err := s.Checkout.Recheck(ctx, id)
		if err == nil && session.CheckedAt.Before(began) {
			s.nudge(r.WithContext(ctx), session)
		}
		return session, err
	}}, nil
}
