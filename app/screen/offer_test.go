package screen

import (
	"context"
	"strings"
	"testing"

	"coinslot/app/widget/node"
	"coinslot/app/wire"
	"coinslot/bff/fortest"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

func TestNormalizeAmount(t *testing.T) {
	for typed, want := range map[string]string{
		"5": "5", " 5.00 ": "5.00", "4,50": "4.50", "4,5": "4.5", "1234,50": "1234.50",
		"\u00a05\t": "5",
		"٤٫٥٠":      "4.50", "٤,٥٠": "4.50", "۱۲": "12",
		"७.२५": "7.25", "৭.২৫": "7.25", "๗.๒๕": "7.25", "௭.௨௫": "7.25", "７．２５": "7.25", "５": "5",
		"$7": "7", "7 $": "7", "US$ 7": "7", "7 USD": "7", "7.": "7", "4,": "4", "07": "7", "007.50": "7.50",
		",5": "0.5", ".5": "0.5", "0": "0", "000": "0", "0,50": "0.50", "": "", " ": "",
		"\u200e7\u200f": "7",
		// what could be two amounts, or none, stays as it is, and is refused
		"1,000": "1,000", "1,000.50": "1,000.50", "1.000,50": "1.000,50", ",": ",",
		"1,2,3": "1,2,3", "1,2,": "1,2,", "1.000,5": "1.000,5", "5.001": "5.001", ".": ".",
		"-5": "-5", "1e3": "1e3", "1 000": "1 000", "٬": "٬", "€5": "€5", "five": "five",
	} {
		fortest.Equal(t, NormalizeAmount(typed), want, "NormalizeAmount(%q)", typed)
	}
}

// chooserOf is the form of a sample with what was typed into it.
func chooserOf(t *testing.T, sample, amount, quantity string) *chooser {
	t.Helper()
	c := &chooser{Page: named(t, sample)}
	c.editOffer(func(w *offerInput) {
		w.amount = amount
		w.quantity = quantity
	})
	c.pick("TON", "")
	return c
}

// What is typed is what is sent, applied or not.
func TestOfferSendsInput(t *testing.T) {
	for _, row := range []struct{ sample, amount, quantity, want string }{
		{"open-amount", "7", "", "7 "},
		{"open-amount", "4,50", "", "4.50 "},
		{"open-amount", "", "", " "},
		{"open-quantity", "", "4", " 4"},
		{"open-unsaved", "7", "4", " "},
	} {
		c := chooserOf(t, row.sample, row.amount, row.quantity)
		body, missing := c.body()
		_, given := body["amount"]
		got := body["amount"] + " " + body["quantity"]
		if got != row.want || missing != "" ||
			given != (row.sample == "open-amount") {
			t.Errorf("%s: the form sends %v, %q; want %q", row.sample, body, missing, row.want)
		}
	}
	c := &chooser{Page: named(t, "open-amount")}
	c.pick("TON", "")
	if body, _ := c.body(); body["amount"] != "20.00" {
		t.Errorf("untouched, the form sends %v", body)
	}
}

// repricing mounts a sample, asks for a price and returns what was requested.
func repricing(
	t *testing.T, sample string, b *browserFake, w offerInput,
) (*Checkout, string, app.Context, app.TestEngine) {
	t.Helper()
	c, ctx, engine := live(t, sample, b)
	asked := ""
	send := c.Host.Send
	c.Host.Send = func(ctx context.Context, method, path string, body []byte) (int, []byte, error) {
		asked = method + " " + path
		return send(ctx, method, path, body)
	}
	c.fetchPrice(ctx, w)
	engine.ConsumeAll()
	return c, asked, ctx, engine
}

func TestFetchPrice(t *testing.T) {
	view := named(t, "open-amount").View
	view.Order = wire.Order{Amount: "4.50", AmountUSD: "4.50", Price: "$4.50"}
	b := &browserFake{status: 200, answer: view}
	c, asked, _, _ := repricing(t, "open-amount", b, offerInput{amount: "4,50"})
	fortest.Equal(t, asked, "GET /checkout?item=tip&amount=4.50", "asked")
	if c.Page.View.Order.AmountUSD != "4.50" || b.address != "/checkout?item=tip&amount=4.50" ||
		c.announcement != "$4.50" {
		t.Errorf("price %s, address %s, said %q", c.Page.View.Order.AmountUSD, b.address, c.announcement)
	}
	fortest.Has(t, "the new price is not on the page", node.HTML(c),
		`data-value="4.50" dir="auto" translate="no">$4.50`)
}

func TestFetchPriceQuantity(t *testing.T) {
	view := named(t, "open-quantity").View
	view.Order.AmountUSD = "18.00"
	view.Order.Price = "$18.00"
	b := &browserFake{status: 200, answer: view}
	c, asked, _, _ := repricing(t, "open-quantity-wrong", b, offerInput{quantity: "4"})
	fortest.Equal(t, asked, "GET /checkout?item=coffee&quantity=4", "asked")
	page := node.HTML(c)
	if strings.Contains(page, `data-part="error"`) ||
		!strings.Contains(page, "$18.00") {
		t.Error("the page does not show the price, or still the mistake")
	}
}

// An error is shown once, beside the field; the price stays.
func TestFetchPriceRefused(t *testing.T) {
	refusal := wire.Error{Code: wire.CodeAmountInvalid, Param: "amount", Status: 422}
	for _, w := range []offerInput{{amount: "501"}, {amount: " "}} {
		c, asked, _, _ := repricing(t, "open-amount", &browserFake{status: 422, answer: refusal}, w)
		page := node.HTML(c)
		n := len(part(page, "error"))
		if n != 1 ||
			!strings.Contains(page, "Enter an amount from $1.00 to $500.00.") ||
			!strings.Contains(page, `aria-invalid="true"`) {
			t.Errorf("%+v: %d errors on the page", w, n)
		}
		fortest.Equal(t, c.Page.View.Order.AmountUSD, "20.00", "%+v: the price has become", w)
		if empty := w.amount == " "; (asked == "") != empty {
			t.Errorf("%+v: asked %q", w, asked)
		}
	}
}

// An answer that comes when the order is stored, or another price was asked for
// since, changes nothing.
func TestFetchPriceTooLate(t *testing.T) {
	late := named(t, "open-amount").View
	late.Order.AmountUSD = "7.00"
	for name, meanwhile := range map[string]func(*Checkout, app.Context){
		"stored":      func(c *Checkout, ctx app.Context) { c.show(ctx, pendingView()) },
		"asked again": func(c *Checkout, _ app.Context) { c.priceRequests++ },
	} {
		t.Run(name, func(t *testing.T) {
			c, ctx, engine := live(t, "open-amount", &browserFake{status: 200, answer: late})
			c.fetchPrice(ctx, offerInput{amount: "7"})
			meanwhile(c, ctx)
			engine.ConsumeAll()
			if c.Page.View.Order.AmountUSD == "7.00" {
				t.Error("a late price is shown")
			}
		})
	}
}

// Once the order is stored there is nothing to set any more.
func TestOfferEndsWithOrder(t *testing.T) {
	p := named(t, "open-amount").WithSession("cs_1")
	if p.Offer != nil || len(p.Carry) != 0 {
		t.Errorf("a stored page has the offer %+v and carries %v", p.Offer, p.Carry)
	}
}
