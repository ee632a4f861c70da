package widget

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"coinslot/app/wire"
)

// searchFrom is the number of networks from which a search field helps more
// than it clutters.
const searchFrom = 4

// chooser lets the shopper pick a coin, then its network.
type chooser struct {
	app.Compo

	Page   Page
	Search string // typed before the takeover
	Busy   bool

	touched bool // the fields below count, not the page's preselection
	picked  choice
	typed   bool
	query   string
	mailed  bool
	email   string
}

// Render draws the form: everything is in it, CSS shows the networks of the
// coin that is checked.
func (c *chooser) Render() app.UI {
	p := c.Page
	return form(p, "/attempts", c.body).Class("choose").Body(append(carried(p),
		heading(c.title()),
		c.warning(),
		c.search(),
		el("fieldset").Class("coins").Body(append([]app.UI{
			el("legend").Text(p.say("choose.coin")),
		}, c.coins()...)...),
		c.nothingFound(),
		c.mail(),
		el("div").Class("buttons").Body(
			button("continue", "primary", c.continueText(), c.Busy),
			c.back(),
		),
	)...)
}

func (c *chooser) title() string {
	if c.Page.Changing {
		return c.Page.say("choose.again")
	}
	return c.Page.say("choose.title")
}

// warning says what becomes of the attempt that is being left.
func (c *chooser) warning() app.UI {
	a := c.Page.View.Attempt
	return app.If(c.Page.Changing && c.Page.View.Status == wire.Pending && a != nil, func() app.UI {
		return el("p").Class("note warn").Text(c.Page.say("choose.warning", "coin", a.CurrencySymbol, "network", a.NetworkName))
	})
}

// search filters the coins. It is in the page from the start, so that what is
// typed before the takeover is not lost; without scripts CSS hides it.
func (c *chooser) search() app.UI {
	n := 0
	for _, currency := range c.Page.View.Currencies {
		n += len(currency.Networks)
	}
	return app.If(n >= searchFrom, func() app.UI {
		return void("input").Attr("type", "search").Class("search").DataSet("part", "search").
			Attr("placeholder", c.Page.say("choose.search")).Aria("label", c.Page.say("choose.search")).
			Attr("autocomplete", "off").Attr("spellcheck", "false").
			OnInput(func(ctx app.Context, _ app.Event) {
				c.typed, c.query = true, ctx.JSSrc().Get("value").String()
			})
	})
}

// filter is what the search field holds, in lower case.
func (c *chooser) filter() string {
	if c.typed {
		return strings.ToLower(strings.TrimSpace(c.query))
	}
	return strings.ToLower(strings.TrimSpace(c.Search))
}

// selection is what is checked now.
func (c *chooser) selection() choice {
	if c.touched {
		return c.picked
	}
	return c.Page.startingChoice()
}

func (c *chooser) coins() []app.UI {
	list := make([]app.UI, 0, len(c.Page.View.Currencies))
	for _, currency := range c.Page.View.Currencies {
		list = append(list, coinOption{c: c, page: c.Page, currency: currency, picked: c.selection()}.draw())
	}
	return list
}

// nothingFound keeps a search that finds nothing from looking like a shop that
// takes nothing.
func (c *chooser) nothingFound() app.UI {
	filter := c.filter()
	for _, currency := range c.Page.View.Currencies {
		if matches(currency, filter) {
			return app.Text("")
		}
	}
	if filter == "" {
		return el("p").Class("note warn").Text(c.Page.say("choose.none"))
	}
	return el("p").Class("note").Attr("role", "status").Text(c.Page.say("choose.notfound", "query", c.query))
}

// mail asks for an address, which is optional.
func (c *chooser) mail() app.UI {
	return el("label").Class("mail").Body(
		el("span").Class("mail-label").Text(c.Page.say("choose.email")),
		void("input").Attr("type", "email").Attr("name", "email").Attr("value", c.Page.Email).
			Attr("autocomplete", "email").Attr("inputmode", "email").
			Aria("describedby", "coinslot-mail-why").
			OnInput(func(ctx app.Context, _ app.Event) {
				c.mailed, c.email = true, ctx.JSSrc().Get("value").String()
			}),
		el("small").ID("coinslot-mail-why").Text(c.Page.say("choose.email.why")),
	)
}

// back leads from changing to the payment as it is.
func (c *chooser) back() app.UI {
	return app.If(c.Page.Changing, func() app.UI {
		return el("a").Class("button quiet").Attr("href", c.Page.Link("")).Text(c.Page.say("choose.keep")).
			OnClick(func(ctx app.Context, e app.Event) { toggleChange(ctx, e, false) })
	})
}

func (c *chooser) continueText() string {
	if c.Busy {
		return c.Page.say("choose.busy")
	}
	currency, network, ok := c.Page.find(c.selection().Network)
	if ok && currency.Symbol == c.selection().Symbol && c.touched {
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
	currency, network, ok := c.Page.find(picked.Network)
	if !ok || currency.Symbol != picked.Symbol {
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
	return body, ""
}

// pick takes a coin; its network is picked with it where there is no choice.
func (c *chooser) pick(symbol string) {
	c.touched, c.picked = true, choice{Symbol: symbol, Network: c.Page.onlyNetwork(symbol)}
}
