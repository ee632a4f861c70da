package widget

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"coinslot/app/widget/node"
	"coinslot/app/wire"
)

// chooser lets the shopper pick a coin, then its network.
type chooser struct {
	app.Compo

	Page   Page
	Search string // typed before the takeover
	Busy   bool
	Wrong  string // the field of the offer that was refused, see Offer.Wrong

	touched bool // the fields below count, not the page's preselection
	picked  choice
	typed   bool
	query   string
	mailed  bool
	email   string
	wished  bool // asked counts, not the page's offer
	asked   wish
}

// Draw draws the form: everything is in it, CSS shows the networks of the
// coin that is checked. What comes and goes is inside of parts that stay, and
// what is carried comes last: go-app compares children by their place, and a
// field that moves would be made anew, without its text and the keyboard.
func (c *chooser) Draw() *node.Element {
	p := c.Page
	return form(p, "/attempts", c.body).Class("choose").Body(append([]node.Node{
		c.offer(),
		heading(c.title()),
		c.warning(),
		c.search(),
		c.found(),
		c.exchange(),
		c.coinList(),
		c.mail(),
		c.estimate(),
		el("div").Class("buttons").Body(c.onward(), c.back()),
	}, p.carriedBut(c.fields()...)...)...)
}

// fields are the names of carried fields that the form has in sight instead.
func (c *chooser) fields() []string {
	if c.Page.Offer == nil {
		return nil
	}
	return []string{"amount", "quantity"}
}

func (c *chooser) title() string {
	if c.Page.Changing {
		return c.Page.say("choose.again")
	}
	return c.Page.say("choose.title")
}

// warning says what becomes of the attempt that is being left, or that there is
// nothing to choose from.
func (c *chooser) warning() node.Node {
	p, a := c.Page, c.Page.View.Attempt
	switch {
	case p.possible() == 0:
		return el("p").Class("note warn").Text(p.say("choose.none"))
	case p.Changing && p.View.Status == wire.Pending && a != nil:
		return el("p").Class("note warn").
			Text(p.say("choose.warning", "coin", a.CurrencySymbol, "network", a.NetworkName))
	}
	return node.Text("")
}

// exchange switches between paying from an account at an exchange and from a
// wallet of one's own, and explains the order of what follows.
func (c *chooser) exchange() node.Node {
	p := c.Page
	switch {
	case p.possible() == 0:
		return node.Text("")
	case p.Exchange:
		return el("div").Class("exchange").
			Body(c.toggle("choose.wallet"), el("p").Class("note").
				Text(p.say("choose.exchange.why")))
	}
	return el("div").Class("exchange").Body(
		c.toggle("choose.exchange"),
		node.If(p.possible() > 1, func() node.Node {
			return el("p").Class("chooser-note").Text(p.say("choose.order"))
		}),
	)
}

// toggle is a link to this same page, the other way.
func (c *chooser) toggle(text string) node.Node {
	var change string
	if c.Page.Changing {
		change = "1"
	}
	return el("a").Attr("data-part", "exchange").
		Attr("href", c.Page.payingFrom(!c.Page.Exchange).Link("", Field{"change", change})).
		Text(c.Page.say(text)).
		On("click", func(ctx app.Context, e app.Event) {
			if stays(e) {
				ctx.NewActionWithValue(actionFrom, !c.Page.Exchange)
			}
		})
}

// selection is what is checked now.
func (c *chooser) selection() choice {
	if c.touched {
		return c.picked
	}
	return c.Page.startingChoice()
}

// coinList is the question for the coin, unless there is but one.
func (c *chooser) coinList() node.Node {
	if c.Page.soleCoin() {
		return el("div").Class("coins sole").Body(c.coins()...)
	}
	return el("fieldset").Class("coins").Body(append([]node.Node{
		el("legend").Text(c.Page.say("choose.coin")),
	}, c.coins()...)...)
}

