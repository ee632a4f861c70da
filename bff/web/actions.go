package web

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"coinslot/app/wire"
	"coinslot/bff/budget"
	"coinslot/bff/order"
	"coinslot/bff/payment"
)

// choice is what a shopper posts to choose a coin; price, address and status are
// not among it and cannot be.
type choice struct {
	CurrencySymbol string `json:"currency_symbol"`
	NetworkCode    string `json:"network_code"`
	Email          string `json:"email"`
	Comment        string `json:"comment"`
}

func (c choice) wire() wire.Choice {
	return wire.Choice{
		CurrencySymbol: c.CurrencySymbol, NetworkCode: c.NetworkCode, Email: c.Email,
		Comment: c.Comment,
	}
}

// hosted are the parameters of docs/frame-protocol.md, which forms post along.
type hosted struct {
	Embed  string `json:"embed"`
	Origin string `json:"origin"`
	Theme  string `json:"theme"`
	Lang   string `json:"lang"`
}

// posted wraps the shopper's posts: same origin only, and a body that is JSON,
// a form or empty.
func (s *server) posted(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := s.sameOrigin(r); err != nil {
			return err
		}
		kind, err := declared(r)
		if err != nil {
			return err
		}
		switch kind {
		case "application/json":
		case "application/x-www-form-urlencoded":
			if err := r.ParseForm(); err != nil {
				return badForm(err)
			}
		case "":
			if r.ContentLength != 0 {
				return refuse(wire.CodeMediaType, "Content-Type")
			}
		default:
			return refuse(wire.CodeMediaType, "Content-Type")
		}
		return h(w, r)
	}
}

func badForm(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return refuse(wire.CodeTooLarge, "")
	}
	return refuse(wire.CodeInvalid, "")
}

// act runs an action when it is the session's turn. What the action asks of the gateway
// is asked for the session. Errors: the request's end, do's.
func (s *server) act(
	r *http.Request, id string, do func(ctx context.Context) (payment.Session, error),
) (payment.Session, error) {
	ctx := budget.WithSession(r.Context(), id)
	return s.turns.in(ctx, id, func() (payment.Session, error) { return do(ctx) })
}

// choose is POST /checkout/{session}/attempts.
func (s *server) choose(w http.ResponseWriter, r *http.Request) error {
	var c choice
	if err := read(r, &c); err != nil {
		return err
	}
	if r.PostForm != nil {
		c = formChoice(r)
	}
	return s.attempt(w, r, r.PathValue("session"), c)
}

func (s *server) attempt(w http.ResponseWriter, r *http.Request, id string, c choice) error {
	if err := s.mayAct(r.Context(), id); err != nil {
		return err
	}
	session, err := s.act(r, id, func(ctx context.Context) (payment.Session, error) {
		return s.Checkout.Choose(ctx, id, c.wire())
	})
	return s.acted(w, r, session, err)
}

// extend is POST /checkout/{session}/extend: more time for the same coin.
func (s *server) extend(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Attempt count `json:"attempt"`
	}
	if err := read(r, &body); err != nil {
		return err
	}
	if r.PostForm != nil && r.PostForm.Get("attempt") != "" {
		if err := body.Attempt.UnmarshalJSON([]byte(r.PostForm.Get("attempt"))); err != nil {
			return refuse(wire.CodeInvalid, "attempt")
		}
	}
	id := r.PathValue("session")
	if err := s.mayAct(r.Context(), id); err != nil {
		return err
	}
	session, err := s.act(r, id, func(ctx context.Context) (payment.Session, error) {
		return s.Checkout.Extend(ctx, id, int(body.Attempt))
	})
	return s.acted(w, r, session, err)
}

// count is a number from 1, which JSON made of a form's fields writes as text;
// zero if it is not given.
type count int

