package widget

import (
	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// QRBox is the QR code. The server decides what it holds at first: the payment link where most
// wallets read it, else the plain address, which all of them do.
func QRBox(p Page, a wire.Attempt) node.Node {
	kind := p.QRKind
	if kind == "" {
		kind = a.QR
	}
	link := kind == "uri" && a.URI != ""
	other := "uri"
	alt := p.T("pay.qr", "coin", a.Shown(), "network", a.NetworkName)
	if link {
		sum, _ := p.AmountDue(a)
		other = "address"
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
		node.If(a.URI != "", func() node.Node { return qrSwitch(p, other) }),
	)
}

// qrSwitch is a link that makes the QR code hold kind.
func qrSwitch(p Page, kind string) node.Node {
	text := "pay.qr.address"
	if kind == "uri" {
		text = "pay.qr.link"
	}
	return el("a").Class("link").Attr("data-part", "qr-kind").
		Attr("href", p.WithQR(kind).Link("")).Text(p.T(text)).
		On("click", func(ctx app.Context, e app.Event) {
			if StayOnPage(e) {
				ctx.NewActionWithValue(ActionQR, kind)
			}
		}, kind)
}

// WithQR returns the page with a QR code of the payment link ("uri") or of the "address".
func (p Page) WithQR(kind string) Page {
	p = p.WithField("qr", kind)
	p.QRKind = kind
	return p
}

// AmountDue returns the amount to send now, with its coin; rest is set after a partial payment.
func (p *Page) AmountDue(a wire.Attempt) (sum string, rest bool) {
	if a.MissingAmount != "" && a.PaidAmount != "" {
		return p.Amount(a.MissingAmount, a.Shown()), true
	}
	return p.Amount(a.PayableAmount, a.Shown()), false
}
