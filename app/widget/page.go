package widget

import (
	"strconv"
	"strings"

	"coinslot/app/wire"
)

// Page is all that one rendering of the checkout needs. It is also the JSON
// data block from which the WebAssembly program starts.
type Page struct {
	View wire.View
	// Text is every sentence by key, in the page's language; a key of a sentence
	// that depends on a number ends in "#" and the plural category. A key that is
	// missing is shown as it is.
	Text map[string]string
	// Languages are the page's languages in the order of the menu; fewer than two
	// hide it.
	Languages []Language
	// Lang and Dir are the page's language (BCP 47) and direction, "ltr" or "rtl".
	Lang, Dir string
	// Embed is how the page is framed: "inline", "modal", or empty if it stands alone.
	Embed string
	// Origin is the host page's origin when it is listed, else empty.
	Origin string
	// Theme is "auto", "light" or "dark".
	Theme string
	// Base is the path of the session, "/checkout/cs_…"; "/checkout" while
	// View.Session is empty.
	Base string
	// Carry is what every form and link must carry through: embed, origin,
	// theme, lang, from, qr, open; and while nothing is stored order or item (with amount
	// or quantity), and the key that makes two posts of one page one session.
	Carry []Field
	// Offer is what the shopper may set while nothing is stored; nil for nothing.
	Offer *Offer
	// Changing shows the chooser although there is an attempt.
	Changing bool
	// Shop is the shop's origin, the way back where the merchant has given none;
	// empty if it is not known.
	Shop string
	// Receipt is set on the page that is kept or printed: it offers no other.
	Receipt bool
	// Exchange is set when the shopper pays from an account at an exchange.
	Exchange bool
	// LinkQR is set when the QR code holds the payment link instead of the address.
	LinkQR bool
	// Pasted is the address that the shopper's wallet shows, to be compared; empty
	// if none was given.
	Pasted string
	// Opened is the part that is opened from the start, "check" or "device"; empty
	// if none is. A page whose address is being checked keeps still.
	Opened string
	// Wallets are those of this browser; always empty on the server.
	Wallets []Wallet `json:"-"`
	// URL is the whole address of this page, for another device; empty if unknown.
	URL string
	// Chosen is the preselected symbol, ChosenNetwork the preselected
	// "symbol:code"; both may be empty.
	Chosen, ChosenNetwork string
	// Email is the shopper's address, to be filled in; may be empty.
	Email string
	// Simulate lists the kinds of pretended payment that the sandbox offers;
	// empty hides the bar.
	Simulate []string
}

// Field is one name and value that travels with every form and link.
type Field struct{ Name, Value string }

// NamesOrder reports whether f says what is bought, while it is stored nowhere.
func (f Field) NamesOrder() bool {
	switch f.Name {
	case "order", "item", "amount", "quantity", "key":
		return true
	}
	return false
}

// Link returns the session's path followed by sub ("" or "/receipt"), with the
// carried fields and extra ones as its query. An extra without a value is left
// out, and so is the key: it is one form's, and an address may be shared.
func (p Page) Link(sub string, extra ...Field) string {
	query := make([]string, 0, len(p.Carry)+len(extra))
	for _, f := range append(append([]Field{}, p.Carry...), extra...) {
		if f.Value != "" && f.Name != "key" {
			query = append(query, queryEscape(f.Name)+"="+queryEscape(f.Value))
		}
	}
	if len(query) == 0 {
		return p.Base + sub
	}
	return p.Base + sub + "?" + strings.Join(query, "&")
}

// Target returns where a form for sub ("/attempts", "/cancel") posts to. While
// nothing is stored there is one door for all.
func (p Page) Target(sub string) string {
	if p.View.Session == "" {
		return p.Base
	}
	return p.Base + sub
}

