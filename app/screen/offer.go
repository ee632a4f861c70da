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

// offerInput is the content of an offer's fields.
type offerInput struct{ amount, quantity string }

// NormalizeAmount turns an amount as shoppers type it into what the server reads: digits of any
// script become ASCII; blanks, the sign of the dollar, zeros before the number and a point behind it
// go; a comma before one or two last digits becomes a point. "1,000" may be one or a thousand: it
// stays as it is, like all that is no amount, and the server refuses it.
func NormalizeAmount(typed string) string {
	amount := strings.Map(toASCII, strings.Trim(typed, aroundAmount))
	whole, cents, _ := strings.Cut(amount, ".")
	digits := whole + cents
	if digits == "" || len(cents) > 2 || strings.Trim(digits, "0123456789") != "" {
		return strings.TrimSpace(typed)
	}

	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	if cents != "" {
		whole += "." + cents
	}
	return whole
}

// aroundAmount are blanks, directional marks, and the letters and signs of US$ and USD.
const aroundAmount = " \t\u00a0\u202f\u3000\u200e\u200f\u061cUSD$＄"

// zeros are the zeros of scripts whose digits people type: Arabic, Persian, Devanagari, Bengali,
// Gurmukhi, Gujarati, Odia, Tamil, Telugu, Kannada, Malayalam, Thai, Lao, Tibetan, Burmese, Khmer,
// Mongolian. The digits follow in order. Source: Unicode, general category Nd.
const zeros = "٠۰०০੦૦୦௦౦೦൦๐໐༠၀០᠐"

// toASCII maps digits, and the decimal signs point and comma, to ASCII.
func toASCII(r rune) rune {
	if '\uff01' <= r && r <= '\uff5e' { // full width
		r -= '\uff01' - '!'
	}
	if r == ',' || r == '٫' {
		return '.'
	}
	for _, zero := range zeros {
		if zero <= r && r <= zero+9 {
			return r - zero + '0'
		}
	}
	return r
}

// offered is the present content of the fields.
func (c *chooser) offered() offerInput {
	o := c.Page.Offer
	switch {
	case o == nil:
		return offerInput{}
	case c.offerEdited:
		return c.offerInput
	}
	return offerInput{amount: o.Amount, quantity: strconv.Itoa(o.Quantity)}
}

// editOffer changes the content of a field.
func (c *chooser) editOffer(change func(*offerInput)) {
	w := c.offered()
	change(&w)
	c.offerEdited = true
	c.offerInput = w
}

// requestPrice asks the root component for the price of the fields' content.
func (c *chooser) requestPrice(ctx app.Context) {
	ctx.NewActionWithValue(widget.ActionPrice, c.offered())
}

// offerFields are the fields of the offer. They are in the form that starts the payment, so that
// their content counts, applied or not.
func (c *chooser) offerFields() node.Node {
	o := c.Page.Offer
	if o == nil {
		return node.Text("")
	}
	if o.Minimum == "" {
		return node.El("div").Class("offer").Body(
			c.enterButton(), c.offerRow(c.quantityField()), c.offerError(),
		)
	}
	if len(o.Suggested) < 2 {
		return node.El("div").Class("offer").
			Body(c.enterButton(), c.offerRow(c.amountField("offer.amount")), c.limits(),
				c.offerError())
	}
	return node.El("fieldset").Class("offer").Body(node.El("legend").Text(c.Page.T("offer.amount")),
		c.enterButton(), c.suggested(), c.offerRow(c.amountField("offer.other")), c.limits(),
		c.offerError())
}

// offerRow is a field with its apply button.
func (c *chooser) offerRow(field node.Node) node.Node {
	return node.El("div").Class("together").Body(widget.WithSpaces(field, c.applyButton())...)
}

// enterButton is the form's first button, which Enter presses in any field: it continues and does
// not apply a price.
func (c *chooser) enterButton() node.Node {
	return node.El("button").Attr("type", "submit").Class("offscreen").Attr("tabindex", "-1").
		Attr("aria-hidden", "true").Text(c.Page.T("choose.continue"))
}

func (c *chooser) amountField(label string) node.Node {
	input := node.Void("input").Attr("type", "text").Attr("name", "amount").
		Attr("data-part", "offer-amount").
		Attr("value", c.offered().amount).Attr("inputmode", "decimal").Attr("autocomplete", "off").
		On("input", func(ctx app.Context, _ app.Event) {
			text := ctx.JSSrc().Get("value").String()
			c.editOffer(func(w *offerInput) { w.amount = text })
		}).
		On("change", func(ctx app.Context, _ app.Event) { c.requestPrice(ctx) }).
		On("keydown", func(ctx app.Context, e app.Event) {
			if e.Get("key").String() == "Enter" {
				e.PreventDefault()
				c.requestPrice(ctx)
			}
		})
	about := "coinslot-limits"
	if c.Wrong == "amount" {
		about += " coinslot-mistake"
		input = input.Attr("aria-invalid", "true")
	}
	return c.labeled(label, input.Attr("aria-describedby", about))
}

