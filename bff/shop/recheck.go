package shop

import (
	"net/http"

	"coinslot/bff/web"
)

// recheck is POST /checkout/{session}/recheck: the shopper has paid.
func (a *actions) recheck(w http.ResponseWriter, r *http.Request) error {
	if err := checkPost(a.site, r); err != nil {
		return err
	}
	if err := web.ReadEmpty(r); err != nil {
		return err
	}
	id := r.PathValue("session")
	if err := a.sessions.checkOpen(r.Context(), id); err != nil {
		return err
	}

	began := a.site.Now()
	ctx, turn, err := a.site.TakeTurn(r, web.Action{Session: id, Key: "recheck"})
	if err != nil {
		return err
	}
	defer turn.End()

	session, err := a.checkout.Recheck(ctx, id)
	if err != nil {
		return turn.Fail(err)
	}
	turn.End()

	if session.CheckedAt.Before(began) {
		a.sessions.nudge(r, session)
	}
	a.kick()
	return a.pages.answerPost(w, r, session)
}
