package shop

import (
	"net/http"

	"coinslot/app/wire"
	"coinslot/bff/web"
)

// simulate is POST /checkout/{session}/simulate, in sandboxes only.
func (a *actions) simulate(w http.ResponseWriter, r *http.Request) error {
	if err := checkPost(a.site, r); err != nil {
		return err
	}

	var body struct {
		Kind string `json:"kind"`
	}
	if err := web.ReadJSON(r, &body); err != nil {
		return err
	}
	if r.PostForm != nil {
		body.Kind = r.PostForm.Get("kind")
	}

	id := r.PathValue("session")
	key := "simulate " + body.Kind
	ctx, turn, err := a.site.TakeTurn(r, web.Action{Session: id, Key: key})
	if err != nil {
		return err
	}
	defer turn.End()

	session, err := a.sessions.find(ctx, id)
	if err != nil {
		return err
	}
	attempt := session.Current()
	if attempt == nil || attempt.TrackingCode == "" {
		return web.Refuse(wire.CodeNotPossible, "")
	}
	if err := a.simulatePayment(ctx, attempt.TrackingCode, body.Kind); err != nil {
		return web.Refuse(wire.CodeInvalid, "kind")
	}

	session, err = a.checkout.Recheck(ctx, id)
	if err != nil {
		return turn.Fail(err)
	}
	turn.End()

	a.kick()
	return a.pages.answerPost(w, r, session)
}
