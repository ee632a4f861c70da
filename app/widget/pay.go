package widget

import (
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"coinslot/app/widget/node"
	"coinslot/app/wire"
)

// pay is the screen with the address: what to send, where, on which network.
type pay struct {
	app.Compo

	Page    Page
	At      time.Time // when the view came
	Offline bool
	Busy    bool
	Wallet  walletRequest // what the browser's wallet was asked last, if it is about this
}

// Draw draws it in the order in which a shopper needs it.
func (s *pay) Draw() *node.Element {
	p, a := s.Page, s.attempt()
	if arrived(p.View) {
		return s.arrived()
	}
	return el("div").Class("pay").Body(
		heading(s.title(a)),
		received(p, a),
		network(p, a),
		s.exchange(a),
		node.If(a.Address != "", func() node.Node { return s.transfer(a) }),
		node.If(a.Address != "", func() node.Node { return &checker{Page: p} }),
		wallets(p, a, s.Wallet),
		s.links(a),
		el("div").Class("watch").Body(
			el("p").Class("waiting").Text(p.say("pay.waiting")),
			&timing{Page: p, At: s.At, Left: true, Offline: s.Offline},
			node.If(p.Waits(), func() node.Node {
				return el("noscript").Body(el("p").Class("refresh").Text(p.say("pay.refresh")))
			}),
		),
		device(p),
		s.help(a),
		s.actions(),
	)
}

// arrived reports whether all the money of a pending payment is here and only
// the gateway's word is awaited: nothing more is to be sent.
func arrived(v wire.View) bool {
	return v.Status == wire.Pending && v.Attempt != nil && v.Attempt.PaidAmount != "" &&
		v.Attempt.MissingAmount == ""
}

// arrived shows what has come, and no address.
func (s *pay) arrived() *node.Element {
	p := s.Page
	return el("div").Class("outcome").Body(
		mark("wait"),
		heading(p.say("review.title")),
		facts(p),
		el("p").Text(p.say("review.wait")),
		&timing{Page: p, At: s.At, Offline: s.Offline},
		s.actions(),
	)
}

// attempt is never nil, so that a page that lacks one still has words.
func (s *pay) attempt() wire.Attempt {
	if s.Page.View.Attempt == nil {
		return wire.Attempt{}
	}
	return *s.Page.View.Attempt
}

// due is what has to be sent now, with its coin: the rest, if a part has come.
func due(a wire.Attempt) (sum string, rest bool) {
	if a.MissingAmount != "" && a.PaidAmount != "" {
		return amount(a.MissingAmount, a.CurrencySymbol), true
	}
	return amount(a.PayableAmount, a.CurrencySymbol), false
}

func (s *pay) title(a wire.Attempt) string {
	sum, rest := due(a)
	if rest {
		return s.Page.say("pay.title.rest", "amount", sum)
	}
	return s.Page.say("pay.title", "amount", sum)
}

// network names the network in words, mark and colour, with the one warning that
// matters most.
func network(p Page, a wire.Attempt) node.Node {
	return el("div").Class("network-only").Attr("data-network", markID(a.NetworkMark)).Body(spaced(
		node.If(a.NetworkMark != "", func() node.Node {
			return void("img").Class("network-mark").Attr("src", a.NetworkMark).
				Attr("role", "presentation").Attr("aria-hidden", "true").Attr("width", "28").
				Attr("height", "28")
		}),
		el("strong").Attr("data-part", "network-name").Attr("data-value", a.NetworkName).
			Text(p.say("pay.network", "network", a.NetworkName)),
		el("span").
			Text(p.say("pay.network.only", "coin", a.CurrencySymbol, "network", a.NetworkName)),
	)...)
}

// markID is what a network's mark is called: "tron" of "/icons/net-tron.svg".
// The style sheet knows the networks' colours by it.
func markID(mark string) string {
	name, _, _ := strings.Cut(mark[strings.LastIndexByte(mark, '/')+1:], ".")
	return strings.TrimPrefix(strings.TrimPrefix(name, "icon-"), "net-")
}

