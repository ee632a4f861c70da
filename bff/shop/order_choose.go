package shop

import (
	"net/http"

	"coinslot/app/widget"
	"coinslot/app/wire"
	"coinslot/bff/logs"
	"coinslot/bff/payment"
	"coinslot/bff/web"
)

// choose is POST /checkout: it stores the session of a token or item and opens its first attempt. A
// form with the button "apply" only gets the page at another price.
func (o *orders) choose(w http.ResponseWriter, r *http.Request) error {
	if err := checkPost(o.site, r); err != nil {
		return err
	}

	offered, choice, err := readOrder(r)
	if err != nil {
		return err
	}

	f := o.pages.hosts.read(r, r.URL.Query())
	if r.PostForm != nil {
		f = o.pages.hosts.read(r, r.PostForm)
	}

	priced, err := o.price(r.Context(), offered, f)
	if err != nil {
		return err
	}
	if r.PostForm.Has("apply") {
		o.site.Redirect(w, r, o.repricedURL(priced, offered, choice, f))
		return nil
	}

	if err := o.checkout.ValidateChoice(r.Context(), priced, choice); err != nil {
		return err
	}
	session, err := o.open(r, offered, priced)
	if err != nil {
		return err
	}
	if err := o.sessions.checkOpen(r.Context(), session.ID); err != nil {
		return err
	}

	ctx, turn, err := o.site.TakeTurn(r, chooseAction(session.ID, choice))
	if err != nil {
		return err
	}
	defer turn.End()

	session, err = chooseOnce(ctx, turn, o.checkout, session.ID, choice)
	if err != nil {
		return turn.Fail(err)
	}
	turn.End()

	o.kick()
	return o.pages.answerPost(w, r, session)
}

// embedParams are the parameters of docs/frame-protocol.md, which forms post.
type embedParams struct {
	Embed  string `json:"embed"`
	Origin string `json:"origin"`
	Theme  string `json:"theme"`
	Lang   string `json:"lang"`
}

// readOrder reads a body that [checkPost] has accepted. Errors: *wire.Error.
func readOrder(r *http.Request) (offer, wire.Choice, error) {
	var body struct {
		offer
		choice
		embedParams
	}
	if err := web.ReadJSON(r, &body); err != nil {
		return offer{}, wire.Choice{}, err
	}

	offered := body.offer
	choice := wire.Choice(body.choice)
	if r.PostForm != nil {
		offered = parseOfferForm(r.PostForm)
		choice = parseChoice(r.PostForm)
	}
	if offered.Key != "" && !web.ValidIdempotencyKey(offered.Key) {
		return offer{}, wire.Choice{}, web.Refuse(wire.CodeInvalid, "key")
	}

	return offered, choice, nil
}

// open stores the session of a priced offer, or returns the one that an earlier post has stored.
// Errors: *wire.Error with CodeRateLimited if the client has opened too many of items; as from
// OpenForShopper.
func (o *orders) open(
	r *http.Request, offered offer, priced payment.Order,
) (payment.Session, error) {
	key := pageKey(offered.Key, priced)
	if offered.Item != "" {
		if err := o.limit.checkOpening(r, key); err != nil {
			return payment.Session{}, err
		}
	}

	opened, err := o.checkout.OpenForShopper(r.Context(), priced, key)
	if err != nil {
		return payment.Session{}, web.StorageError(err)
	}
	if opened.Created && offered.Item != "" {
		o.limit.count(r, opened.Session)
	}
	logs.NoteSession(r.Context(), opened.ID)
	return opened.Session, nil
}

// repricedURL is the page at the price of a form. It omits the e-mail address, which must not be
// in a URL.
func (o *orders) repricedURL(
	priced payment.Order, offered offer, c wire.Choice, f embedOptions,
) string {
	fields := offerFields(priced, offered, o.editable(priced, offered))
	page := widget.Page{Base: "/checkout", Carry: append(f.fields(), fields...)}

	var coin []widget.Field
	if len(c.CurrencySymbol)+len(c.NetworkCode) <= 100 {
		coin = []widget.Field{
			{Name: "currency_symbol", Value: c.CurrencySymbol},
			{Name: "network_code", Value: c.NetworkCode},
		}
	}
	return page.Link("", coin...)
}

// pageKey separates shoppers' keys from merchants' Idempotency-Keys, which hold no space. Another
// amount on the same page is another order.
func pageKey(key string, o payment.Order) string {
	if key == "" {
		return ""
	}
	return "page " + key + " " + o.Digest()[:16]
}