func (c *chooser) quantityField() node.Node {
	o := c.Page.Offer
	options := make([]node.Node, 0, o.Most)
	for n := o.Least; n <= o.Most; n++ {
		text := strconv.Itoa(n)
		options = append(options, node.El("option").Attr("value", text).
			Bool("selected", text == c.offered().quantity).Text(text))
	}
	field := node.El("select").Attr("name", "quantity").Attr("data-part", "offer-quantity").
		Body(options...).
		On("change", func(ctx app.Context, _ app.Event) {
			text := ctx.JSSrc().Get("value").String()
			c.editOffer(func(w *offerInput) { w.quantity = text })
			c.requestPrice(ctx)
		})
	if c.Wrong == "quantity" {
		field = field.Attr("aria-invalid", "true").Attr("aria-describedby", "coinslot-mistake")
	}
	return c.labeled("offer.quantity", field)
}

func (c *chooser) labeled(text string, field node.Node) node.Node {
	return node.El("label").Class("field").
		Body(node.El("span").Text(c.Page.T(text)), node.Text(" "), field)
}

// applyButton shows the price of the fields' content. Without scripts it submits the form, which
// then starts no payment.
func (c *chooser) applyButton() node.Node {
	return node.El("button").Attr("type", "submit").Attr("name", "apply").Attr("value", "1").
		Class("button apply").Attr("data-part", "offer-apply").Text(c.Page.T("offer.apply")).
		On("click", func(ctx app.Context, e app.Event) {
			e.PreventDefault()
			c.requestPrice(ctx)
		})
}

// suggested are links that set an amount.
func (c *chooser) suggested() node.Node {
	p := c.Page
	chips := make([]node.Node, 0, len(p.Offer.Suggested))
	for _, amount := range p.Offer.Suggested {
		chip := node.El("a").Class("chip").Attr("translate", "no").
			Attr("data-part", "offer-suggested").
			Attr("data-value", amount).
			Attr("href", p.WithField("amount", amount).Link("")).Text(p.Offer.Prices[amount]).
			On("click", func(ctx app.Context, e app.Event) {
				if widget.StayOnPage(e) {
					c.editOffer(func(w *offerInput) { w.amount = amount })
					c.requestPrice(ctx)
				}
			}, amount)
		if amount == p.View.Order.Amount && c.Wrong == "" {
			chip = chip.Attr("aria-current", "true")
		}
		chips = append(chips, chip)
	}
	return node.El("div").Class("chips").Attr("role", "group").
		Attr("aria-label", p.T("offer.suggested")).Body(widget.WithSpaces(chips...)...)
}

func (c *chooser) limits() node.Node {
	o := c.Page.Offer
	return node.El("small").ID("coinslot-limits").
		Text(c.Page.T("offer.limits", "minimum", o.Prices[o.Minimum], "maximum",
			o.Prices[o.Maximum]))
}

// offerError says beside the field which values it accepts.
func (c *chooser) offerError() node.Node {
	p := c.Page
	o := c.Page.Offer
	switch c.Wrong {
	case "amount":
		return errorText(wire.CodeAmountInvalid,
			p.T("offer.wrong.amount", "minimum", o.Prices[o.Minimum], "maximum",
				o.Prices[o.Maximum])).ID("coinslot-mistake")
	case "quantity":
		return errorText(wire.CodeInvalid,
			p.T("offer.wrong.quantity", "minimum", strconv.Itoa(o.Least), "maximum",
				strconv.Itoa(o.Most))).ID("coinslot-mistake")
	}
	return node.Text("")
}

// addOffer adds the fields' content to the request's members.
func (c *chooser) addOffer(body map[string]string) {
	o := c.Page.Offer
	if o != nil && o.Minimum != "" {
		body["amount"] = NormalizeAmount(c.offered().amount)
	}
	if o != nil && o.Most > 0 {
		body["quantity"] = c.offered().quantity
	}
}

// invalidField is the field of the offer that the server refused; empty for none.
func (c *Checkout) invalidField() string {
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

// fetchPrice asks the server for the price of the fields' content, and shows it.
func (c *Checkout) fetchPrice(ctx app.Context, w offerInput) {
	p := c.Page
	switch {
	case p.Offer == nil:
		return
	case p.Offer.Minimum == "":
		p = p.WithField("quantity", w.quantity)
	case strings.TrimSpace(w.amount) == "":
		c.fail(ctx, &wire.Error{Param: "amount"})
		return
	default:
		p = p.WithField("amount", NormalizeAmount(w.amount))
	}
	c.priceRequests++
	request := c.priceRequests
	ctx.Async(func() {
		status, answer, err := c.Host.Send(context.Background(), "GET", p.Link(""), nil)
		ctx.Dispatch(func(ctx app.Context) {
			if request == c.priceRequests && c.Page.View.Session == "" {
				c.applyPrice(ctx, p, status, answer, err)
			}
		})
	})
}

// applyPrice shows the answer to fetchPrice, which is about page p.
func (c *Checkout) applyPrice(
	ctx app.Context, p widget.Page, status int, answer []byte, err error,
) {
	if err != nil {
		c.fail(ctx, &wire.Error{Detail: c.Page.T("error.offline")})
		return
	}
	view, problem := decodeAnswer(status, answer)
	if problem != nil {
		c.fail(ctx, c.localize(problem))
		return
	}
	set := *c.Page.Offer
	set.Wrong = ""
	c.problem = nil
	c.Page.Carry = p.Carry
	c.Page.Offer = &set
	c.show(ctx, view)
	c.announcement = view.Order.Price
	c.Host.ReplaceURL(c.Page.Link(""))
}
