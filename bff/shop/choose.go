package shop

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"unicode/utf8"

	"coinslot/app/widget"
	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/payment"
	"coinslot/bff/web"
)

// actions answers posts that do something with a stored session.
type actions struct {
	site     *web.Server
	checkout *checkout.Service
	pages    *pages
	sessions *sessions
	limit    *unpaidLimit
	// simulatePayment is Config.Simulate; nil = real money.
	simulatePayment func(ctx context.Context, trackingCode, kind string) error
	kick            func() // makes the poller check due sessions now
}

// choose is POST /checkout/{session}/attempts: a shopper chooses a coin and a network.
func (a *actions) choose(w http.ResponseWriter, r *http.Request) error {
	if err := checkPost(a.site, r); err != nil {
		return err
	}
	if err := a.limit.checkAttempt(r); err != nil {
		return err
	}

	choice, err := readChoice(r)
	if err != nil {
		return err
	}

	id := r.PathValue("session")
	if err := a.sessions.checkOpen(r.Context(), id); err != nil {
		return err
	}

	ctx, turn, err := a.site.TakeTurn(r, chooseAction(id, choice))
	if err != nil {
		return err
	}
	defer turn.End()

	session, err := chooseOnce(ctx, turn, a.checkout, id, choice)
	if err != nil {
		return turn.Fail(err)
	}
	turn.End()

	a.kick()
	return a.pages.answerPost(w, r, session)
}

// chooseOnce chooses, or reads what an equal post has chosen while this one waited: one that the
// gateway refused would only be refused again.
func chooseOnce(
	ctx context.Context, turn *web.Turn, service *checkout.Service, id string, choice wire.Choice,
) (payment.Session, error) {
	if turn.AlreadyDone() {
		return service.Session(ctx, id)
	}
	session, err := service.Choose(ctx, id, choice)
	if err == nil {
		turn.Done()
	}
	return session, err
}

func chooseAction(id string, c wire.Choice) web.Action {
	return web.Action{Session: id, Key: fmt.Sprintf("choose %q", c)}
}

// choice is what a shopper posts to choose a coin: never a price, an address or a status.
type choice struct {
	CurrencySymbol string `json:"currency_symbol"`
	NetworkCode    string `json:"network_code"`
	Email          string `json:"email"`
	Comment        string `json:"comment"`
}

// readChoice reads a body that [checkPost] has accepted. Errors: *wire.Error.
func readChoice(r *http.Request) (wire.Choice, error) {
	if r.PostForm != nil {
		return parseChoice(r.PostForm), nil
	}
	var c choice
	err := web.ReadJSON(r, &c)
	return wire.Choice(c), err
}

// parseChoice reads a form. The networks of each coin are radios of their own: those of the coin
// that is sent count, unless there is a plain network_code.
func parseChoice(f url.Values) wire.Choice {
	symbol := f.Get("currency_symbol")
	email, ok := payment.Email(f.Get("email"))
	if !ok && utf8.ValidString(email) {
		email = "" // a slip in a field that need not be filled in must not stop the payment
	}
	return wire.Choice{
		CurrencySymbol: symbol,
		NetworkCode:    cmp.Or(f.Get("network_code"), f.Get(widget.NetworkField(symbol))),
		Email:          email,
		Comment:        f.Get("comment"),
	}
}