func (c *chooser) coins() []node.Node {
	list, picked := make([]node.Node, 0, len(c.Page.View.Currencies)), c.selection()
	for i, currency := range c.Page.arranged() {
		list = append(list, coinOption{
			c: c, currency: currency, picked: picked,
			found: c.matching(currency), id: "coinslot-coin-" + strconv.Itoa(i),
		}.draw())
	}
	return list
}

// mail asks for an address, which is optional.
func (c *chooser) mail() node.Node {
	if c.Page.possible() == 0 {
		return node.Text("")
	}
	return el("label").Class("mail").Body(
		el("span").Class("mail-label").Text(c.Page.say("choose.email")),
		void("input").Attr("type", "text").Attr("name", "email").Attr("value", c.Page.Email).
			Attr("autocomplete", "email").Attr("inputmode", "email").
			Attr("aria-describedby", "coinslot-mail-why").
			On("input", func(ctx app.Context, _ app.Event) {
				c.mailed, c.email = true, ctx.JSSrc().Get("value").String()
			}),
		el("small").ID("coinslot-mail-why").Text(c.Page.say("choose.email.why")),
	)
}

// estimate says what will be asked for before anything is begun. Without scripts
// it speaks of the network that the page came with, and CSS hides it once
// another one is checked.
func (c *chooser) estimate() node.Node {
	p := c.Page
	_, network, ok := c.complete()
	if !ok || network.Estimate == "" {
		return el("div").Class("offscreen").Attr("role", "status")
	}
	sum := amount(network.Estimate, c.selection().Symbol)
	return el("div").Class("estimate").Attr("role", "status").Attr("data-part", "estimate").Body(
		el("p").Text(p.say("choose.estimate", "amount", sum, "network", network.Name)),
		el("small").Text(p.say("choose.estimate.why")),
	)
}

// complete returns coin and network if both are picked.
func (c *chooser) complete() (wire.Currency, wire.Network, bool) {
	currency, network, ok := c.Page.find(c.selection().Network)
	return currency, network, ok && currency.Symbol == c.selection().Symbol
}

// onward is the button; a look at whether there is something to choose now,
// where there was nothing.
func (c *chooser) onward() node.Node {
	if c.Page.possible() == 0 {
		return el("a").Class("button primary").Attr("data-part", "reload").
			Attr("href", c.Page.Link("")).Text(c.Page.say("closed.again"))
	}
	return button("continue", "primary", c.continueText(), c.Busy)
}

// back leads from changing to the payment as it is.
func (c *chooser) back() node.Node {
	return node.If(c.Page.Changing, func() node.Node {
		return el("a").Class("button quiet").Attr("href", c.Page.Link("")).
			Text(c.Page.say("choose.keep")).
			On("click", func(ctx app.Context, e app.Event) { toggleChange(ctx, e, false) })
	})
}

// continueText names coin and network once they cannot change behind the
// button's back: without scripts it does not follow the radios.
func (c *chooser) continueText() string {
	if c.Busy {
		return c.Page.say("choose.busy")
	}
	currency, network, ok := c.complete()
	if ok && (c.touched || c.Page.soleNetwork()) {
		return c.Page.say("choose.continue.with", "coin", currency.Symbol, "network", network.Name)
	}
	return c.Page.say("choose.continue")
}

// body is what the form sends with WebAssembly, or what is missing.
func (c *chooser) body() (map[string]string, string) {
	picked := c.selection()
	if picked.Symbol == "" {
		return nil, c.Page.say("choose.missing.coin")
	}
	currency, network, ok := c.complete()
	if !ok {
		return nil, c.Page.say("choose.missing.network", "coin", picked.Symbol)
	}
	email := c.Page.Email
	if c.mailed {
		email = c.email
	}
	body := map[string]string{"currency_symbol": currency.Symbol, "network_code": network.Code}
	if email != "" {
		body["email"] = email
	}
	c.set(body)
	return body, ""
}

// pick takes a coin; its network is picked with it where there is no choice.
func (c *chooser) pick(symbol string) {
	c.touched, c.picked = true, choice{Symbol: symbol, Network: c.Page.onlyNetwork(symbol)}
}