// UnmarshalJSON reads 3 and "3". A member that is null is absent.
func (c *count) UnmarshalJSON(raw []byte) error {
	text := unquoted(raw)
	if string(raw) == "null" {
		return nil
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 || text[0] == '0' {
		return errors.New("not a number from 1")
	}
	*c = count(n)
	return nil
}

// unquoted is a JSON text without its quotes, and anything else as it is.
func unquoted(raw []byte) string {
	text := string(raw)
	if n := len(text); n > 2 && text[0] == '"' && text[n-1] == '"' {
		return text[1 : n-1]
	}
	return text
}

// cancel is POST /checkout/{session}/cancel.
func (s *server) cancel(w http.ResponseWriter, r *http.Request) error {
	if err := bare(r); err != nil {
		return err
	}
	if err := s.mayAct(r.Context(), r.PathValue("session")); err != nil {
		return err
	}
	session, err := s.calledOff(r, payment.ClosedByShopper)
	return s.acted(w, r, session, err)
}

// calledOff cancels the session that r names, for the shopper or the merchant.
func (s *server) calledOff(r *http.Request, by payment.Closer) (payment.Session, error) {
	id := r.PathValue("session")
	return s.act(r, id, func(ctx context.Context) (payment.Session, error) {
		return s.Checkout.Cancel(ctx, id, by)
	})
}

// recheck is POST /checkout/{session}/recheck.
func (s *server) recheck(w http.ResponseWriter, r *http.Request) error {
	if err := bare(r); err != nil {
		return err
	}
	if err := s.mayAct(r.Context(), r.PathValue("session")); err != nil {
		return err
	}
	began := s.Now()
	session, err := s.looked(r)
	if err == nil && session.CheckedAt.Before(began) {
		s.nudge(r, session)
	}
	return s.acted(w, r, session, err)
}

// looked has the session that r names checked now.
func (s *server) looked(r *http.Request) (payment.Session, error) {
	id := r.PathValue("session")
	return s.act(r, id, func(ctx context.Context) (payment.Session, error) {
		return s.Checkout.Recheck(ctx, id)
	})
}

// simulate is POST /checkout/{session}/simulate, of sandboxes only.
func (s *server) simulate(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Kind string `json:"kind"`
	}
	if err := read(r, &body); err != nil {
		return err
	}
	if r.PostForm != nil {
		body.Kind = r.PostForm.Get("kind")
	}
	session, err := s.shopperSession(r.Context(), r.PathValue("session"))
	if err != nil {
		return err
	}
	a := session.Current()
	if a == nil || a.TrackingCode == "" {
		return refuse(wire.CodeNotPossible, "")
	}
	if err := s.Simulate(r.Context(), a.TrackingCode, body.Kind); err != nil {
		return refuse(wire.CodeInvalid, "kind")
	}
	session, err = s.Checkout.Recheck(r.Context(), session.ID)
	return s.acted(w, r, session, err)
}

// acted answers a shopper's post: programs get the view, forms are sent to the
// page, so that a reload repeats nothing.
func (s *server) acted(
	w http.ResponseWriter, r *http.Request, session payment.Session, err error,
) error {
	if err != nil {
		return stored(err)
	}
	if session.Tombstone() {
		return refuse(wire.CodeSessionUnknown, "")
	}
	s.Kick()
	if wantsJSON(r) || r.PostForm == nil {
		return s.respondView(w, r, session)
	}
	s.redirect(w, r, "/checkout/"+session.ID+s.framedFrom(r.PostForm).query())
	return nil
}

// view is GET /checkout/{session}/view.
func (s *server) view(w http.ResponseWriter, r *http.Request) error {
	session, err := s.shopperSession(r.Context(), r.PathValue("session"))
	if err != nil {
		return err
	}
	s.nudge(r, session)
	return s.respondView(w, r, session)
}

func (s *server) respondView(
	w http.ResponseWriter, r *http.Request, session payment.Session,
) error {
	return respond(
		w, http.StatusOK, s.sessionPage(r.Context(), session, s.framedOf(r, r.URL.Query())).View,
	)
}

// read decodes a JSON body into v; a form or an empty body is left alone.
func read(r *http.Request, v any) error {
	if r.PostForm != nil || r.ContentLength == 0 {
		return nil
	}
	raw, err := jsonBody(r)
	if err != nil {
		return err
	}
	return order.Strict(raw, v)
}

func formChoice(r *http.Request) choice {
	f := r.PostForm
	symbol, network := f.Get("currency_symbol"), f.Get("network_code")
	// A browser without scripts leaves the network of the coin before checked.
	if coin, _, both := strings.Cut(network, ":"); both && symbol != "" &&
		!payment.SameName(coin, symbol) {
		network = ""
	}
	return choice{
		CurrencySymbol: symbol, NetworkCode: network, Email: f.Get("email"),
		Comment: f.Get("comment"),
	}
}