// QR returns the path of the QR code of the current attempt's "address" or
// "uri", or of the "page" itself. What it depends on is in the path, so that a
// browser never shows the code of an attempt, or of a sum, before.
func (p Page) QR(kind string) string {
	a := p.View.Attempt
	switch {
	case kind == "page":
		return p.Standalone().Link("/qr.svg", Field{"kind", "page"})
	case a == nil:
		return ""
	case kind == "uri":
		return p.Base + "/qr.svg?kind=uri&a=" + strconv.Itoa(a.Number) + "&due=" + a.MissingAmount
	}
	return p.Base + "/qr.svg?a=" + strconv.Itoa(a.Number)
}

// WithSession returns the page of session id, for the moment when an order or item
// has been given its session: what named the order is no longer carried.
func (p Page) WithSession(id string) Page {
	carry := make([]Field, 0, len(p.Carry))
	for _, f := range p.Carry {
		if !f.NamesOrder() {
			carry = append(carry, f)
		}
	}
	p.Carry, p.Offer = carry, nil
	p.Base = "/checkout/" + id
	if origin, _, found := strings.Cut(p.URL, "/checkout"); found {
		p.URL = origin + p.Standalone().Link("")
	}
	return p
}

// Standalone returns the page as it is on its own: what is carried says only what is
// bought and in which language.
func (p Page) Standalone() Page {
	carry := make([]Field, 0, len(p.Carry))
	for _, f := range p.Carry {
		if f.Name == "lang" || f.NamesOrder() {
			carry = append(carry, f)
		}
	}
	p.Carry = carry
	return p
}

// WithField returns the page with one carried field of that name, or none if
// value is empty.
func (p Page) WithField(name, value string) Page {
	carry := make([]Field, 0, len(p.Carry)+1)
	for _, f := range p.Carry {
		if f.Name != name {
			carry = append(carry, f)
		}
	}
	if value != "" {
		carry = append(carry, Field{name, value})
	}
	p.Carry = carry
	return p
}

// Language is one entry of the language menu.
type Language struct {
	Tag  string // BCP 47
	Name string // in the language itself
}

// Title names the browser's tab: how the payment stands and what it is about. An
// order that is not known has no price.
func (p Page) Title() string {
	if p.View.Order.AmountUSD == "" {
		return p.T("title.none")
	}
	price := p.Price(p.View.Order.AmountUSD)
	key := "title." + string(p.View.Status.Shown())
	if Arrived(p.View) {
		key = "title." + string(wire.Review)
	}
	if p.View.Test && !p.View.Status.Final() {
		key = "title.test"
	}
	return p.T(key, "price", price)
}

// Icon is the path of the tab's icon on the BFF's origin: it shows from afar that
// the money has come.
func (p Page) Icon() string {
	if p.View.Status.Outcome() == wire.Paid {
		return "/icons/tab-paid.svg"
	}
	return "/icons/tab.svg"
}

// AutoRefreshes reports whether the page should look again by itself: something is
// expected to happen without the shopper's doing.
func (p Page) AutoRefreshes() bool {
	if p.View.Status == wire.Pending && (p.Changing || p.Opened == "check") {
		return false // the shopper is about to do something
	}
	return p.View.Status.Waiting()
}

// Arrived reports whether all the money of a pending payment is here and only
// the gateway's word is awaited: nothing more is to be sent.
func Arrived(v wire.View) bool {
	return v.Status == wire.Pending && v.Attempt != nil && v.Attempt.PaidAmount != "" &&
		v.Attempt.MissingAmount == ""
}

// Offer is what a shopper may set of an item while it is stored nowhere: an open
// amount, or how many. What is allowed and what it costs is the server's word.
type Offer struct {
	// Minimum and Maximum are the inclusive limits of the amount, in dollars with
	// two places; empty if there is no amount to set.
	Minimum, Maximum string
	// Suggested are amounts to offer, the default first.
	Suggested []string
	// Amount is what its field holds: the one that the page is for, or one that
	// was refused, as it was typed.
	Amount string
	// Least and Most are the inclusive limits of the quantity; zero if there is
	// none to set.
	Least, Most int
	// Quantity is the one that the page is for.
	Quantity int
	// Wrong names the field whose value was refused, "amount" or "quantity";
	// empty if none was.
	Wrong string
}
