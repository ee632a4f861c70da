package widget

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"coinslot/app/wire"
)

// coinOption is one coin of the chooser with its networks.
type coinOption struct {
	c        *chooser
	page     Page
	currency wire.Currency
	picked   choice
}

func (o coinOption) draw() app.UI {
	symbol := o.currency.Symbol
	return el("div").Class("coin").Attr("hidden", !matches(o.currency, o.c.filter())).Body(
		el("label").Class("coin-head").Body(
			void("input").Attr("type", "radio").Attr("name", "currency_symbol").Attr("value", symbol).DataSet("part", "currency").
				Attr("checked", o.picked.Symbol == symbol).
				OnChange(func(app.Context, app.Event) { o.c.pick(symbol) }, app.EventScope(symbol)),
			icon(o.currency),
			el("span").Class("coin-name").Body(
				el("strong").Text(o.currency.Name),
				el("span").Class("coin-symbol").Text(symbol),
			),
			o.hint(),
		),
		el("fieldset").Class("networks").Body(append([]app.UI{
			el("legend").Text(o.page.say("choose.network", "coin", symbol)),
		}, o.networks()...)...),
	)
}

// icon is the coin's mark. It says nothing that the name beside it does not.
func icon(c wire.Currency) app.UI {
	return app.If(c.Icon != "", func() app.UI {
		return void("img").Class("coin-icon").Attr("src", c.Icon).Attr("role", "presentation").
			Aria("hidden", "true").Attr("width", 28).Attr("height", 28)
	})
}

// hint tells about the coin before it is opened: what it would cost, or that it
// cannot be chosen.
func (o coinOption) hint() app.UI {
	for _, n := range o.currency.Networks {
		if n.Available {
			return app.If(n.Estimate != "", func() app.UI {
				return el("span").Class("coin-hint").Text(o.page.say("choose.about", "amount", amount(n.Estimate, o.currency.Symbol)))
			})
		}
	}
	return el("span").Class("coin-hint").Text(o.page.say("choose.unavailable"))
}

func (o coinOption) networks() []app.UI {
	list := make([]app.UI, 0, len(o.currency.Networks))
	for _, n := range o.currency.Networks {
		list = append(list, o.network(n))
	}
	return list
}

// network is one radio. One that cannot be chosen stays, with its reason.
func (o coinOption) network(n wire.Network) app.UI {
	symbol, value := o.currency.Symbol, key(o.currency.Symbol, n.Code)
	return el("label").Class("network").Body(
		void("input").Attr("type", "radio").Attr("name", "network_code").Attr("value", value).DataSet("part", "network").
			Attr("checked", o.picked.Network == value && n.Available).Attr("disabled", !n.Available).
			OnChange(func(app.Context, app.Event) {
				o.c.touched, o.c.picked = true, choice{Symbol: symbol, Network: value}
			}, app.EventScope(value)),
		el("span").Class("network-name").Body(
			el("strong").Text(n.Name),
			code(n),
		),
		el("span").Class("network-note").Text(o.note(n)),
	)
}

// code is the network's short name, which exchanges use, unless its name says
// it already.
func code(n wire.Network) app.UI {
	short := strings.ToUpper(n.Code)
	return app.If(!strings.Contains(strings.ToUpper(n.Name), short), func() app.UI {
		return el("span").Class("network-code").Attr("translate", "no").Text(short)
	})
}

func (o coinOption) note(n wire.Network) string {
	switch {
	case !n.Available:
		return n.Reason
	case n.Fee != "" && n.Fee != "0":
		return o.page.say("choose.fee", "fee", n.Fee)
	}
	return o.page.say("choose.nofee")
}

// matches reports whether a coin or one of its networks contains filter, which
// is in lower case; an empty filter matches all.
func matches(c wire.Currency, filter string) bool {
	words := c.Symbol + " " + c.Name
	for _, n := range c.Networks {
		words += " " + n.Name + " " + n.Code
	}
	return strings.Contains(strings.ToLower(words), filter)
}