// exchange tells somebody who pays from an exchange what to enter there.
func (s *pay) exchange(a wire.Attempt) node.Node {
	return node.If(s.Page.Exchange, func() node.Node {
		sum, _ := due(a)
		return el("p").Class("note exchange-note").
			Text(s.Page.say("pay.exchange", "amount", sum, "network", a.NetworkName))
	})
}

// transfer is what has to be put into a wallet.
func (s *pay) transfer(a wire.Attempt) node.Node {
	p := s.Page
	return el("div").Class("transfer").Attr("data-network", markID(a.NetworkMark)).Body(
		el("div").Class("transfer-text").Body(
			s.amount(a),
			&copyable{Part: "address", Copy: "copy-address", Groups: true, Value: a.Address,
				Label: p.say("pay.address", "coin", a.CurrencySymbol, "network", a.NetworkName),
				Text: copyText{
					Button: p.say("copy.address"),
					Copied: p.say("copy.address.done", "network", a.NetworkName),
					Failed: p.say("copy.failed"),
				}},
			el("p").Class("address-note").Body(spaced(
				el("span").Class("address-only").Text(p.say("pay.only", "network", a.NetworkName)),
				node.If(checksummed(a.Family, a.Address), func() node.Node {
					return el("span").Class("verified").Text(p.say("pay.address.verified"))
				}),
			)...),
		),
		qrBox(p, a),
	)
}

// amount is the sum to be sent now: the whole one, or the rest, in which case
// the whole one stands in the summary.
func (s *pay) amount(a wire.Attempt) node.Node {
	p := s.Page
	c := &copyable{Part: "pay-amount", Copy: "copy-amount", Value: a.PayableAmount,
		Unit: a.CurrencySymbol, Label: p.say("pay.amount"),
		Text: copyText{Button: p.say("copy.amount"), Copied: p.say("copy.amount.done"),
			Failed: p.say("copy.failed")}}
	if _, rest := due(a); rest {
		c.Part, c.Value, c.Label = "missing", a.MissingAmount, p.say("pay.amount.rest")
	}
	return c
}

// links are the other ways to pay.
func (s *pay) links(a wire.Attempt) node.Node {
	p := s.Page
	class := "button"
	if a.Address == "" {
		class = "button primary"
	}
	return el("div").Class("links").Body(
		node.If(a.URI != "" && !p.Exchange, func() node.Node {
			return el("a").Class("button").Attr("data-part", "open-wallet").Attr("href", a.URI).
				Text(p.say("pay.wallet"))
		}),
		node.If(a.PaymentURL != "", func() node.Node {
			return el("a").Class(class).Attr("data-part", "hosted").Attr("href", a.PaymentURL).
				Attr("target", "_blank").Attr("rel", "noopener noreferrer").
				Text(p.say("pay.hosted"))
		}),
	)
}

// help answers what goes wrong most often, before it does.
func (s *pay) help(a wire.Attempt) node.Node {
	p := s.Page
	sum, _ := due(a)
	return opened("help", p.Exchange).Body(
		el("summary").Text(p.say("pay.help")),
		el("ul").Body(
			el("li").Text(p.say("pay.help.exchange", "amount", sum)),
			node.If(a.TolerancePercent != "" && a.TolerancePercent != "0", func() node.Node {
				return el("li").Text(p.say("pay.help.tolerance", "percent", a.TolerancePercent))
			}),
			el("li").Text(p.say("pay.help.network", "network", a.NetworkName)),
			el("li").Text(p.say("pay.closing")),
		),
	)
}

func (s *pay) actions() node.Node {
	p := s.Page
	return el("div").Class("buttons").Body(
		node.If(p.View.Can(wire.Recheck), func() node.Node {
			return press(p, "/recheck", "recheck", "wide", p.say("pay.recheck"), s.Busy)
		}),
		node.If(p.View.Can(wire.Change), func() node.Node {
			return changeLink(p, "change", "button quiet", p.say("pay.change"))
		}),
		node.If(p.View.Can(wire.Cancel), func() node.Node {
			return press(p, "/cancel", "cancel", "quiet", p.say("pay.cancel"), s.Busy)
		}),
	)
}
