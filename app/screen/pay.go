package screen

import (
	"strings"
	"time"

	"coinslot/app/address"
	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// pay is the screen with the address: what to send, where to, and on which network.
type pay struct {
	app.Compo

	Page    widget.Page
	At      time.Time // arrival of the view
	Offline bool
	Busy    bool
	Wallet  walletRequest // the latest, if it is about this page
}

// Draw draws everything in the order in which a shopper needs it.
func (s *pay) Draw() *node.Element {
	p, a := s.Page, s.Page.View.LatestAttempt()
	return node.El("div").Class("pay").Body(
		widget.Heading(s.title(a)),
		widget.Received(p, a),
		network(p, a),
		node.If(a.Address != "", func() node.Node { return s.transfer(a) }),
		node.If(a.Address != "", func() node.Node { return &widget.AddressChecker{Page: p} }),
		wallets(p, a, s.Wallet),
		s.links(a),
		node.El("div").Class("watch").Body(
			node.El("p").Class("waiting").Text(p.T("pay.waiting")),
			&widget.Timing{Page: p, At: s.At, Left: true, Offline: s.Offline},
			node.If(p.AutoRefreshes(), func() node.Node {
				return node.El("noscript").
					Body(node.El("p").Class("refresh").Text(p.T("pay.refresh")))
			}),
		),
		widget.Device(p),
		s.help(a),
		s.actions(),
	)
}

func (s *pay) title(a wire.Attempt) string {
	sum, rest := widget.AmountDue(a)
	if rest {
		return s.Page.T("pay.title.rest", "amount", sum)
	}
	return s.Page.T("pay.title", "amount", sum)
}

// network shows the network by name, logo and color, with the most important warning.
func network(p widget.Page, a wire.Attempt) node.Node {
	return node.El("div").Class("network-only").Attr("data-network", markID(a.NetworkMark)).
		Body(widget.WithSpaces(
			node.If(a.NetworkMark != "", func() node.Node {
				return node.Void("img").Class("network-mark").Attr("src", a.NetworkMark).
					Attr("role", "presentation").Attr("aria-hidden", "true").Attr("width", "28").
					Attr("height", "28")
			}),
			node.El("strong").Attr("data-part", "network-name").Attr("data-value", a.NetworkName).
				Text(p.T("pay.network", "network", a.NetworkName)),
			node.El("span").
				Text(p.T("pay.network.only", "coin", a.CurrencySymbol, "network", a.NetworkName)),
		)...)
}

// markID is the name of a network's logo, "tron" of "/icons/net-tron.svg", by which the stylesheet
// has the networks' colors.
func markID(mark string) string {
	name, _, _ := strings.Cut(mark[strings.LastIndexByte(mark, '/')+1:], ".")
	return strings.TrimPrefix(strings.TrimPrefix(name, "icon-"), "net-")
}

// transfer shows amount, address and QR code.
func (s *pay) transfer(a wire.Attempt) node.Node {
	p := s.Page
	return node.El("div").Class("transfer").Attr("data-network", markID(a.NetworkMark)).Body(
		node.El("div").Class("transfer-text").Body(
			s.amount(a),
			&widget.Copyable{Part: "address", Copy: "copy-address", Groups: true, Value: a.Address,
				Label: p.T("pay.address", "coin", a.CurrencySymbol, "network", a.NetworkName),
				Text: widget.CopyText{
					Button: p.T("copy.address"),
					Copied: p.T("copy.address.done", "network", a.NetworkName),
					Failed: p.T("copy.failed"),
				}},
			node.El("p").Class("address-note").Body(widget.WithSpaces(
				node.El("span").Class("address-only").
					Text(p.T("pay.only", "network", a.NetworkName)),
				node.If(address.Checksummed(a.Family, a.Address), func() node.Node {
					return node.El("span").Class("verified").Text(p.T("pay.address.verified"))
				}),
			)...),
		),
		widget.QRBox(p, a),
	)
}

// amount is the amount to send now: all, or the rest after a partial payment.
func (s *pay) amount(a wire.Attempt) node.Node {
	p := s.Page
	c := &widget.Copyable{Part: "pay-amount", Copy: "copy-amount", Value: a.PayableAmount,
		Unit: a.CurrencySymbol, Label: p.T("pay.amount"),
		Text: widget.CopyText{Button: p.T("copy.amount"), Copied: p.T("copy.amount.done"),
			Failed: p.T("copy.failed")}}
	if _, rest := widget.AmountDue(a); rest {
		c.Part, c.Value, c.Label = "missing", a.MissingAmount, p.T("pay.amount.rest")
	}
	return c
}

// links are other ways to pay.
func (s *pay) links(a wire.Attempt) node.Node {
	p := s.Page
	return node.El("div").Class("links").Body(
		node.If(a.URI != "", func() node.Node {
			return node.El("a").Class("button").Attr("data-part", "open-wallet").
				Attr("href", a.URI).Text(p.T("pay.wallet"))
		}),
		node.If(a.PaymentURL != "", func() node.Node {
			return node.El("a").Class("button"+widget.TextIf(a.Address == "", " primary")).
				Attr("data-part", "hosted").Attr("href", a.PaymentURL).Attr("target", "_blank").
				Attr("rel", "noopener noreferrer").Text(p.T("pay.hosted"))
		}),
	)
}

// help prevents the most frequent mistakes.
func (s *pay) help(a wire.Attempt) node.Node {
	p := s.Page
	sum, _ := widget.AmountDue(a)
	return widget.Details("help", false).Body(
		node.El("summary").Text(p.T("pay.help")),
		node.El("ul").Body(
			node.El("li").Text(p.T("pay.help.exchange", "amount", sum)),
			node.If(a.TolerancePercent != "" && a.TolerancePercent != "0", func() node.Node {
				return node.El("li").Text(p.T("pay.help.tolerance", "percent", a.TolerancePercent))
			}),
			node.El("li").Text(p.T("pay.help.network", "network", a.NetworkName)),
			node.El("li").Text(p.T("pay.closing")),
		),
	)
}

func (s *pay) actions() node.Node {
	p := s.Page
	return node.El("div").Class("buttons").Body(
		actionForm(p, wire.Recheck, "wide", "pay.recheck", s.Busy),
		node.If(p.View.Can(wire.Change), func() node.Node {
			return widget.ChangeLink(p, "change", "button quiet", p.T("pay.change"))
		}),
		actionForm(p, wire.Cancel, "quiet", "pay.cancel", s.Busy),
	)
}
