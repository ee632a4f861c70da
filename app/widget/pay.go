package widget

import (
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"coinslot/app/wire"
)

// pay is the screen with the address: what to send, where, on which network.
type pay struct {
	app.Compo

	Page    Page
	At      time.Time // when the view came
	Offline bool
	Busy    bool
}

// Render draws it in the order in which a shopper needs it.
func (s *pay) Render() app.UI {
	p, a := s.Page, s.attempt()
	return el("div").Class("pay").Body(
		heading(s.title(a)),
		received(p, a),
		el("p").Class("network-only").Body(
			el("strong").Text(p.say("pay.network", "network", a.NetworkName)),
			el("span").Text(p.say("pay.network.only", "coin", a.CurrencySymbol, "network", a.NetworkName)),
		),
		app.If(a.Address != "", func() app.UI { return s.transfer(a) }),
		s.links(a),
		el("div").Class("watch").Body(
			el("p").Class("waiting").Text(p.say("pay.waiting")),
			&timing{Page: p, At: s.At, Left: true, Offline: s.Offline},
		),
		s.help(a),
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

// transfer is what has to be put into a wallet.
func (s *pay) transfer(a wire.Attempt) app.UI {
	p := s.Page
	return el("div").Class("transfer").Body(
		el("div").Class("qr-box").Body(
			void("img").Class("qr").DataSet("part", "qr").Attr("src", p.QR("address")).Attr("width", 196).Attr("height", 196).
				Attr("alt", p.say("pay.qr", "coin", a.CurrencySymbol, "network", a.NetworkName)),
		),
		el("div").Class("transfer-text").Body(
			s.amount(a),
			&copyable{Part: "address", Copy: "copy-address", Groups: true, Value: a.Address,
				Label: p.say("pay.address", "coin", a.CurrencySymbol, "network", a.NetworkName),
				Text: copyText{
					Button: p.say("copy.address"),
					Copied: p.say("copy.address.done", "network", a.NetworkName),
					Failed: p.say("copy.failed"),
				}},
		),
	)
}

// amount is the sum to be sent now: the whole one, or the rest, in which case
// the whole one stands in the summary.
func (s *pay) amount(a wire.Attempt) app.UI {
	p := s.Page
	c := &copyable{Part: "pay-amount", Copy: "copy-amount", Value: a.PayableAmount,
		Unit: a.CurrencySymbol, Label: p.say("pay.amount"),
		Text: copyText{Button: p.say("copy.amount"), Copied: p.say("copy.amount.done"), Failed: p.say("copy.failed")}}
	if _, rest := due(a); rest {
		c.Part, c.Value, c.Label = "missing", a.MissingAmount, p.say("pay.amount.rest")
	}
	return c
}

// links are the other ways to pay.
func (s *pay) links(a wire.Attempt) app.UI {
	p := s.Page
	class := "button"
	if a.Address == "" {
		class = "button primary"
	}
	return el("div").Class("links").Body(
		app.If(a.URI != "", func() app.UI {
			return el("a").Class("button").DataSet("part", "open-wallet").Attr("href", a.URI).Text(p.say("pay.wallet"))
		}),
		app.If(a.PaymentURL != "", func() app.UI {
			return el("a").Class(class).DataSet("part", "hosted").Attr("href", a.PaymentURL).
				Attr("target", "_blank").Attr("rel", "noopener noreferrer").Text(p.say("pay.hosted"))
		}),
	)
}

// help answers what goes wrong most often, before it does.
func (s *pay) help(a wire.Attempt) app.UI {
	p := s.Page
	sum, _ := due(a)
	return el("details").Class("help").Body(
		el("summary").Text(p.say("pay.help")),
		el("ul").Body(
			el("li").Text(p.say("pay.help.exchange", "amount", sum)),
			app.If(a.TolerancePercent != "" && a.TolerancePercent != "0", func() app.UI {
				return el("li").Text(p.say("pay.help.tolerance", "percent", a.TolerancePercent))
			}),
			el("li").Text(p.say("pay.help.network", "network", a.NetworkName)),
			el("li").Text(p.say("pay.closing")),
		),
	)
}

func (s *pay) actions() app.UI {
	p := s.Page
	return el("div").Class("buttons").Body(
		app.If(p.View.Can(wire.Recheck), func() app.UI {
			return press(p, "/recheck", "recheck", "wide", p.say("pay.recheck"), s.Busy)
		}),
		app.If(p.View.Can(wire.Change), func() app.UI {
			return changeLink(p, "change", "button quiet", p.say("pay.change"))
		}),
		app.If(p.View.Can(wire.Cancel), func() app.UI {
			return press(p, "/cancel", "cancel", "quiet", p.say("pay.cancel"), s.Busy)
		}),
	)
}
