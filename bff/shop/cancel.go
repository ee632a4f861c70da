package shop

import (
	"net/http"

	"coinslot/bff/payment"
	"coinslot/bff/web"
)

// cancel is POST /checkout/{session}/cancel.
func (a *actions) cancel(w http.ResponseWriter, r *http.Request) error {
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

	ctx, turn, err := a.site.TakeTurn(r, web.Action{Session: id, Key: "cancel"})
	if err != nil {
		return err
	}
	defer turn.End()

	session, err := a.checkout.Cancel(ctx, id, payment.ClosedByShopper)
	if err != nil {
		return turn.Fail(err)
	}
	turn.End()

	a.kick()
	return a.pages.answerPost(w, r, session)
}
