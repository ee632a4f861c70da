package widget

import (
	"strings"

	"coinslot/app/address"
	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// minAddress is the length of the shortest address. Shorter input counts as unfinished.
const minAddress = 26

// AddressChecker compares the address in the shopper's wallet with the one to pay: at once with
// WebAssembly, as a form without it.
type AddressChecker struct {
	app.Compo

	Page Page

	typed     bool // text counts, not what came with the page
	submitted bool // the button was pressed since
	text      string
}

// Draw draws the field and the result of the comparison.
func (c *AddressChecker) Draw() *node.Element {
	p := c.Page
	found := c.compare()
	return Details("check", p.Opened == "check" || p.Pasted != "").Body(
		el("summary").Text(p.T("pay.check")),
		el("p").ID("coinslot-check-why").Text(p.T("pay.check.why")),
		NoScriptLink(p, "check", p.T("pay.check")),
		c.form(found),
		el("p").Class("result "+found.Match.Name()).Attr("data-part", "check-result").
			Attr("data-value", found.Match.Name()).Attr("role", "status").Text(c.message(found)),
		node.If(found.N > 0, func() node.Node { return c.sideBySide(found) }),
	)
}

// compare compares the content of the field, unless the address is still being typed.
func (c *AddressChecker) compare() address.Comparison {
	a := c.Page.View.Attempt
	if a == nil {
		return address.Comparison{}
	}
	if !c.typed {
		return address.Compare(a.Address, chainOf(a), c.Page.Pasted)
	}
	theirs := address.Recipient(c.text)
	unfinished := len(theirs) < minAddress ||
		theirs != a.Address && strings.HasPrefix(a.Address, theirs)
	if unfinished && !c.submitted {
		return address.Comparison{}
	}
	return address.Compare(a.Address, chainOf(a), c.text)
}

// chainOf is the chain of a: its id if a wallet needs it, else the gateway's code of its network.
func chainOf(a *wire.Attempt) string {
	if a.Call != nil {
		return a.Call.ChainID
	}
	return a.NetworkCode
}

// form is a GET form, because a comparison changes nothing.
func (c *AddressChecker) form(found address.Comparison) node.Node {
	p := c.Page.WithField("open", "check")
	return el("form").Class("together").Attr("method", "get").Attr("action", p.Base).
		On("submit", func(ctx app.Context, e app.Event) {
			e.PreventDefault()
			c.typed = true
			c.submitted = true
			c.text = ctx.JSSrc().Get("elements").Get("check").Get("value").String()
		}).
		Body(append(HiddenFields(p), WithSpaces(
			el("label").Class("field").Body(
				el("span").Text(p.T("pay.check.label")),
				void("input").Attr("type", "text").Attr("name", "check").Attr("value", p.Pasted).
					Attr("data-part", "check-address").
					Attr("aria-describedby", "coinslot-check-why").
					Bool("aria-invalid", found.Match > address.Same).
					Attr("dir", "ltr").Attr("autocomplete", "off").
					Attr("autocapitalize", "none").Attr("spellcheck", "false").
					On("input", func(ctx app.Context, _ app.Event) {
						c.typed = true
						c.submitted = false
						c.text = ctx.JSSrc().Get("value").String()
					}),
			),
			el("button").Attr("type", "submit").Class("button").Text(p.T("pay.check.button")),
		)...)...)
}

func (c *AddressChecker) message(found address.Comparison) string {
	switch found.Match {
	case address.Same:
		return c.Page.T("pay.check.same")
	case address.Differs:
		return c.Page.Plural("pay.check.differs", found.N)
	case address.Other:
		return c.Page.T("pay.check.other")
	case address.OtherNetwork:
		return c.Page.T("pay.check.network", "network", found.Network)
	case address.None:
	}
	return ""
}

// sideBySide shows both addresses and marks the differences.
func (c *AddressChecker) sideBySide(found address.Comparison) node.Node {
	row := func(label string, groups []address.Group) node.Node {
		return el("div").Body(el("dt").Class("label").Text(c.Page.T(label)),
			el("dd").Class("value").Body(el("span").Attr("translate", "no").Attr("dir", "ltr").
				Body(drawGroups(groups)...)))
	}
	return el("dl").Body(row("pay.check.label", found.Theirs),
		row("pay.to", address.SplitGroups(c.Page.View.Attempt.Address, nil)))
}

// drawGroups draws the groups of an address; those that differ are marked.
func drawGroups(groups []address.Group) []node.Node {
	list := make([]node.Node, 0, len(groups))
	for _, g := range groups {
		box := el("span")
		if g.Differs {
			box = el("mark")
		}
		list = append(list, box.Text(g.Text))
	}
	return list
}

// Details returns a details element.
func Details(class string, open bool) *node.Element {
	return el("details").Class(class).Bool("open", open)
}

// NoScriptLink is for pages without scripts, which reload every few seconds: it leads to the page
// with a part opened.
func NoScriptLink(p Page, part, text string) node.Node {
	return node.If(p.Opened != part, func() node.Node {
		return el("noscript").Body(
			el("a").Class("button").Attr("href", p.WithField("open", part).Link("")).Text(text),
		)
	})
}
