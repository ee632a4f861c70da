package screen

import (
	"strconv"

	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// chooser lets the shopper pick a coin, then its network.
type chooser struct {
	app.Compo

	Page   widget.Page
	Search string // typed before WebAssembly took over
	Busy   bool
	Wrong  string // the refused field of the offer, see Offer.Wrong

	// Each bool is set once its fields, and not those of the page, are valid.
	pickedHere  bool
	picked      widget.Choice
	queryEdited bool
	query       string
	emailEdited bool
	email       string
	offerEdited bool
	offerInput  offerInput
}

// Draw draws the form with all networks; CSS shows those of the checked coin. The number of
// children never changes before the hidden fields: go-app compares children by position, and would
// replace a field that moves by a new one without text and focus.
func (c *chooser) Draw() *node.Element {
	p := c.Page
	return widget.Form(p, "/attempts", c.body).Class("choose").Body(append([]node.Node{
		c.offerFields(),
		widget.Heading(c.title()),
		c.warning(),
		c.searchField(),
		c.searchStatus(),
		c.exchangeSwitch(),
		c.coinList(),
		c.emailField(),
		node.El("div").Class("buttons").Body(c.submitButton(), c.keepLink()),
		c.estimate(), // below the button, which it would push away from under a press
	}, widget.HiddenFields(p.Without(c.ownFields()...))...)...)
}

// ownFields are the fields of Carry that the form shows.
func (c *chooser) ownFields() []string {
	if c.Page.Offer == nil {
		return nil
	}
	return []string{"amount", "quantity"}
}

func (c *chooser) title() string {
	if c.Page.Changing {
		return c.Page.T("choose.again")
	}
	return c.Page.T("choose.title")
}

// warning says what happens to the present attempt, or that there is nothing to choose from.
func (c *chooser) warning() node.Node {
	p, a := c.Page, c.Page.View.Attempt
	switch {
	case p.CountAvailable() == 0:
		return node.El("p").Class("note warn").Text(p.T("choose.none"))
	case p.Changing && p.View.Status == wire.Pending && a != nil:
		return node.El("p").Class("note warn").
			Text(p.T("choose.warning", "coin", a.CurrencySymbol, "network", a.NetworkName))
	}
	return node.Text("")
}

// exchangeSwitch switches between paying from an exchange and from a wallet, and explains the order
// of the coins.
func (c *chooser) exchangeSwitch() node.Node {
	p := c.Page
	switch {
	case p.CountAvailable() == 0:
		return node.Text("")
	case p.Exchange:
		return node.El("div").Class("exchange").
			Body(c.exchangeLink("choose.wallet"), node.El("p").Class("note").
				Text(p.T("choose.exchange.why")))
	}
	return node.El("div").Class("exchange").Body(
		c.exchangeLink("choose.exchange"),
		node.If(p.CountAvailable() > 1, func() node.Node {
			return node.El("p").Class("chooser-note").Text(p.T("choose.order"))
		}),
	)
}

// exchangeLink leads to this page for the other way to pay.
func (c *chooser) exchangeLink(text string) node.Node {
	change := widget.Field{Name: "change", Value: widget.TextIf(c.Page.Changing, "1")}
	return node.El("a").Attr("data-part", "exchange").
		Attr("href", c.Page.WithExchange(!c.Page.Exchange).Link("", change)).Text(c.Page.T(text)).
		On("click", func(ctx app.Context, e app.Event) {
			if widget.StayOnPage(e) {
				ctx.NewActionWithValue(widget.ActionExchange, !c.Page.Exchange)
			}
		})
}

// selection is the checked coin and network.
func (c *chooser) selection() widget.Choice {
	if c.pickedHere {
		return c.picked
	}
	return c.Page.InitialChoice()
}

// coinList asks for the coin, unless there is only one.
func (c *chooser) coinList() node.Node {
	if c.Page.SoleCoin() {
		return node.El("div").Class("coins sole").Body(c.coins()...)
	}
	return node.El("fieldset").Class("coins").Body(append([]node.Node{
		node.El("legend").Text(c.Page.T("choose.coin")),
	}, c.coins()...)...)
}

func (c *chooser) coins() []node.Node {
	list, picked := make([]node.Node, 0, len(c.Page.View.Currencies)), c.selection()
	for i, currency := range c.Page.OrderedCurrencies() {
		list = append(list, coinOption{
			c: c, currency: currency, picked: picked,
			found: c.matching(currency), id: "coinslot-coin-" + strconv.Itoa(i),
		}.draw())
	}
	return list
}

// emailField asks for the optional e-mail address.
func (c *chooser) emailField() node.Node {
	if c.Page.CountAvailable() == 0 {
		return node.Text("")
	}
	return node.El("label").Class("mail").Body(
		node.El("span").Class("mail-label").Text(c.Page.T("choose.email")),
		node.Void("input").Attr("type", "text").Attr("name", "email").Attr("value", c.Page.Email).
			Attr("autocomplete", "email").Attr("inputmode", "email").
			Attr("aria-describedby", "coinslot-mail-why").
			On("input", func(ctx app.Context, _ app.Event) {
				c.emailEdited, c.email = true, ctx.JSSrc().Get("value").String()
			}),
		node.El("small").ID("coinslot-mail-why").Text(c.Page.T("choose.email.why")),
	)
}

// estimate shows the approximate amount before the payment starts. Without scripts it is about the
// page's preselected network, and CSS hides it when another one is checked.
func (c *chooser) estimate() node.Node {
	p := c.Page
	_, network, ok := c.chosen()
	if !ok || network.Estimate == "" {
		return node.El("div").Class("offscreen").Attr("role", "status")
	}
	sum := widget.Amount(network.Estimate, c.selection().Symbol)
	return node.El("div").Class("estimate").Attr("role", "status").Attr("data-part", "estimate").
		Body(
			node.El("p").Text(p.T("choose.estimate", "amount", sum, "network", network.Name)),
			node.El("small").Text(p.T("choose.estimate.why")),
		)
}

// chosen returns coin and network if both are selected.
func (c *chooser) chosen() (wire.Currency, wire.Network, bool) {
	currency, network, ok := c.Page.Coin(c.selection().Network)
	return currency, network, ok && currency.Symbol == c.selection().Symbol
}

// submitButton continues, or reloads the page where there is nothing to choose.
func (c *chooser) submitButton() node.Node {
	if c.Page.CountAvailable() == 0 {
		return node.El("a").Class("button primary").Attr("data-part", "reload").
			Attr("href", c.Page.Link("")).Text(c.Page.T("closed.again"))
	}
	return widget.Button("continue", "primary", c.continueText(), c.Busy)
}

// keepLink leads from the chooser back to the present payment.
func (c *chooser) keepLink() node.Node {
	return node.If(c.Page.Changing, func() node.Node {
		return node.El("a").Class("button quiet").Attr("href", c.Page.Link("")).
			Text(c.Page.T("choose.keep")).
			On("click", func(ctx app.Context, e app.Event) { widget.ToggleChange(ctx, e, false) })
	})
}

// continueText names coin and network unless the button may be outdated: without scripts it does
// not follow the radios.
func (c *chooser) continueText() string {
	if c.Busy {
		return c.Page.T("choose.busy")
	}
	if currency, network, ok := c.chosen(); ok && (c.pickedHere || c.Page.SoleNetwork()) {
		return c.Page.T("choose.continue.with", "coin", currency.Symbol, "network", network.Name)
	}
	return c.Page.T("choose.continue")
}

// body returns what the form sends with WebAssembly, or what is missing.
func (c *chooser) body() (map[string]string, string) {
	picked := c.selection()
	if picked.Symbol == "" {
		return nil, c.Page.T("choose.missing.coin")
	}
	currency, network, ok := c.chosen()
	if !ok {
		return nil, c.Page.T("choose.missing.network", "coin", picked.Symbol)
	}
	email := c.Page.Email
	if c.emailEdited {
		email = c.email
	}
	body := map[string]string{"currency_symbol": currency.Symbol, "network_code": network.Code}
	if email != "" {
		body["email"] = email
	}
	c.addOffer(body)
	return body, ""
}

// pick selects a coin, and its network if there is only one.
func (c *chooser) pick(symbol string) {
	c.pickedHere, c.picked = true, widget.Choice{
		Symbol: symbol, Network: c.Page.OnlyNetwork(symbol),
	}
}
