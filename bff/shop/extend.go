package shop

import (
	"net/http"
	"strconv"

	"coinslot/app/wire"
	"coinslot/bff/payment"
	"coinslot/bff/web"
)

// extend is POST /checkout/{session}/extend: more time for the same coin.
func (a *actions) extend(w http.ResponseWriter, r *http.Request) error {
	if err := checkPost(a.site, r); err != nil {
		return err
	}
	if err := a.limit.checkAttempt(r); err != nil {
		return err
	}

	number, err := readAttempt(r)
	if err != nil {
		return err
	}

	id := r.PathValue("session")
	if err := a.sessions.checkOpen(r.Context(), id); err != nil {
		return err
	}

	key := "extend " + strconv.Itoa(number)
	ctx, turn, err := a.site.TakeTurn(r, web.Action{Session: id, Key: key})
	if err != nil {
		return err
	}
	defer turn.End()

	var session payment.Session
	if turn.AlreadyDone() {
		session, err = a.checkout.Session(ctx, id)
	} else {
		session, err = a.checkout.Extend(ctx, id, number)
	}
	if err != nil {
		return turn.Fail(err)
	}
	turn.Done()
	turn.End()

	a.kick()
	return a.pages.answerPost(w, r, session)
}

// readAttempt reads the number of the attempt that the shopper saw; zero = not given. Errors:
// *wire.Error.
func readAttempt(r *http.Request) (int, error) {
	var body struct {
		Attempt wholeNumber `json:"attempt"`
	}
	if err := web.ReadJSON(r, &body); err != nil {
		return 0, err
	}
	if r.PostForm != nil {
		body.Attempt = wholeNumber(r.PostForm.Get("attempt"))
	}
	if body.Attempt == "" {
		return 0, nil
	}

	number, err := strconv.ParseUint(string(body.Attempt), 10, 16)
	if err != nil || body.Attempt[0] == '0' {
		return 0, web.Refuse(wire.CodeInvalid, "attempt")
	}

	return int(number), nil
}
