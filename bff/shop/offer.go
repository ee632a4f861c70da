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

// offer names what is sold without a stored session.
type offer struct {
	Order string `json:"order"`
	Item  string `json:"item"`
	// of an open item, nil = the suggested one; read for nothing else
	Amount *string `json:"amount"`
	// of an item that has one, empty = the least; read for nothing else
	Quantity wholeNumber `json:"quantity"`
	// makes two posts of one page one session; never read from an address
	Key string `json:"key"`
}

// wholeNumber is a number as a client has written it, in JSON with or without quotes.
// What it may be is for the catalogue to say.
type wholeNumber string

// UnmarshalJSON reads 3 and "3". A member that is null is absent.
func (n *wholeNumber) UnmarshalJSON(raw []byte) error {
	text := unquoted(raw)
	if string(raw) == "null" {
		return nil
	}
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return errors.New("not a whole number")
	}
	*n = wholeNumber(text)
	return nil
}

// parseOffer reads the offer of a page's address. An amount without text is none. An
// address has no key: whoever had made or shared it would share the session too.
func parseOffer(q url.Values) offer {
	o := offer{Order: q.Get("order"), Item: q.Get("item"), Quantity: wholeNumber(q.Get("quantity"))}
	if amount := q.Get("amount"); amount != "" {
		o.Amount = &amount
	}
	return o
}

// parseOfferForm reads the offer of a form. An amount without text is what the shopper
// has left, and nothing to be made up for.
func parseOfferForm(form url.Values) offer {
	o := parseOffer(form)
	o.Key = form.Get("key")
	if o.Amount = nil; form.Has("amount") {
		amount := screen.NormalizeAmount(form.Get("amount"))
		o.Amount = &amount
	}
	return o
}

// priceOffer returns the order of an offer, priced by token or catalogue, in the
// language of the page that f asks for.
func (s *server) priceOffer(o offer, f embedOptions) (payment.Order, error) {
	switch {
	case o.Order != "" && o.Item != "":
		return payment.Order{}, web.Refuse(wire.CodeOrderInvalid, "item")
	case o.Order != "":
		return order.ParseToken(o.Order, []byte(s.OrderKey), s.Now())
	}
	lang, _, _ := s.texts.match(f.lang, f.accept)
	return s.Catalog.Order(
		o.Item, order.Request{Amount: o.Amount, Quantity: string(o.Quantity)}, lang,
	)
}

// orderPage is the page of an order that is not stored. The key that it carries
// makes two posts of one page one session.
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

// editableOffer is what the shopper may set of an order, as it is set; nil for nothing.
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
		p.Quantity, _ = strconv.Atoi(o.Metadata["quantity"]) // written by the catalogue
	default:
		return nil
	}
	return p
}

// offerFields are the fields that name an order which is stored nowhere: what the
// request has said, as far as it counts.
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

// refusedOffer is the page that an offer was refused on: with what the shopper has
// asked for, and where that is the mistake, with the item as it is proposed.
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

// wrongField names the field of the offer that an error is about; empty for none.
func wrongField(err error) string {
	var e *wire.Error
	if errors.As(err, &e) && (e.Param == "amount" || e.Param == "quantity") {
		return e.Param
	}
	return ""
}

// showsWrongField reports whether p says beside a field what is wrong.
func showsWrongField(p widget.Page) bool {
	return p.Offer != nil && p.Offer.Wrong != "" && len(p.View.Currencies) > 0
}
