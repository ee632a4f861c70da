package api

import (
	"net/http"
	"regexp"

	"coinslot/app/wire"
	"coinslot/bff/logs"
	"coinslot/bff/order"
	"coinslot/bff/payment"
	"coinslot/bff/web"
)

// createSession is POST /v1/sessions.
func (s *server) createSession(w http.ResponseWriter, r *http.Request) error {
	raw, err := web.ReadBody(r)
	if err != nil {
		return err
	}

	o, err := order.Decode(raw)
	if err != nil {
		return err
	}

	key, err := idempotencyKey(r)
	if err != nil {
		return err
	}

	opened, err := s.Checkout.Open(r.Context(), o, key)
	if err != nil {
		return web.StorageError(err)
	}

	logs.NoteSession(r.Context(), opened.ID)
	if !opened.Created {
		w.Header().Set("Idempotent-Replayed", "true")
	}

	return web.Respond(w, http.StatusCreated, s.Checkout.OpenedObject(opened))
}

// cursorPattern matches next_cursor of a list of sessions.
var cursorPattern = regexp.MustCompile(`^[0-9]{1,19}\.cs_[a-z2-7]{26}$`)

// listSessions is GET /v1/sessions.
func (s *server) listSessions(w http.ResponseWriter, r *http.Request) error {
	q, err := parseQuery(r, "status", "order_ref", "limit", "cursor")
	if err != nil {
		return err
	}

	f := payment.Filter{
		Status:   q.Get("status"),
		OrderRef: q.Get("order_ref"),
		Cursor:   q.Get("cursor"),
	}
	if f.Status != "" && !wire.Status(f.Status).Known() {
		return web.Refuse(wire.CodeInvalid, "status")
	}
	if f.Cursor != "" && !cursorPattern.MatchString(f.Cursor) {
		return web.Refuse(wire.CodeInvalid, "cursor")
	}

	f.Limit, err = parsePositive(q, "limit", 0, 100)
	if err != nil {
		return err
	}

	page, err := s.Checkout.List(r.Context(), f)
	if err != nil {
		return web.StorageError(err)
	}

	data := make([]payment.Object, 0, len(page.Sessions))
	for i := range page.Sessions {
		data = append(data, s.Checkout.Object(page.Sessions[i]))
	}

	return web.Respond(w, http.StatusOK, map[string]any{
		"object":      "list",
		"data":        data,
		"next_cursor": page.Next,
	})
}

// readSession is GET /v1/sessions/{session}.
func (s *server) readSession(w http.ResponseWriter, r *http.Request) error {
	session, err := s.Checkout.Session(r.Context(), r.PathValue("session"))
	return s.respondSession(w, session, err)
}

// cancelSession is POST /v1/sessions/{session}/cancel; it is final.
func (s *server) cancelSession(w http.ResponseWriter, r *http.Request) error {
	if err := web.ReadEmpty(r); err != nil {
		return err
	}
	id := r.PathValue("session")

	ctx, turn, err := s.TakeTurn(r, web.Action{Session: id, Key: "cancel", Merchant: true})
	if err != nil {
		return err
	}
	defer turn.End()

	session, err := s.Checkout.Cancel(ctx, id, payment.ClosedByMerchant)
	if err != nil {
		return turn.Fail(err)
	}
	turn.End()

	return s.respondSession(w, session, nil)
}

// recheckSession is POST /v1/sessions/{session}/recheck.
func (s *server) recheckSession(w http.ResponseWriter, r *http.Request) error {
	if err := web.ReadEmpty(r); err != nil {
		return err
	}
	id := r.PathValue("session")
	began := s.Now()

	ctx, turn, err := s.TakeTurn(r, web.Action{Session: id, Key: "recheck", Merchant: true})
	if err != nil {
		return err
	}
	defer turn.End()

	session, err := s.Checkout.Recheck(ctx, id)
	if err != nil {
		return turn.Fail(err)
	}
	turn.End()

	if session.CheckedAt.Before(began) {
		err = s.Checkout.Nudge(r.Context(), session)
	}
	return s.respondSession(w, session, err)
}

// resolveSession is POST /v1/sessions/{session}/resolve.
func (s *server) resolveSession(w http.ResponseWriter, r *http.Request) error {
	raw, err := web.ReadBody(r)
	if err != nil {
		return err
	}

	var body struct {
		As     wire.Status `json:"as"`
		Reason string      `json:"reason"`
	}
	if err := order.Strict(raw, &body); err != nil {
		return err
	}

	session, err := s.Checkout.Resolve(r.Context(), r.PathValue("session"), body.As, body.Reason)
	return s.respondSession(w, session, err)
}

// respondSession answers with a session, or with the error of reading or changing it.
func (s *server) respondSession(w http.ResponseWriter, session payment.Session, err error) error {
	if err != nil {
		return web.StorageError(err)
	}
	return web.Respond(w, http.StatusOK, s.Checkout.Object(session))
}
