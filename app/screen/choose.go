package screen

import (
	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// chooser lets the shopper pick a coin, and another network than its best.
type chooser struct {
	app.Compo

	Page    widget.Page
	Search  string // typed before WebAssembly took over
	Busy    bool
	Problem *wire.Error // why the last request failed; nil if it did not
	Wrong   string      // the refused field of the offer, see Offer.Wrong

	// Each bool is set once its fields, and not those of the page, are valid.
	pickedHere  bool
	picked      string            // the coin's symbol
	networks    map[string]string // those picked here, by the coin's symbol
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
	return widget.Form(p, "/attempts", c.body).Bool("novalidate", true).Class("screen choose").Body(append([]node.Node{
		c.offerFields(),
		widget.Heading(c.title()),
		c.warning(),
		c.refusal(),
		c.coinList(),
		c.bar(),
		c.emailField(),
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
	p := c.Page
	switch {
	case p.Changing:
		return p.T("choose.again")
	case p.SoleNetwork():
		return p.T("choose.title.sole", "coin", p.View.Currencies[0].Shown())
	case p.SoleCoin():
		return p.T("choose.title.network")
	}
	return p.T("choose.title")
}

// warning says what happens to the present attempt, or that there is nothing to choose from.
func (c *chooser) warning() node.Node {
	p := c.Page
	a := c.Page.View.Attempt
	switch {
	case p.CountAvailable() == 0:
		return node.El("p").Class("note warn").Text(p.T("choose.none"))
	case p.Changing && p.View.Status == wire.Pending && a != nil:
		return node.El("p").Class("note warn").
			Text(p.T("choose.warning", "coin", a.Shown(), "network", a.NetworkName))
	}
	return node.Text("")
}

// refusal says above the list why the choice was refused.
func (c *chooser) refusal() node.Node {
	code, text := c.trouble()
	if text != "" && !isMissing(code) {
		return errorText(code, text).Class("note")
	}
	return node.Text("")
}

// trouble is why the last request failed, with the code of the server's answer; no text for none.
// What is wrong with a field of the offer stands beside it.
func (c *chooser) trouble() (wire.Code, string) {
	notice := c.Page.View.Notice
	switch {
	case c.Problem != nil && c.Wrong == "":
		return c.Problem.Code, c.Problem.Detail
	case c.Problem == nil && notice != nil:
		return notice.Code, notice.Message
	}
	return "", ""
}

// isMissing reports whether an error only asks for a choice or another try. It stands at the
// button, so that nothing above it moves.
func isMissing(code wire.Code) bool { return code == "" || code == wire.CodeNetworkRequired }

// selection is the checked coin and its checked network.
func (c *chooser) selection() widget.Choice {
	picked := c.Page.InitialChoice()
	if c.pickedHere {
		picked.Symbol = c.picked
	}
	picked.Network = c.network(picked.Symbol)
	return picked
}

// network is the checked network of a coin; "" if none can be chosen. Every coin has one from the
// start, so that a coin is paid with two taps.
func (c *chooser) network(symbol string) string {
	initial := c.Page.InitialChoice()
	for _, key := range []string{c.networks[symbol], initial.Network} {
		currency, _, ok := c.Page.Coin(key)
		if ok && currency.Symbol == symbol {
			return key
		}
	}
	return c.Page.BestNetwork(symbol)
}

// emailPattern matches what the server takes, see payment.Email. The form has novalidate: a slip is
// shown and does not stop the payment.
const emailPattern = `\s*[^\s@<>\(\)\[\],;:"\\]+@[^\s@<>\(\)\[\],;:"\\]+\s*`

// emailField asks for the optional e-mail address, unless the shop has given one. An address with a
// slip is not sent.
func (c *chooser) emailField() node.Node {
	p := c.Page
	if p.CountAvailable() == 0 {
		return node.Text("")
	}
	return node.El("div").Class("rows").Body(widget.Details("", p.Email != "").Body(
		node.El("summary").Text(p.T("choose.email.open")),
		node.El("label").Class("field").Body(
			node.El("span").Text(p.T("choose.email")),
			node.Text(" "),
			node.Void("input").Attr("type", "text").Attr("name", "email").
				Attr("value", p.Email).Attr("autocomplete", "email").Attr("inputmode", "email").
				Attr("pattern", emailPattern).Attr("aria-errormessage", "coinslot-email").
				On("input", func(ctx app.Context, _ app.Event) {
					c.emailEdited = true
					c.email = ""
					field := ctx.JSSrc()
					if field.Get("validity").Get("valid").Bool() {
						c.email = field.Get("value").String()
					}
				}),
			node.Text(" "),
			node.El("small").ID("coinslot-email").Class("error").Text(p.T("choose.email.wrong")),
			node.Text(" "),
			node.El("small").Text(p.T("choose.email.why")),
		),
	))
}

// bar has the button, in reach right below the list, and above it what is missing.
func (c *chooser) bar() node.Node {
	code, text := c.trouble()
	missing := text != "" && isMissing(code)
	return node.El("div").Class("bar").Body(
		node.If(missing, func() node.Node { return errorText(code, text) }),
		c.submitButton(),
		c.keepLink(),
	)
}

// chosen returns coin and network if both are selected.
func (c *chooser) chosen() (wire.Currency, wire.Network, bool) {
	return c.Page.Coin(c.selection().Network)
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
		return node.El("a").Class("link").Attr("href", c.Page.Link("")).
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
	currency, network, ok := c.chosen()
	if ok && (c.pickedHere || c.Page.SoleNetwork()) {
		return c.Page.T("choose.continue.with", "coin", currency.Shown(),
			"network", widget.NetworkName(network))
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

// pick selects a coin, and one of its networks unless key is empty.
func (c *chooser) pick(symbol, key string) {
	c.pickedHere = true
	c.picked = symbol
	if key == "" {
		return
	}
	if c.networks == nil {
		c.networks = map[string]string{}
	}
	c.networks[symbol] = key
}
