package widget

import (
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
	kind := "address"
	alt := p.T("pay.qr", "coin", a.CurrencySymbol, "network", a.NetworkName)
	if link {
		sum, _ := p.AmountDue(a)
		kind = "uri"
		alt = p.T("pay.qr.uri", "amount", sum, "network", a.NetworkName)
	}
	return el("div").Class("code").Body(
		el("div").Class("qr-box").Body(
			void("img").Class("qr").Attr("data-part", "qr").Attr("src", p.QR(kind)).
				Attr("width", "216").Attr("height", "216").Attr("alt", alt).
				Attr("loading", TextIf(p.LeadsToWallets(), "lazy")), // folded
			Icon(p.CoinIcon(a.CurrencySymbol), "qr-mark", "30", false),
		),
		node.If(link && a.TokenURI, func() node.Node {
			return el("p").Class("small center").Text(p.T("pay.qr.token.why"))
		}),
		node.If(a.URI != "", func() node.Node { return qrSwitch(p, !link) }),
	)
}

// qrSwitch is a link that changes what the QR code holds.
func qrSwitch(p Page, link bool) node.Node {
	text := "pay.qr.address"
	if link {
		text = "pay.qr.link"
	}
	return el("a").Class("link").Attr("data-part", "qr-kind").
		Attr("href", p.WithLinkQR(link).Link("")).Text(p.T(text)).
		On("click", func(ctx app.Context, e app.Event) {
			if StayOnPage(e) {
				ctx.NewActionWithValue(ActionQR, link)
			}
		}, text)
}

// WithLinkQR returns the page with a QR code of the payment link, or of the address.
func (p Page) WithLinkQR(link bool) Page {
	p = p.WithField("qr", TextIf(link, qrKind))
	p.LinkQR = link
	return p
}

// AmountDue returns the amount to send now, with its coin; rest is set after a partial payment.
func (p *Page) AmountDue(a wire.Attempt) (sum string, rest bool) {
	if a.MissingAmount != "" && a.PaidAmount != "" {
		return p.Amount(a.MissingAmount, a.CurrencySymbol), true
	}
	return p.Amount(a.PayableAmount, a.CurrencySymbol), false
}
