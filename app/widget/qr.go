package widget

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"coinslot/app/widget/node"
	"coinslot/app/wire"
)

// qrKind is the value of the query that makes the QR code hold the payment link.
const qrKind = "uri"

// qrBox is the QR code, of the plain address unless the shopper wants the
// payment link: every wallet and exchange reads an address, and many misread or
// ignore what is around it in a link.
func qrBox(p Page, a wire.Attempt) node.Node {
	link := p.LinkQR && a.URI != ""
	kind, alt := "address", p.say("pay.qr", "coin", a.CurrencySymbol, "network", a.NetworkName)
	if link {
		sum, _ := due(a)
		kind, alt = "uri", p.say("pay.qr.uri", "amount", sum, "network", a.NetworkName)
	}
	return el("div").Class("qr-side").Body(
		el("div").Class("qr-box").Body(
			void("img").Class("qr").Attr("data-part", "qr").Attr("src", p.QR(kind)).
				Attr("width", "196").Attr("height", "196").Attr("alt", alt),
		),
		node.If(a.URI != "", func() node.Node { return qrSwitch(p, a, link) }),
	)
}

// qrSwitch chooses what the QR code holds: two links, at once with WebAssembly.
func qrSwitch(p Page, a wire.Attempt, link bool) node.Node {
	why := p.say("pay.qr.address.why")
	switch {
	case link && a.TokenURI:
		why = p.say("pay.qr.token.why")
	case link:
		why = p.say("pay.qr.link.why")
	}
	return el("div").Class("qr-kind").Attr("data-part", "qr-kind").Attr("role", "group").
		Attr("aria-label", p.say("pay.qr.kind")).Body(spaced(
		qrLink(p, false, !link, p.say("pay.qr.address")),
		qrLink(p, true, link, p.say("pay.qr.link")),
		el("p").Class("qr-why").Text(why),
	)...)
}

func qrLink(p Page, link, current bool, text string) node.Node {
	return el("a").Class("qr-choice").Attr("href", p.holding(link).Link("")).
		Bool("aria-current", current).Text(text).
		On("click", func(ctx app.Context, e app.Event) {
			if stays(e) {
				ctx.NewActionWithValue(actionQR, link)
			}
		}, strconv.FormatBool(link))
}

// holding returns the page with a QR code of the payment link, or of the address.
func (p Page) holding(link bool) Page {
	kind := ""
	if link {
		kind = qrKind
	}
	p = p.carrying("qr", kind)
	p.LinkQR = link
	return p
}
