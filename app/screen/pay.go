package screen

import (
	"time"

	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// pay is the screen with the address. It reads as a sentence: send exactly this, on this network,
// to this address.
type pay struct {
	app.Compo

	Page    widget.Page
	At      time.Time // arrival of the view
	Offline bool
	Busy    bool
	Looking bool          // the shopper's recheck is under way
	Note    string        // its result, for a while
	Wallet  walletRequest // the latest, if it is about this page
}

// Draw draws everything in the order in which a shopper needs it.
func (py *pay) Draw() *node.Element {
	p := py.Page
	a := py.Page.View.LatestAttempt()
	return node.El("div").Class("pay").Body(
		&widget.Timing{Page: p, At: py.At, Shows: widget.TimeLeft},
		widget.Progress(p, a),
		py.slip(a),
		walletNote(p),
		py.bar(a),
		wallets(p, a, py.Wallet),
		walletLinks(p, a),
		py.actions(),
		py.folded(a),
		node.El("div").Class("links").Body(
			node.If(p.View.Can(wire.Change), func() node.Node {
				return widget.ChangeLink(p, "change", "link", p.T("pay.change"))
			}),
			actionForm(p, wire.Cancel, "link", "pay.cancel", py.Busy),
		),
	)
}

// slip is the box with all that a wallet needs. Without an address, the attempt can only be paid on
// the gateway's own page.
func (py *pay) slip(a wire.Attempt) node.Node {
	p := py.Page
	sum, _ := p.AmountDue(a)
	network := widget.NetworkTitle(a.NetworkName, a.NetworkCode)
	parts := []node.Node{py.amount(a), node.El("div").Class("net").Body(
		node.El("p").Class("label").Text(p.T("pay.on")),
		node.El("p").Class("net-name").Body(widget.Icon(a.NetworkMark, "net-mark", "24", false),
			node.El("bdi").Attr("translate", "no").Attr("data-part", "network-name").
				Attr("data-value", a.NetworkName).Text(network)),
		node.El("p").Class("net-lost").Text(p.T("pay.lost", "coin", coinName(a))),
	)}
	to := "pay.to"
	if a.PaidAmount != "" {
		to = "part.text"
	}
	if a.Address != "" {
		if !p.LeadsToWallets() {
			parts = append(parts, widget.QRBox(p, a))
		}
		parts = append(parts, &widget.Copyable{
			Part: "address", Copy: "copy-address", Label: p.T(to), Value: a.Address,
			Groups: true, Text: widget.CopyText{
				Button: p.T("copy.button"), Name: p.T("copy.address"), Copied: p.T("copy.done"),
				Said:   p.T("copy.address.done", "network", a.NetworkName),
				Failed: p.T("copy.failed"),
			}})
	}
	return node.El("div").Class("slip").Attr("role", "group").
		Attr("aria-label", p.T("pay.title", "amount", sum, "network", a.NetworkName)).
		Body(widget.WithSpaces(parts...)...)
}

// coinName is the coin's symbol, or its name if the network has the same.
func coinName(a wire.Attempt) string {
	if a.Shown() == a.NetworkName {
		return a.CurrencyName
	}
	return a.Shown()
}

// amount is the amount to send now: all, or the rest after a partial payment.
func (py *pay) amount(a wire.Attempt) node.Node {
	p := py.Page
	c := &widget.Copyable{Part: "pay-amount", Copy: "copy-amount", Label: p.T("pay.send"),
		Value: a.PayableAmount, Unit: a.Shown(), Icon: p.CoinIcon(a.CurrencySymbol),
		Text: widget.CopyText{Button: p.T("copy.button"), Name: p.T("copy.amount"),
			Copied: p.T("copy.done"), Said: p.T("copy.amount.done"), Failed: p.T("copy.failed")}}
	if _, rest := p.AmountDue(a); rest {
		c.Part = "missing"
		c.Value = a.MissingAmount
		c.Label = p.T("pay.send.rest")
	}
	c.Shown = p.Number(c.Value)
	return c
}

// bar is the one filled button: the payment link, or the gateway's own page
// if there is no address.
func (py *pay) bar(a wire.Attempt) node.Node {
	p := py.Page
	hasLink := a.URI != "" && !p.LeadsToWallets()
	return node.If(hasLink || a.Address == "" && a.PaymentURL != "", func() node.Node {
		link := hosted(p, a, "button primary")
		if hasLink {
			link = node.El("a").Class("button primary").Attr("data-part", "open-wallet").
				Attr("href", a.URI).Text(p.T("pay.wallet"))
		}
		return node.El("div").Class("bar").Body(link)
	})
}

// hosted is the link to the gateway's own page.
func hosted(p widget.Page, a wire.Attempt, class string) *node.Element {
	return node.El("a").Class(class).Attr("data-part", "hosted").Attr("href", a.PaymentURL).
		Attr("target", "_blank").Attr("rel", "noopener noreferrer").Text(p.T("pay.hosted"))
}

// actions look for the payment at once, and say when that was done last.
func (py *pay) actions() node.Node {
	label := "pay.recheck"
	if py.Looking {
		label = "pay.recheck.busy"
	}
	return node.El("div").Class("actions").Body(actionForm(py.Page, wire.Recheck, "", label, py.Busy),
		&widget.Timing{Page: py.Page, At: py.At, Offline: py.Offline, Note: py.Note})
}

// folded are the answers to what a shopper may ask.
func (py *pay) folded(a wire.Attempt) node.Node {
	p := py.Page
	sum, _ := p.AmountDue(a)
	return node.El("div").Class("rows").Body(
		node.If(p.View.Can(wire.Extend) && p.View.Attempt != nil, func() node.Node {
			return &widget.Timing{Page: p, At: py.At, Shows: widget.MoreTime}
		}),
		widget.Details("from-exchange", false).Body(
			node.El("summary").Text(p.T("pay.exchange")),
			node.El("ol").Body(
				node.If(a.Formerly != "", func() node.Node {
					return node.El("li").Text(
						a.Shown() + " · " + p.T("choose.formerly", "name", a.Formerly))
				}),
				node.El("li").Text(p.T("pay.exchange.network", "coin", a.Shown(),
					"network", widget.NetworkTitle(a.NetworkName, a.NetworkCode))),
				node.El("li").Text(p.T("pay.exchange.fee", "amount", sum)),
				node.If(a.TolerancePercent != "" && a.TolerancePercent != "0", func() node.Node {
					return node.El("li").Text(p.T("pay.tolerance", "percent", p.Decimal(a.TolerancePercent)))
				}),
			),
		),
		node.If(a.Address != "", func() node.Node { return &widget.AddressChecker{Page: p} }),
		node.If(p.LeadsToWallets(), func() node.Node { return scan(p, a) }),
		widget.Device(p),
		widget.Details("trouble", false).Body(
			node.El("summary").Text(p.T("pay.trouble")),
			node.If(a.Address != "" && a.PaymentURL != "", func() node.Node {
				return node.El("div").Body(hosted(p, a, "link"),
					node.El("p").Text(p.T("pay.hosted.why")))
			}),
			node.El("p").Text(p.T("pay.closing")),
		),
	)
}

// scan is the QR code of a phone's page, for a wallet on another device.
func scan(p widget.Page, a wire.Attempt) node.Node {
	return widget.Details("scan", p.Opened == "scan").Body(
		node.El("summary").Text(p.T("pay.apps.scan")),
		widget.NoScriptLink(p, "scan", p.T("pay.apps.scan")),
		widget.QRBox(p.WithField("open", "scan"), a),
	)
}
