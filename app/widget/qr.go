package widget

import (
	"strconv"

	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// qrKind is the value of the field "qr" for a QR code of the payment link.
const qrKind = "uri"

// QRBox is the QR code. By default it holds the plain address, which every wallet and exchange
// reads; many misread the other parts of a payment link.
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

// qrSwitch is two links that choose what the QR code holds.
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
	p = p.WithField("qr", TextIf(link, qrKind))
	p.LinkQR = link
	return p
}

// AmountDue returns the amount to send now, with its coin; rest is set after a partial payment.
func AmountDue(a wire.Attempt) (sum string, rest bool) {
	if a.MissingAmount != "" && a.PaidAmount != "" {
		return Amount(a.MissingAmount, a.CurrencySymbol), true
	}
	return Amount(a.PayableAmount, a.CurrencySymbol), false
}
