package screen

import (
	"context"
	"strconv"
	"strings"

	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// wish is what the fields of an offer hold, as text.
type wish struct{ amount, quantity string }

// Dollars returns an amount as it is typed by people in the way that the server
// reads it. A comma before one or two last digits is a decimal one, digits are
// those of any Arabic keyboard; "1,000" may be one or a thousand and stays what
// it is, for the server to refuse.
func Dollars(typed string) string {
	typed = strings.Map(latin, strings.TrimSpace(typed))
	whole, cents, comma := strings.Cut(typed, ",")
	if comma && (len(cents) == 1 || len(cents) == 2) {
		return whole + "." + cents
	}
	return typed
}

// latin returns the ASCII character for an Arabic or Persian digit or decimal
// sign, and any other as it is. Source: Unicode, blocks 0600 to 06FF.
func latin(r rune) rune {
	switch {
	case '٠' <= r && r <= '٩':
		return r - '٠' + '0'
	case '۰' <= r && r <= '۹':
		return r - '۰' + '0'
	case r == '٫':
		return '.'
	}
	return r
}

// wish is what the fields hold now.
func (c *chooser) wish() wish {
	o := c.Page.Offer
	switch {
	case o == nil:
		return wish{}
	case c.wished:
		return c.asked
	}
	return wish{amount: o.Amount, quantity: strconv.Itoa(o.Quantity)}
}

// ask changes what the fields hold.
func (c *chooser) ask(change func(*wish)) {
	w := c.wish()
	change(&w)
	c.wished, c.asked = true, w
}

// apply asks the root for the price of what the fields hold.
func (c *chooser) apply(ctx app.Context) { ctx.NewActionWithValue(widget.ActionPrice, c.wish()) }

// offer lets the shopper set what may be set. The fields are in the form that
// begins the payment, so that what is typed is what is paid, applied or not.
func (c *chooser) offer() node.Node {
	o := c.Page.Offer
	if o == nil {
		return node.Text("")
	}
	if o.Minimum == "" {
		return node.El("div").Class("offer").Body(c.enter(), c.row(c.quantityField()), c.mistaken())
	}
	if len(o.Suggested) < 2 {
		return node.El("div").Class("offer").
			Body(c.enter(), c.row(c.amountField("offer.amount")), c.limits(), c.mistaken())
	}
	return node.El("fieldset").Class("offer").Body(
		node.El("legend").Text(c.Page.Say("offer.amount")),
		c.enter(), c.suggested(), c.row(c.amountField("offer.other")), c.limits(), c.mistaken(),
	)
}

// row is a field with its button.
func (c *chooser) row(field node.Node) node.Node {
	return node.El("div").Class("offer-row").Body(widget.Spaced(field, c.applyButton())...)
}

// enter is the form's first button, which is what Enter presses in any of its
// fields: it means to go on, not to look at another price.
func (c *chooser) enter() node.Node {
	return node.El("button").Attr("type", "submit").Class("offscreen").Attr("tabindex", "-1").
		Attr("aria-hidden", "true").
		Text(c.Page.Say("choose.continue"))
}

func (c *chooser) amountField(label string) node.Node {
	input := node.Void("input").Attr("type", "text").Attr("name", "amount").
		Attr("data-part", "offer-amount").
		Attr("value", c.wish().amount).Attr("inputmode", "decimal").Attr("autocomplete", "off").
		On("input", func(ctx app.Context, _ app.Event) {
			text := ctx.JSSrc().Get("value").String()
			c.ask(func(w *wish) { w.amount = text })
		}).
		On("change", func(ctx app.Context, _ app.Event) { c.apply(ctx) }).
		On("keydown", func(ctx app.Context, e app.Event) {
			if e.Get("key").String() == "Enter" {
				e.PreventDefault()
				c.apply(ctx)
			}
		})
	about := "coinslot-limits"
	if c.Wrong == "amount" {
		about += " coinslot-mistake"
		input = input.Attr("aria-invalid", "true")
	}
	return c.labelled(label, input.Attr("aria-describedby", about))
}

func (c *chooser) quantityField() node.Node {
	o := c.Page.Offer
	options := make([]node.Node, 0, o.Most)
	for n := o.Least; n <= o.Most; n++ {
		text := strconv.Itoa(n)
		options = append(options, node.El("option").Attr("value", text).
			Bool("selected", text == c.wish().quantity).Text(text))
	}
	field := node.El("select").Attr("name", "quantity").Attr("data-part", "offer-quantity").
		Body(options...).
		On("change", func(ctx app.Context, _ app.Event) {
			text := ctx.JSSrc().Get("value").String()
			c.ask(func(w *wish) { w.quantity = text })
			c.apply(ctx)
		})
	if c.Wrong == "quantity" {
		field = field.Attr("aria-invalid", "true").Attr("aria-describedby", "coinslot-mistake")
	}
	return c.labelled("offer.quantity", field)
}

func (c *chooser) labelled(text string, field node.Node) node.Node {
	return node.El("label").Class("offer-field").
		Body(node.El("span").Class("mail-label").Text(c.Page.Say(text)), node.Text(" "), field)
}

// applyButton shows the page at the price of what the fields hold. Without
// scripts it is the form's, which then begins nothing.
func (c *chooser) applyButton() node.Node {
	return node.El("button").Attr("type", "submit").Attr("name", "apply").Attr("value", "1").
		Class("button apply").
		Attr("data-part", "offer-apply").Text(c.Page.Say("offer.apply")).
		On("click", func(ctx app.Context, e app.Event) {
			e.PreventDefault()
			c.apply(ctx)
		})
}

// suggested are amounts to take at a tap, links without scripts.
func (c *chooser) suggested() node.Node {
	p := c.Page
	chips := make([]node.Node, 0, len(p.Offer.Suggested))
	for _, amount := range p.Offer.Suggested {
		chip := node.El("a").Class("chip").Attr("data-part", "offer-suggested").
			Attr("data-value", amount).
			Attr("href", p.Carrying("amount", amount).Link("")).Text(p.Price(amount)).
			On("click", func(ctx app.Context, e app.Event) {
				if widget.Stays(e) {
					c.ask(func(w *wish) { w.amount = amount })
					c.apply(ctx)
				}
			}, amount)
		if amount == p.View.Order.AmountUSD && c.Wrong == "" {
			chip = chip.Attr("aria-current", "true")
		}
		chips = append(chips, chip)
	}
	return node.El("div").Class("chips").Attr("role", "group").
		Attr("aria-label", p.Say("offer.suggested")).Body(widget.Spaced(chips...)...)
}

func (c *chooser) limits() node.Node {
	o := c.Page.Offer
	return node.El("small").ID("coinslot-limits").
		Text(c.Page.Say("offer.limits", "minimum", c.Page.Price(o.Minimum), "maximum",
			c.Page.Price(o.Maximum)))
}

// mistaken says beside the field what it may hold.
func (c *chooser) mistaken() node.Node {
	p, o := c.Page, c.Page.Offer
	switch c.Wrong {
	case "amount":
		return failure(wire.CodeAmountInvalid,
			p.Say("offer.wrong.amount", "minimum", p.Price(o.Minimum), "maximum",
				p.Price(o.Maximum))).ID("coinslot-mistake")
	case "quantity":
		return failure(wire.CodeInvalid,
			p.Say("offer.wrong.quantity", "minimum", strconv.Itoa(o.Least), "maximum",
				strconv.Itoa(o.Most))).ID("coinslot-mistake")
	}
	return node.Text("")
}

// set puts what the fields hold into the members of the request.
func (c *chooser) set(body map[string]string) {
	o := c.Page.Offer
	if o != nil && o.Minimum != "" {
		body["amount"] = Dollars(c.wish().amount)
	}
	if o != nil && o.Most > 0 {
		body["quantity"] = c.wish().quantity
	}
}

// wrong names the field of the offer that the last request, or else the page,
// was refused for; empty for none.
func (c *Checkout) wrong() string {
	switch {
	case c.Page.Offer == nil:
		return ""
	case c.problem == nil:
		return c.Page.Offer.Wrong
	case c.problem.Param == "amount" || c.problem.Param == "quantity":
		return c.problem.Param
	}
	return ""
}

// reprice shows the page at the price of what the fields hold; the server says
// whether it may be and what it is.
func (c *Checkout) reprice(ctx app.Context, w wish) {
	p := c.Page
	switch {
	case p.Offer == nil:
		return
	case p.Offer.Minimum == "":
		p = p.Carrying("quantity", w.quantity)
	case strings.TrimSpace(w.amount) == "":
		c.fail(ctx, &wire.Error{Param: "amount"})
		return
	default:
		p = p.Carrying("amount", Dollars(w.amount))
	}
	c.pricing++
	turn := c.pricing
	ctx.Async(func() {
		status, answer, err := c.Host.Send(context.Background(), "GET", p.Link(""), nil)
		ctx.Dispatch(func(ctx app.Context) {
			if turn == c.pricing && c.Page.View.Session == "" {
				c.repriced(ctx, p, status, answer, err)
			}
		})
	})
}

// repriced takes the answer to reprice, which is of page p.
func (c *Checkout) repriced(ctx app.Context, p widget.Page, status int, answer []byte, err error) {
	if err != nil {
		c.fail(ctx, &wire.Error{Detail: c.Page.Say("error.offline")})
		return
	}
	view, problem := read(status, answer)
	if problem != nil {
		c.fail(ctx, c.worded(problem))
		return
	}
	set := *c.Page.Offer
	set.Wrong = ""
	c.problem, c.Page.Carry, c.Page.Offer = nil, p.Carry, &set
	c.take(ctx, view)
	c.said = c.Page.Price(view.Order.AmountUSD)
	c.Host.Replace(c.Page.Link(""))
}
