package widget

import (
	"strconv"

	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// qrKind is the value of the query that makes the QR code hold the payment link.
const qrKind = "uri"

// QRBox is the QR code, of the plain address unless the shopper wants the
// payment link: every wallet and exchange reads an address, and many misread or
// ignore what is around it in a link.
func QRBox(p Page, a wire.Attempt) node.Node {
	link := p.LinkQR && a.URI != ""
	kind, alt := "address", p.T("pay.qr", "coin", a.CurrencySymbol, "network", a.NetworkName)
	if link {
		sum, _ := AmountDue(a)
		kind, alt = "uri", p.T("pay.qr.uri", "amount", sum, "network", a.NetworkName)
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
	why := p.T("pay.qr.address.why")
	switch {
	case link && a.TokenURI:
		why = p.T("pay.qr.token.why")
	case link:
		why = p.T("pay.qr.link.why")
	}
	return el("div").Class("qr-kind").Attr("data-part", "qr-kind").Attr("role", "group").
		Attr("aria-label", p.T("pay.qr.kind")).Body(WithSpaces(
		qrLink(p, false, !link, p.T("pay.qr.address")),
		qrLink(p, true, link, p.T("pay.qr.link")),
		el("p").Class("qr-why").Text(why),
	)...)
}

func qrLink(p Page, link, current bool, text string) node.Node {
	return el("a").Class("qr-choice").Attr("href", p.WithLinkQR(link).Link("")).
		Bool("aria-current", current).Text(text).
		On("click", func(ctx app.Context, e app.Event) {
			if StayOnPage(e) {
				ctx.NewActionWithValue(ActionQR, link)
			}
		}, strconv.FormatBool(link))
}

// WithLinkQR returns the page with a QR code of the payment link, or of the address.
func (p Page) WithLinkQR(link bool) Page {
	kind := ""
	if link {
		kind = qrKind
	}
	p = p.WithField("qr", kind)
	p.LinkQR = link
	return p
}

// AmountDue is what has to be sent now, with its coin: the rest, if a part has come.
func AmountDue(a wire.Attempt) (sum string, rest bool) {
	if a.MissingAmount != "" && a.PaidAmount != "" {
		return Amount(a.MissingAmount, a.CurrencySymbol), true
	}
	return Amount(a.PayableAmount, a.CurrencySymbol), false
}
