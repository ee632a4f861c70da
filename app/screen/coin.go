package screen

import (
	"slices"
	"strconv"
	"strings"

	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// coinOption is one coin of the chooser with its networks.
type coinOption struct {
	c        *chooser // handlers capture only this, so that the option stays off the heap
	currency wire.Currency
	picked   widget.Choice
	found    []wire.Network // networks that match the search
	id       string         // prefix of the ids of the radios' labels
}

func (o coinOption) draw() node.Node {
	return node.El("div").Class("coin").Bool("hidden", len(o.found) == 0).Body(
		o.head(),
		node.El("fieldset").Class("networks").Class(widget.TextIf(o.c.Page.SoleNetwork(), "sole")).
			Body(append([]node.Node{
				node.El("legend").Text(o.c.Page.T("choose.network", "coin", o.currency.Symbol)),
			}, o.networkList()...)...),
	)
}

// head is the coin's radio. That of the only coin is hidden, and sent all the same.
func (o coinOption) head() node.Node {
	c, symbol := o.c, o.currency.Symbol
	isUnavailable := widget.CountAvailable(o.currency) == 0
	radio := node.Void("input").Attr("type", "radio").Attr("name", "currency_symbol").
		Attr("value", symbol).Attr("data-part", "currency").
		Bool("checked", o.picked.Symbol == symbol &&
			!isUnavailable).Bool("disabled", isUnavailable).
		Attr("aria-labelledby", o.id).Attr("aria-describedby", o.id+"-hint").
		On("change", func(app.Context, app.Event) { c.pick(symbol) }, symbol)
	return node.El("label").Class("coin-head").Body(
		hideSole(radio, c.Page.SoleCoin()),
		icon(o.currency.Icon, "coin-icon", "32", app.IsServer),
		node.El("span").Class("coin-name").ID(o.id).Body(
			node.El("strong").Text(o.currency.Name),
			node.Text(" "),
			node.El("span").Class("coin-symbol").Attr("translate", "no").Text(symbol),
		),
		o.hint(),
	)
}

// hideSole hides a radio without an alternative, also from the keyboard. The form still sends it.
func hideSole(radio *node.Element, alone bool) node.Node {
	if alone {
		return radio.Class("offscreen").Attr("tabindex", "-1")
	}
	return radio
}

// icon is the logo of a coin or network, hidden from screen readers because the name is beside it.
// In the server's page a coin's is lazy, since each icon costs a slow phone as much as a third of
// the first layout; in WebAssembly's it is not, since it would be blank for a moment.
func icon(src, class, size string, lazy bool) node.Node {
	return node.If(src != "", func() node.Node {
		return node.Void("img").Class(class).Attr("src", src).Attr("role", "presentation").
			Attr("aria-hidden", "true").Attr("width", size).Attr("height", size).
			Attr("loading", widget.TextIf(lazy, "lazy"))
	})
}

// hint shows the approximate amount and the number of networks, or why the coin is unavailable.
func (o coinOption) hint() node.Node {
	i := slices.IndexFunc(o.currency.Networks, func(n wire.Network) bool { return n.Available })
	if i < 0 {
		return node.El("span").Class("network-note").ID(o.id + "-hint").Text(o.unavailableReason())
	}
	return node.El("span").Class("coin-hint").ID(o.id+"-hint").Body(
		node.If(o.currency.Networks[i].Estimate != "", func() node.Node {
			sum := widget.Amount(o.currency.Networks[i].Estimate, o.currency.Symbol)
			return node.El("span").Class("coin-about").Text(
				o.c.Page.T("choose.about", "amount", sum),
			)
		}),
		node.Text(" "),
		node.If(!o.c.Page.SoleCoin(), func() node.Node {
			return node.El("small").Class("coin-count").
				Text(o.c.Page.Plural("choose.networks", widget.CountAvailable(o.currency)))
		}),
	)
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

func (o coinOption) networkList() []node.Node {
	list := make([]node.Node, 0, len(o.currency.Networks))
	for i, n := range o.currency.Networks {
		list = append(list, o.network(n, o.id+"-"+strconv.Itoa(i)))
	}
	return list
}

// network is one radio, also of an unavailable network, with its reason. A search hides those that
// do not match, but never the checked one.
func (o coinOption) network(n wire.Network, id string) node.Node {
	c, symbol, value := o.c, o.currency.Symbol, widget.NetworkKey(o.currency.Symbol, n.Code)
	picked := o.picked.Network == value && n.Available
	badges, ids := o.badges(n, id)
	about := strings.Join(append([]string{id + "-note"}, ids...), " ")
	radio := node.Void("input").Attr("type", "radio").Attr("name", "network_code").
		Attr("value", value).
		Attr("data-part", "network").Bool("checked", picked).Bool("disabled", !n.Available).
		Attr("aria-labelledby", id).Attr("aria-describedby", about).
		On("change", func(app.Context, app.Event) {
			c.pickedHere, c.picked = true, widget.Choice{Symbol: symbol, Network: value}
		}, symbol, value)
	label := node.El("label").Class("network").Bool(
		"hidden", !picked && !slices.Contains(o.found, n),
	)
	return node.El("div").Body(label.Body(
		hideSole(radio, c.Page.SoleNetwork()),
		icon(n.Mark, "network-mark", "22", true),
		node.El("span").Class("network-name").Body(append([]node.Node{
			node.El("span").ID(id).Body(node.El("strong").Text(n.Name), node.Text(" "), code(n)),
		}, badges...)...),
		node.El("span").Class("network-note").ID(id+"-note").Text(o.note(n)),
	))
}

// code is the network's short name, which exchanges use, unless its name contains it.
func code(n wire.Network) node.Node {
	short := strings.ToUpper(n.Code)
	return node.If(!strings.Contains(strings.ToUpper(n.Name), short), func() node.Node {
		return node.El("span").Class("network-code").Attr("translate", "no").Text(short)
	})
}

// badges are the marks of a network and their ids.
func (o coinOption) badges(n wire.Network, id string) (list []node.Node, ids []string) {
	add := func(when bool, name, text string) {
		if when && n.Available {
			ids = append(ids, id+"-"+name)
			list = append(list,
				node.El("span").Class("badge").ID(id+"-"+name).Attr("data-badge", name).
					Text(o.c.Page.T(text)))
		}
	}
	add(widget.IsCheapest(o.currency, n), "lowest", "choose.lowest")
	add(o.c.Page.Exchange && n.Exchanges, "most", "choose.exchange.most")
	add(o.c.Page.Exchange && !n.Exchanges, "check", "choose.exchange.check")
	return list, ids
}

// note is the network's fee, if it is known, or why the network is unavailable.
func (o coinOption) note(n wire.Network) string {
	switch {
	case !n.Available && n.Reason != "":
		return n.Reason
	case !n.Available:
		return o.c.Page.T("choose.unavailable")
	case n.Fee == "":
		return ""
	case strings.Trim(n.Fee, "0.") == "":
		return o.c.Page.T("choose.nofee")
	}
	return o.c.Page.T("choose.fee", "fee", widget.Number(o.c.Page.Text, n.Fee))
}
