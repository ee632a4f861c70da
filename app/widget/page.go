package widget

import (
	"slices"
	"strconv"
	"strings"

	"coinslot/app/wire"
)

// Page is everything that one rendering of the checkout needs. As JSON, it is the data block from
// which WebAssembly starts.
type Page struct {
	View wire.View
	// Text is every text by key, in the page's language; plural forms have the key, "#" and the
	// plural category. A missing key is shown as it is.
	Text map[string]string `json:",omitempty"`
	// Languages are in the order of the menu, which fewer than two hide.
	Languages []Language `json:",omitempty"`
	// AllLanguages makes the server's menu have all of them.
	AllLanguages bool `json:"-"`
	// Lang and Dir are the page's language (BCP 47) and direction, "ltr" or "rtl".
	Lang, Dir string
	// Embed is "inline" or "modal"; empty if the page is not framed.
	Embed string `json:",omitempty"`
	// Origin is the host page's origin when it is listed, else empty.
	Origin string `json:",omitempty"`
	// Theme is "auto", "light" or "dark".
	Theme string `json:",omitempty"`
	// Base is the path of the session, "/checkout/cs_…"; "/checkout" while View.Session is empty.
	Base string
	// Carry are the parameters of every form and link: embed, origin, theme, lang, qr, open;
	// and while nothing is stored: order, or item with amount or quantity, and the key that makes
	// two posts of one page one session.
	Carry []Field `json:",omitempty"`
	// Offer is what the shopper may set while nothing is stored; nil for nothing.
	Offer *Offer `json:",omitempty"`
	// Changing shows the chooser although there is an attempt.
	Changing bool `json:",omitempty"`
	// Shop is the shop's origin, for when the merchant has set no CancelURL; empty if unknown.
	Shop string `json:",omitempty"`
	// Logo is the path of the shop's logo; empty if it has none.
	Logo string `json:",omitempty"`
	// Receipt is set on the printable receipt.
	Receipt bool `json:",omitempty"`
	// QRKind is what the shopper wants the QR code to hold: "uri", the payment link, or "address";
	// empty for the attempt's own choice.
	QRKind string `json:",omitempty"`
	// Pasted is the address from the shopper's wallet, to be compared; may be empty.
	Pasted string `json:",omitempty"`
	// Opened is the details element that is open from the start: "check", which also stops the
	// refreshing, "device", "scan", "apps", or empty.
	Opened string `json:",omitempty"`
	// Phone is set if the page is on a phone, which has the wallet but cannot scan its own screen.
	Phone bool `json:",omitempty"`
	// LastWallet is the id of the wallet that the shopper opened last by a link; always empty on the
	// server.
	LastWallet string `json:"-"`
	// Wallets are those of this browser; always empty on the server.
	Wallets []Wallet `json:"-"`
	// URL is the absolute URL of this page, for another device; empty if unknown.
	URL string `json:",omitempty"`
	// Chosen is the preselected symbol, ChosenNetwork the preselected
	// "symbol:code"; both may be empty.
	Chosen, ChosenNetwork string
	// Email is the shopper's e-mail address; may be empty.
	Email string `json:",omitempty"`
	// Simulate lists the kinds of payment that the sandbox can simulate; empty hides the bar.
	Simulate []string `json:",omitempty"`
}

// Field is a parameter of a form or link.
type Field struct{ Name, Value string }

// NamesOrder reports whether f tells what is sold, which matters while nothing is stored.
func (f Field) NamesOrder() bool {
	switch f.Name {
	case "order", "item", "amount", "quantity", "key":
		return true
	}
	return false
}

// ShopName is the shop's name as the merchant has set it, else the host of its page; "" if both
// are unknown.
func (p *Page) ShopName() string {
	if name := p.View.Order.ShopName; name != "" {
		return name
	}
	return Host(p.Shop)
}

// Link returns the session's path followed by sub ("" or "/receipt"), with Carry and extra as its
// query. It leaves out fields without a value, and the key, because links may be shared.
func (p Page) Link(sub string, extra ...Field) string {
	query := make([]string, 0, len(p.Carry)+len(extra))
	for _, f := range slices.Concat(p.Carry, extra) {
		if f.Value != "" && f.Name != "key" {
			query = append(query, queryEscape(f.Name)+"="+queryEscape(f.Value))
		}
	}
	if len(query) == 0 {
		return p.Base + sub
	}
	return p.Base + sub + "?" + strings.Join(query, "&")
}

