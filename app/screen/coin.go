package screen

import (
	"slices"
	"strings"

	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// inSight is how many coins are shown at once; the others are folded away, unless it is only one.
const inSight = 5

// coinList asks for the coin, unless there is only one. The view has the most used ones first.
func (c *chooser) coinList() node.Node {
	currencies := c.Page.View.Currencies
	picked := c.selection()
	list := make([]node.Node, 0, inSight+2)
	if c.Page.SoleCoin() {
		list = append(list, node.El("legend").Class("offscreen").Text(c.title()))
	} else {
		list = append(list, node.El("legend").Class("offscreen").Text(c.Page.T("choose.coin")))
	}
	first := currencies
	if len(currencies) > inSight+1 {
		first = currencies[:inSight]
	}
	for _, currency := range first {
		list = append(list, coinOption{c, currency, picked, false}.draw())
	}
	if rest := currencies[len(first):]; len(rest) > 0 {
		list = append(list, c.moreCoins(rest, picked))
	}
	class := "coins"
	if _, text := c.trouble(); text != "" {
		class = "coins wrong"
	}
	return node.El("fieldset").Class(class).Body(list...)
}

// moreCoins are the folded coins. They are open if one of them is selected or was searched for.
func (c *chooser) moreCoins(rest []wire.Currency, picked widget.Choice) node.Node {
	open := c.Search != ""
	marks := make([]node.Node, 0, 4)
	list := make([]node.Node, 0, len(rest))
	for i, currency := range rest {
		open = open || !c.pickedHere && currency.Symbol == picked.Symbol
		if i < cap(marks) {
			marks = append(marks, widget.Icon(currency.Icon, "", "22", app.IsServer))
		}
		list = append(list, coinOption{c, currency, picked, true}.draw())
	}
	return widget.Details("more", open).Body(append([]node.Node{
		node.El("summary").Body(node.El("span").Text(c.Page.T("choose.more")),
			node.El("span").Class("stack").Body(marks...)),
		c.searchField(),
		c.searchStatus(),
	}, list...)...)
}

// coinOption is one coin of the chooser with its networks.
type coinOption struct {
	c        *chooser // handlers capture only this, so that the option stays off the heap
	currency wire.Currency
	picked   widget.Choice
	folded   bool // a search hides it if it does not match
}

func (o coinOption) draw() node.Node {
	hidden := o.folded && o.picked.Symbol != o.currency.Symbol && !o.c.matches(o.currency)
	return node.El("div").Class("coin").Bool("hidden", hidden).Body(o.head(),
		node.If(widget.CountAvailable(o.currency) > 0, o.networkList))
}

// head is the coin's radio. That of the only coin is hidden, and sent all the same.
func (o coinOption) head() node.Node {
	c := o.c
	symbol := o.currency.Symbol
	isUnavailable := widget.CountAvailable(o.currency) == 0
	radio := node.Void("input").Attr("type", "radio").Attr("name", "currency_symbol").
		Attr("value", symbol).Attr("data-part", "currency").
		Bool("checked", o.picked.Symbol == symbol && !isUnavailable).
		Bool("disabled", isUnavailable).
		On("change", func(app.Context, app.Event) { c.pick(symbol, "") }, symbol)
	return node.El("label").Class("coin-head").Body(widget.WithSpaces(
		hideSole(radio, c.Page.SoleCoin()),
		widget.Icon(o.currency.Icon, "coin-icon", "36", app.IsServer),
		node.El("span").Class("coin-name").Body(
			node.El("strong").Attr("translate", "no").Text(o.currency.Name),
			node.Text(" "),
			node.El("small").Body(
				node.El("span").Attr("translate", "no").Text(o.currency.Shown()),
				node.If(o.currency.Formerly != "", func() node.Node {
					return node.Text(
						" · " + c.Page.T("choose.formerly", "name", o.currency.Formerly))
				}),
				node.If(isUnavailable, func() node.Node {
					return node.Text(" · " + o.unavailableReason())
				}),
			),
		),
		o.sum(),
	)...)
}

// hideSole hides a radio without an alternative, also from the keyboard. The form still sends it.
func hideSole(radio *node.Element, alone bool) node.Node {
	if alone {
		return radio.Class("offscreen").Attr("tabindex", "-1")
	}
	return radio
}

// sum is about what the order costs in the coin.
func (o coinOption) sum() node.Node {
	_, n, ok := o.c.Page.Coin(o.c.network(o.currency.Symbol))
	return node.If(ok && n.Estimate != "", func() node.Node {
		sum := o.c.Page.T("choose.about", "amount", o.c.Page.Number(n.Estimate))
		return node.El("span").Class("coin-sum").
			Body(node.El("bdi").Attr("translate", "no").Text(sum))
	})
}

// unavailableReason tells why a coin cannot be chosen: the reason that all its networks have,
// else each of them with its own.
func (o coinOption) unavailableReason() string {
	var reasons, each []string
	for _, n := range o.currency.Networks {
		if n.Reason == "" {
			continue
		}
		if !slices.Contains(reasons, n.Reason) {
			reasons = append(reasons, n.Reason)
		}
		each = append(
			each, widget.Isolate(o.c.Page.Dir, n.Name)+": "+widget.Isolate(o.c.Page.Dir, n.Reason),
		)
	}
	switch len(reasons) {
	case 0:
		return o.c.Page.T("choose.unavailable")
	case 1:
		return reasons[0]
	}
	return strings.Join(each, "; ")
}

// networkList is the panel with the coin's networks, which CSS shows below the checked coin.
func (o coinOption) networkList() node.Node {
	p := o.c.Page
	checked := o.c.network(o.currency.Symbol)
	list := []node.Node{node.El("legend").Body(
		node.El("span").Text(p.T("choose.network")), node.Text(" "),
		node.El("span").Attr("aria-hidden", "true").Text(p.T("choose.fee.head")),
	)}
	for _, n := range o.currency.Networks {
		list = append(list, o.network(n, checked))
	}
	return node.El("fieldset").Class("networks").Class(widget.TextIf(p.SoleNetwork(), "sole")).
		Body(list...)
}

// network is one radio, also of an unavailable network, with its reason.
func (o coinOption) network(n wire.Network, checked string) node.Node {
	c := o.c
	symbol := o.currency.Symbol
	value := widget.NetworkKey(o.currency.Symbol, n.Code)
	radio := node.Void("input").Attr("type", "radio").Attr("name", widget.NetworkField(symbol)).
		Attr("value", value).Attr("data-part", "network").
		Bool("checked", value == checked).Bool("disabled", !n.Available).
		On("change", func(app.Context, app.Event) { c.pick(symbol, value) }, symbol, value)
	return node.El("label").Class("network").Body(widget.WithSpaces(
		hideSole(radio, c.Page.SoleNetwork()),
		widget.Icon(n.Mark, "network-mark", "26", app.IsServer),
		node.El("span").Class("network-name").Body(
			node.El("strong").Attr("translate", "no").Text(widget.NetworkName(n)), node.Text(" "),
			node.El("small").Body(o.about(n)...),
		),
		node.El("span").Class("network-fee").Body(o.fee(n)...),
	)...)
}

// about says below a network's name whether it costs least, what exchanges call it, and whether
// most of them can send to it, or why it cannot be chosen.
func (o coinOption) about(n wire.Network) (list []node.Node) {
	p := o.c.Page
	short := strings.ToUpper(n.Code)
	add := func(when bool, class, text string) {
		if when && len(list) > 0 {
			list = append(list, node.Text(" · "))
		}
		if when {
			list = append(list, node.El("span").Class(class).
				Attr("translate", widget.TextIf(text == short, "no")).Text(text))
		}
	}
	add(widget.IsCheapest(o.currency, n), "low", p.T("choose.lowest"))
	add(!strings.Contains(strings.ToUpper(widget.NetworkName(n)), short), "", short)
	add(n.Available && n.Exchanges, "", p.T("choose.exchange.most"))
	add(!n.Available && n.Reason != "", "", n.Reason)
	add(!n.Available && n.Reason == "", "", p.T("choose.unavailable"))
	return list
}

// fee is a network's fee, if it is known; the panel's head says what the number is.
func (o coinOption) fee(n wire.Network) []node.Node {
	p := o.c.Page
	switch {
	case !n.Available || n.Fee == "":
		return nil
	case strings.Trim(n.Fee, "0.") == "":
		return []node.Node{node.Text(p.T("choose.nofee"))}
	}
	return []node.Node{
		node.El("span").Class("offscreen").Text(p.T("choose.fee.head") + " "),
		node.El("span").Attr("translate", "no").
			Text(p.Number(n.Fee)),
	}
}
