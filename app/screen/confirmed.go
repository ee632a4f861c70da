package screen

import (
	"strconv"
	"strings"
	"time"

	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// confirmed is the end that everybody wants. On its own page it is the receipt, receipt.go.
type confirmed struct {
	app.Compo

	Page widget.Page
}

// Draw draws what was paid, what is unusual about it, and the way on.
func (s *confirmed) Draw() *node.Element {
	p, a := s.Page, s.attempt()
	if p.Receipt {
		return receipt(p, a)
	}
	return node.El("div").Class("outcome").Body(
		mark("done"),
		widget.Heading(p.Say("done.title")),
		node.El("p").Text(p.Say("done.text")),
		unusual(p, a),
		s.facts(a),
		widget.Next(p, "done.next", s.surplus(a)),
		node.El("div").Class("buttons").Body(
			backToShop(p, p.View.SuccessURL, "primary"),
			node.El("a").Class("button").Attr("data-part", "receipt").
				Attr("href", p.Link("/receipt")).
				Attr("target", "_blank").Attr("rel", "noopener").Text(p.Say("done.receipt")),
			closing(p),
		),
		node.If(a.Late || a.OverpaidAmount != "", func() node.Node { return widget.Ask(p) }),
	)
}

// unusual says what is not as it should have been: late, or too much.
func unusual(p widget.Page, a wire.Attempt) node.Node {
	return node.If(a.Late || a.OverpaidAmount != "", func() node.Node {
		return node.El("div").Class("unusual").Body(
			node.If(a.Late, func() node.Node {
				return node.El("p").Class("note").Attr("data-part", "late").Text(p.Say("late.text"))
			}),
			widget.Surplus(p, a),
		)
	})
}

// surplus is the key of what happens to money that was too much; "" for none.
func (s *confirmed) surplus(a wire.Attempt) string {
	if a.OverpaidAmount == "" {
		return ""
	}
	return "over.next"
}

// facts are the sums and names of the payment.
func (s *confirmed) facts(a wire.Attempt) node.Node {
	p := s.Page
	return node.El("dl").Class("sums").Body(
		paidLine(p, a),
		widget.Fact(p, "done.order", "order", p.View.Order.Ref),
		widget.Fact(p, "done.network", "network-name", a.NetworkName),
		widget.Fact(p, "done.time", "time", moment(a.PaidAt)),
		widget.Transaction(p, a),
	)
}

// attempt is never nil: an order can be settled by hand.
func (s *confirmed) attempt() wire.Attempt {
	if s.Page.View.Attempt == nil {
		return wire.Attempt{}
	}
	return *s.Page.View.Attempt
}

// paidLine is what arrived; the gateway need not say it when it is as asked.
func paidLine(p widget.Page, a wire.Attempt) node.Node {
	paid := a.PaidAmount
	if paid == "" {
		paid = a.PayableAmount
	}
	return node.If(paid != "", func() node.Node {
		return widget.SumLine(p, "done.paid", "paid", paid, a.CurrencySymbol)
	})
}

// moment writes a time of RFC 3339 for people, in UTC and without the order of
// day and month that depends on the country; "" if it is none.
func moment(at string) string {
	if len(at) < len("2006-01-02T15:04:05Z") {
		return ""
	}
	written, zone := at[:19], at[19:]
	// what is no number differs below
	n := func(from, to int) int { v, _ := strconv.Atoi(written[from:to]); return v }
	t := time.Date(n(0, 4), time.Month(n(5, 7)), n(8, 10), n(11, 13), n(14, 16), n(17, 19), 0,
		time.UTC)
	ahead, ok := offset(zone)
	if !ok || t.Format("2006-01-02T15:04:05") != written {
		return ""
	}
	return t.Add(-ahead).Format("2006-01-02 15:04") + " UTC"
}

// offset reads the end of a time of RFC 3339, after its seconds.
func offset(zone string) (time.Duration, bool) {
	if fraction, ok := strings.CutPrefix(zone, "."); ok {
		zone = strings.TrimLeft(fraction, "0123456789")
	}
	if zone == "Z" {
		return 0, true
	}
	if len(zone) != len("+02:00") || zone[3] != ':' {
		return 0, false
	}
	hours, err1 := strconv.Atoi(zone[:3])
	minutes, err2 := strconv.Atoi(zone[:1] + zone[4:])
	return time.Duration(hours*60+minutes) * time.Minute, err1 == nil && err2 == nil
}

// closing is a button for a modal checkout; frame.js tells the host page.
func closing(p widget.Page) node.Node {
	return node.If(p.Embed == "modal" && p.Origin != "", func() node.Node {
		return node.El("button").Attr("type", "button").Class("button quiet needs-script").
			Attr("data-part", "close").Text(p.Say("close"))
	})
}
