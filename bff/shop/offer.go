package shop

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"coinslot/app/screen"
	"coinslot/app/widget"
	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/order"
	"coinslot/bff/payment"
	"coinslot/bff/web"
)

// offer is a token or an item, without a stored session.
type offer struct {
	Order string `json:"order"`
	Item  string `json:"item"`
	// for open items only; nil = the suggested one
	Amount *string `json:"amount"`
	// for items that have one only; empty = the minimum
	Quantity wholeNumber `json:"quantity"`
	// makes repeated posts of a page one session; never read from a URL
	Key string `json:"key"`
}

// wholeNumber is a number as the client wrote it, of any size; "" = absent. JSON made from form
// fields has it as text.
type wholeNumber string

// UnmarshalJSON reads 3 and "3". A member that is null is absent.
func (n *wholeNumber) UnmarshalJSON(raw []byte) error {
	text := string(raw)
	if text == "null" {
		return nil
	}
	if n := len(text); n > 2 && text[0] == '"' && text[n-1] == '"' {
		text = text[1 : n-1]
	}
	if strings.Trim(text, "0123456789") != "" {
		return errors.New("not a whole number")
	}
	*n = wholeNumber(text)
	return nil
}

// parseOffer reads an offer from a URL. An empty amount is none. A URL has no key: everyone who
// has the URL would share the session.
func parseOffer(q url.Values) offer {
	o := offer{Order: q.Get("order"), Item: q.Get("item"), Quantity: wholeNumber(q.Get("quantity"))}
	if amount := q.Get("amount"); amount != "" {
		o.Amount = &amount
	}
	return o
}

// parseOfferForm reads an offer from a form. An empty amount stays empty: the shopper cleared it.
func parseOfferForm(form url.Values) offer {
	o := parseOffer(form)
	o.Key = form.Get("key")
	if o.Amount = nil; form.Has("amount") {
		amount := screen.NormalizeAmount(form.Get("amount"))
		o.Amount = &amount
	}
	return o
}

// priceOffer returns the order of an offer, priced by token or catalog, in the language of f.
func (s *server) priceOffer(o offer, f embedOptions) (payment.Order, error) {
	switch {
	case o.Order != "" && o.Item != "":
		return payment.Order{}, web.Refuse(wire.CodeOrderInvalid, "item")
	case o.Order != "":
		return order.ParseToken(o.Order, []byte(s.OrderKey), s.Now())
	}
	lang, _, _ := s.texts.match(f.lang, f.accept)
	catalog := s.Catalog
	if o.Item == playgroundItem && s.Simulate != nil {
		catalog = playgroundCatalog
	}
	return catalog.Order(
		o.Item, order.Request{Amount: o.Amount, Quantity: string(o.Quantity)}, lang,
	)
}

// orderPage is the page of an order that is not stored. Its key makes repeated posts of the page
// one session.
func (s *server) orderPage(
	ctx context.Context, o payment.Order, offered offer, f embedOptions,
) widget.Page {
	p := s.blankPage(f, o.Lang)
	show := s.viewContext(ctx, p.Lang)
	p.View = checkout.Preview(o, show, s.Checkout.Test)
	p.Base = "/checkout"
	p.Email = o.Email
	p.Offer = s.editableOffer(o, offered)
	p.Carry = append(p.Carry, offerFields(o, offered, p.Offer)...)
	key := offered.Key
	if !web.ValidIdempotencyKey(key) {
		key = "page_" + strings.ToLower(rand.Text())
	}
	p.Carry = append(p.Carry, widget.Field{Name: "key", Value: key})
	p.URL = s.PublicURL + p.Standalone().Link("")
	s.explainEmpty(&p, show)
	return p
}

// editableOffer is what the shopper may change, with its current values; nil = nothing.
func (s *server) editableOffer(o payment.Order, offered offer) *widget.Offer {
	terms := s.Catalog.Options(offered.Item)
	p := &widget.Offer{
		Minimum: terms.Minimum, Maximum: terms.Maximum, Suggested: terms.Suggested,
		Least: terms.Least, Most: terms.Most,
	}
	switch {
	case terms.Minimum != "":
		p.Amount = o.AmountUSD.StringFixed(2)
	case terms.Most > 0:
		p.Quantity, _ = strconv.Atoi(o.Metadata["quantity"]) // written by the catalog
	default:
		return nil
	}
	return p
}

// offerFields are the fields of links and forms that identify an order that is not stored.
func offerFields(o payment.Order, offered offer, set *widget.Offer) []widget.Field {
	var list []widget.Field
	add := func(name, value string, counts bool) {
		if counts && value != "" {
			list = append(list, widget.Field{Name: name, Value: value})
		}
	}
	add("order", offered.Order, true)
	add("item", offered.Item, true)
	add("amount", o.AmountUSD.StringFixed(2),
		set != nil && set.Minimum != "" && offered.Amount != nil)
	add("quantity", string(offered.Quantity), set != nil && set.Most > 0)
	return list
}

// refusedOffer is the page of a refused offer, with the shopper's input; a wrong field is replaced
// by its default.
func (s *server) refusedOffer(
	r *http.Request, values url.Values, f embedOptions,
) (widget.Page, bool) {
	offered := parseOffer(values)
	if r.PostForm != nil {
		offered = parseOfferForm(values)
	}
	o, err := s.priceOffer(offered, f)
	wrong := wrongField(err)
	if wrong != "" {
		offered.Amount, offered.Quantity = nil, ""
		o, err = s.priceOffer(offered, f)
	}
	if err != nil {
		return widget.Page{}, false
	}
	p := s.orderPage(r.Context(), o, offered, f)
	if p.Offer != nil && wrong != "" {
		p.Offer.Wrong = wrong
	}
	if wrong == "amount" {
		typed := []rune(strings.ToValidUTF8(values.Get("amount"), "\ufffd"))
		p.Offer.Amount = string(typed[:min(len(typed), maxTyped)])
	}
	return p, true
}

// maxTyped is how many characters of a wrong amount are shown again.
const maxTyped = 40

// wrongField is the field of the offer that an error is about; "" = none.
func wrongField(err error) string {
	if e, is := errors.AsType[*wire.Error](err); is {
		return web.OneOf(e.Param, "amount", "quantity")
	}
	return ""
}

// showsWrongField reports whether p shows the error next to a field.
func showsWrongField(p widget.Page) bool {
	return p.Offer != nil && p.Offer.Wrong != "" && len(p.View.Currencies) > 0
}
