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
	"coinslot/bff/payment"
	"coinslot/bff/web"
)

// choose is POST /checkout/{session}/attempts: a shopper chooses a coin and a network.
func (s *server) choose(r *http.Request) (useCase, error) {
	if err := s.checkUnpaidAttempts(r); err != nil {
		return useCase{}, err
	}
	var c choice
	if err := web.ReadJSON(r, &c); err != nil {
		return useCase{}, err
	}
	if r.PostForm != nil {
		c = parseChoice(r.PostForm)
	}
	return s.chooseCoin(c), nil
}

func (s *server) chooseCoin(c choice) useCase {
	return useCase{
		key: fmt.Sprintf("choose %q", c),
		do: func(ctx context.Context, id string) (payment.Session, error) {
			return s.Checkout.Choose(ctx, id, wire.Choice(c))
		},
	}
}

// choice is what a shopper posts to choose a coin: never a price, an address or a status.
type choice struct {
	CurrencySymbol string `json:"currency_symbol"`
	NetworkCode    string `json:"network_code"`
	Email          string `json:"email"`
	Comment        string `json:"comment"`
}

// parseChoice reads a form. The networks of each coin are radios of their own: those of the coin
// that is sent count, unless there is a plain network_code.
func parseChoice(f url.Values) choice {
	symbol := f.Get("currency_symbol")
	email, ok := payment.Email(f.Get("email"))
	if !ok && utf8.ValidString(email) {
		email = "" // a slip in a field that need not be filled in must not stop the payment
	}
	return choice{
		CurrencySymbol: symbol, Email: email, Comment: f.Get("comment"),
		NetworkCode: cmp.Or(f.Get("network_code"), f.Get(widget.NetworkField(symbol))),
	}
}