// Target returns where a form for sub ("/attempts", "/cancel") posts to. While nothing is stored,
// there is one endpoint for all.
func (p *Page) Target(sub string) string {
	if p.View.Session == "" {
		return p.Base
	}
	return p.Base + sub
}

// QR returns the path of the QR code of the current attempt's "uri", of the "page" itself, or else
// of the attempt's address; a "uri" without a link is the address, too. Attempt and sum are in the path, so that a browser never shows an outdated code.
func (p *Page) QR(kind string) string {
	a := p.View.Attempt
	switch {
	case kind == "page":
		return p.Standalone().Link("/qr.svg", Field{"kind", "page"})
	case a == nil:
		return ""
	case kind == "uri" && a.URI != "":
		return p.Base + "/qr.svg?kind=uri&a=" + strconv.Itoa(a.Number) + "&due=" + a.MissingAmount
	}
	return p.Base + "/qr.svg?a=" + strconv.Itoa(a.Number)
}

// WithSession returns the page after an order or item has got the session id: Carry no longer
// names the order.
func (p Page) WithSession(id string) Page {
	p.Carry = keep(p.Carry, func(f Field) bool { return !f.NamesOrder() })
	p.Offer = nil
	p.Base = "/checkout/" + id
	if origin, _, found := strings.Cut(p.URL, "/checkout"); found {
		p.URL = origin + p.Standalone().Link("")
	}
	return p
}

// keep returns the fields for which is reports true, in a list of its own.
func keep(fields []Field, is func(Field) bool) []Field {
	return slices.DeleteFunc(slices.Clone(fields), func(f Field) bool { return !is(f) })
}

// Standalone returns the page outside a frame: Carry keeps the order and the language only.
func (p Page) Standalone() Page {
	p.Carry = keep(p.Carry, func(f Field) bool { return f.Name == "lang" || f.NamesOrder() })
	return p
}

// Without returns the page without the fields of these names in Carry.
func (p Page) Without(names ...string) Page {
	p.Carry = keep(p.Carry, func(f Field) bool { return !slices.Contains(names, f.Name) })
	return p
}

// WithField returns the page with a field in Carry, or without it if value is empty.
func (p Page) WithField(name, value string) Page {
	p = p.Without(name)
	if value != "" {
		p.Carry = append(p.Carry, Field{name, value})
	}
	return p
}

// Language is one entry of the language menu.
type Language struct {
	Tag  string // BCP 47
	Name string // in the language itself
}

// Title is the title of the browser's tab: status and price. An unknown order has no price.
func (p *Page) Title() string {
	if p.View.Order.AmountUSD == "" {
		return p.T("title.none")
	}
	key := "title." + string(p.View.Status.Shown())
	if Arrived(p.View) {
		key = "seen.title"
	}
	if p.View.Test && !p.View.Status.Final() {
		key = "title.test"
	}
	return p.T(key, "price", p.View.Order.Price)
}

// Icon is the path of the tab's icon, which shows a paid order in a row of tabs.
func (p *Page) Icon() string {
	if p.View.Status.Outcome() == wire.Paid {
		return "/icons/tab-paid.svg"
	}
	return "/icons/tab.svg"
}

// AutoRefreshes reports whether the page updates by itself, because something is expected to
// happen without the shopper.
func (p *Page) AutoRefreshes() bool {
	if p.View.Status == wire.Pending && (p.Changing || p.Opened == "check") {
		return false // the shopper is about to do something
	}
	return p.View.Status.Waiting()
}

// Arrived reports whether a pending payment is paid in full and only the gateway's confirmation is
// missing: the shopper must not send more.
func Arrived(v wire.View) bool {
	a := v.LatestAttempt()
	return v.Status == wire.Pending && a.PaidAmount != "" && a.MissingAmount == ""
}

// Offer is what a shopper may set of a catalog item while nothing is stored: an open amount or a
// quantity. The server decides what is allowed and what it costs.
type Offer struct {
	// Minimum and Maximum are the inclusive limits of the amount, decimal text with the places of
	// its currency; empty if there is no amount to set.
	Minimum, Maximum string
	// Suggested are amounts to offer, the default first.
	Suggested []string
	// Prices are the limits and the suggested amounts as people of the page's language write them.
	Prices map[string]string
	// Amount is the content of its field: the page's amount, or one that was refused, as typed.
	Amount string
	// Least and Most are the inclusive limits of the quantity; zero if there is none to set.
	Least, Most int
	// Quantity is the page's quantity.
	Quantity int
	// Wrong is the field whose value was refused, "amount" or "quantity"; empty if none was.
	Wrong string
}
