package shop

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"coinslot/app/screen"
	"coinslot/app/widget"
	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/locale"
	"coinslot/bff/order"
	"coinslot/bff/payment"
	"coinslot/bff/web"
)

// orders answers requests for orders that are not stored yet.
type orders struct {
	site     *web.Server
	checkout *checkout.Service
	pages    *pages
	sessions *sessions
	limit    *unpaidLimit
	catalog  *order.Catalog
	orderKey string // verifies order tokens; empty = refused
	sandbox  bool   // sells the item of the playground
	kick     func() // makes the poller check due sessions now
}

// offer is a token or an item, without a stored session.
type offer struct {
	Order string `json:"order"`
	Item  string `json:"item"`
	// Amount is for open items only; nil = the suggested one.
	Amount *string `json:"amount"`
	// Quantity is for items that have one only; empty = the minimum.
	Quantity wholeNumber `json:"quantity"`
	// Key makes repeated posts of a page one session. It is never read from a URL.
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

	isText := len(text) > 2 && text[0] == '"' && text[len(text)-1] == '"'
	if isText {
		text = text[1 : len(text)-1]
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
	o := offer{
		Order:    q.Get("order"),
		Item:     q.Get("item"),
		Quantity: wholeNumber(q.Get("quantity")),
	}
	if amount := q.Get("amount"); amount != "" {
		o.Amount = &amount
	}
	return o
}

// parseOfferForm reads an offer from a form. An empty amount stays empty: the shopper cleared it.
func parseOfferForm(form url.Values) offer {
	o := parseOffer(form)
	o.Key = form.Get("key")
	o.Amount = nil
	if form.Has("amount") {
		amount := screen.NormalizeAmount(form.Get("amount"))
		o.Amount = &amount
	}
	return o
}

// price returns the order of an offer with the dollars that it is charged as now. Errors: as from
// find and [checkout.Service.Price].
func (o *orders) price(
	ctx context.Context, offered offer, f embedOptions,
) (payment.Order, error) {
	found, err := o.find(offered, f)
	if err != nil {
		return payment.Order{}, err
	}
	priced, err := o.checkout.Price(ctx, found)
	return priced, web.StorageError(err)
}

// find returns the order of an offer, priced by token or catalog, in the language of f.
func (o *orders) find(offered offer, f embedOptions) (payment.Order, error) {
	switch {
	case offered.Order != "" && offered.Item != "":
		return payment.Order{}, web.Refuse(wire.CodeOrderInvalid, "item")
	case offered.Order != "":
		return order.ParseToken(offered.Order, []byte(o.orderKey), o.site.Now())
	}

	catalog := o.catalog
	if offered.Item == playgroundItem && o.sandbox {
		catalog = playgroundCatalog
	}
	lang, _, _ := o.pages.texts.match(f.lang, f.accept)
	request := order.Request{Amount: offered.Amount, Quantity: string(offered.Quantity)}
	return catalog.Order(offered.Item, request, lang)
}

// page is the page of an order that is not stored. Its key makes repeated posts of the page one
// session.
func (o *orders) page(
	ctx context.Context, priced payment.Order, offered offer, f embedOptions,
) widget.Page {
	page := o.pages.blank(f, priced.Lang)
	options := o.pages.viewOptions(ctx, page.Lang)
	page.View = checkout.Preview(priced, options, o.checkout.Test)
	page.Base = "/checkout"
	page.Email = priced.Email
	page.Offer = o.editable(priced, offered)
	if page.Offer != nil {
		page.Offer.Prices = o.prices(offered, page.Lang)
	}
	page.Carry = append(page.Carry, offerFields(priced, offered, page.Offer)...)

	key := offered.Key
	if !web.ValidIdempotencyKey(key) {
		key = "page_" + strings.ToLower(rand.Text())
	}
	page.Carry = append(page.Carry, widget.Field{Name: "key", Value: key})
	page.URL = o.site.PublicURL + page.Standalone().Link("")
	o.pages.explainEmpty(&page, options)
	return page
}

// editable is what the shopper may change, with its current values; nil = nothing.
func (o *orders) editable(priced payment.Order, offered offer) *widget.Offer {
	terms := o.catalog.Options(offered.Item)
	fields := &widget.Offer{
		Minimum:   terms.Minimum,
		Maximum:   terms.Maximum,
		Suggested: terms.Suggested,
		Least:     terms.Least,
		Most:      terms.Most,
	}
	switch {
	case terms.Minimum != "":
		fields.Amount = priced.PriceText()
	case terms.Most > 0:
		fields.Quantity, _ = strconv.Atoi(priced.Metadata["quantity"]) // written by the catalog
	default:
		return nil
	}

	return fields
}

// prices are the amounts that an offer names, as people of a language write them.
func (o *orders) prices(offered offer, lang string) map[string]string {
	terms := o.catalog.Options(offered.Item)
	written := map[string]string{}
	for _, amount := range append(terms.Suggested, terms.Minimum, terms.Maximum) {
		written[amount] = locale.FormatPrice(lang, terms.Currency, amount)
	}
	return written
}

// offerFields are the fields of links and forms that identify an order that is not stored; editable
// is what the shopper may change of it.
func offerFields(priced payment.Order, offered offer, editable *widget.Offer) []widget.Field {
	list := []widget.Field{
		{Name: "order", Value: offered.Order},
		{Name: "item", Value: offered.Item},
	}
	if editable != nil && editable.Minimum != "" && offered.Amount != nil {
		amount := priced.PriceText()
		list = append(list, widget.Field{Name: "amount", Value: amount})
	}
	if editable != nil && editable.Most > 0 {
		list = append(list, widget.Field{Name: "quantity", Value: string(offered.Quantity)})
	}

	return slices.DeleteFunc(list, func(f widget.Field) bool { return f.Value == "" })
}

// refused is the page of a refused offer, with the shopper's input; a wrong field is replaced by
// its default. ok is false if the offer is wrong in other ways.
func (o *orders) refused(
	r *http.Request, values url.Values, f embedOptions,
) (page widget.Page, ok bool) {
	offered := parseOffer(values)
	if r.PostForm != nil {
		offered = parseOfferForm(values)
	}

	priced, err := o.price(r.Context(), offered, f)
	wrong := wrongField(err)
	if wrong != "" {
		offered.Amount = nil
		offered.Quantity = ""
		priced, err = o.price(r.Context(), offered, f)
	}
	if err != nil {
		return widget.Page{}, false
	}

	page = o.page(r.Context(), priced, offered, f)
	if page.Offer != nil && wrong != "" {
		page.Offer.Wrong = wrong
	}
	if wrong == "amount" {
		typed := []rune(strings.ToValidUTF8(values.Get("amount"), "\ufffd"))
		page.Offer.Amount = string(typed[:min(len(typed), maxTyped)])
	}
	return page, true
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

// showsWrongField reports whether a page shows the error next to a field.
func showsWrongField(page widget.Page) bool {
	return page.Offer != nil && page.Offer.Wrong != "" && len(page.View.Currencies) > 0
}
