package shop

import (
	"net/http"

	"coinslot/app/widget"
	"coinslot/app/wire"
	"coinslot/bff/logs"
	"coinslot/bff/payment"
	"coinslot/bff/web"
)

// showOrder is GET /checkout?order=… or ?item=…: the page of an order that is not stored until
// the shopper chooses a coin. Programs get its view.
func (s *server) showOrder(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	offered, f := parseOffer(q), s.readEmbed(r, q)
	o, err := s.priceOffer(offered, f)
	if err != nil {
		return err
	}
	session, found, _ := s.Checkout.FindByOrder(r.Context(), o)
	if found && !session.TimedOut(s.Now()) { // choosing a coin reopens it
		to := "/checkout/" + session.ID
		if web.WantsJSON(r) {
			to += "/view"
		}
		s.Redirect(w, r, to+f.query())
		return nil
	}
	p := s.orderPage(r.Context(), o, offered, f)
	if web.WantsJSON(r) {
		return web.Respond(w, http.StatusOK, p.View)
	}
	return s.writePage(w, r, http.StatusOK, keepCoin(p, q), f)
}

// embedParams are the parameters of docs/frame-protocol.md, which forms post.
type embedParams struct {
	Embed  string `json:"embed"`
	Origin string `json:"origin"`
	Theme  string `json:"theme"`
	Lang   string `json:"lang"`
}

// chooseOrder is POST /checkout: it stores the session of a token or item and opens its first
// attempt. A form with the button "apply" only gets the page at another price.
func (s *server) chooseOrder(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		offer
		choice
		embedParams
	}
	if err := web.ReadJSON(r, &body); err != nil {
		return err
	}
	f := s.readEmbed(r, r.URL.Query())
	if r.PostForm != nil {
		body.offer, body.choice = parseOfferForm(r.PostForm), parseChoice(r.PostForm)
		f = s.readEmbed(r, r.PostForm)
	}
	if body.Key != "" && !web.ValidIdempotencyKey(body.Key) {
		return web.Refuse(wire.CodeInvalid, "key")
	}
	o, err := s.priceOffer(body.offer, f)
	if err != nil {
		return err
	}
	if r.PostForm.Has("apply") {
		s.Redirect(w, r, s.repricedURL(o, body.offer, body.choice, f))
		return nil
	}
	if err := s.Checkout.ValidateChoice(r.Context(), o, wire.Choice(body.choice)); err != nil {
		return err
	}
	key := pageKey(body.Key, o)
	if body.Item != "" {
		if err := s.checkUnpaid(r, key); err != nil {
			return err
		}
	}
	session, created, err := s.Checkout.OpenForShopper(r.Context(), o, key)
	if err != nil {
		return web.StorageError(err)
	}
	if created && body.Item != "" {
		s.Unpaid.add(session, s.Client(r))
	}
	logs.NoteSession(r.Context(), session.ID)
	return s.perform(w, r, session.ID, s.chooseCoin(body.choice))
}

// repricedURL is the page at the price of a form. It omits the e-mail address, which must not be
// in a URL.
func (s *server) repricedURL(o payment.Order, offered offer, c choice, f embedOptions) string {
	p := widget.Page{
		Base:  "/checkout",
		Carry: append(f.fields(), offerFields(o, offered, s.editableOffer(o, offered))...),
	}
	var coin []widget.Field
	if len(c.CurrencySymbol)+len(c.NetworkCode) <= 100 {
		coin = []widget.Field{
			{Name: "currency_symbol", Value: c.CurrencySymbol},
			{Name: "network_code", Value: c.NetworkCode},
		}
	}
	return p.Link("", coin...)
}

// pageKey separates shoppers' keys from merchants' Idempotency-Keys, which hold no space. Another
// amount on the same page is another order.
func pageKey(key string, o payment.Order) string {
	if key == "" {
		return ""
	}
	return "page " + key + " " + o.Digest()[:16]
}
