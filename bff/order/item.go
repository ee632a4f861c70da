package order

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"coinslot/app/wire"
	"coinslot/bff/payment"

	"github.com/shopspring/decimal"
)

// item is one entry of the catalogue: either a fixed price, perhaps with a
// quantity, or an open amount that the shopper sets within limits.
type item struct {
	id                 string
	title, description localized
	price              decimal.Decimal // of one; zero if open is set
	open               *openAmount     // nil if the price is fixed
	quantity           quantity
	currencies         []string
	ttlMinutes         int
	successURL         string
	cancelURL          string
}

// openAmount are the inclusive limits of an open amount; the first of suggested is
// what is asked when the shopper has said nothing.
type openAmount struct {
	minimum, maximum decimal.Decimal
	suggested        []decimal.Decimal
}

// quantity are the inclusive limits of how many of an item are bought at once;
// the zero quantity is one, without a choice.
type quantity struct{ least, most int }

// Limits of the file: more would be neither buttons nor a list to choose from.
const (
	maxSuggested = 6
	maxQuantity  = 100
)

// readItem reads and checks one entry. Errors name the member.
func readItem(id string, value any) (item, error) {
	m := mappingOf(value)
	m.allowOnly("title", "description", "amount_usd", "open", "quantity", "currencies",
		"ttl_minutes",
		"success_url", "cancel_url")
	it := item{
		id: id, title: m.localized("title"), description: m.localized("description"),
		currencies: m.list("currencies"),
		ttlMinutes: m.integer("ttl_minutes", 1_000_000), successURL: m.text("success_url"),
		cancelURL: m.text("cancel_url"),
	}
	switch fixed, free := m.has("amount_usd"), m.has("open"); {
	case fixed == free:
		m.fail("amount_usd", "needed, or else open; not both")
	case fixed:
		it.price = m.amount("amount_usd")
	default:
		it.open = readOpen(m.mapping("open"))
	}
	if m.has("quantity") {
		it.quantity = readQuantity(m.mapping("quantity"))
		if it.open != nil {
			m.fail("quantity", "only with amount_usd")
		}
	}
	if err := m.error(); err != nil {
		return it, err
	}
	return it, it.check()
}

func readOpen(m *mapping) *openAmount {
	m.allowOnly("minimum", "maximum", "suggested")
	o := &openAmount{minimum: m.amount("minimum"), maximum: m.amount("maximum")}
	if o.maximum.LessThan(o.minimum) {
		m.fail("maximum", "less than the minimum")
	}
	texts := m.oneOrMore("suggested")
	if len(texts) < 1 || len(texts) > maxSuggested {
		m.fail("suggested", fmt.Sprintf("one amount, or a list of up to %d", maxSuggested))
	}
	for _, text := range texts {
		amount, err := payment.ParseAmount(text)
		if err != nil || !o.allows(amount) {
			m.fail("suggested", "not an amount within the limits")
		}
		if slices.ContainsFunc(o.suggested, amount.Equal) {
			m.fail("suggested", "the same amount twice")
		}
		o.suggested = append(o.suggested, amount)
	}
	return o
}

func readQuantity(m *mapping) quantity {
	m.allowOnly("minimum", "maximum")
	q := quantity{least: 1, most: m.integer("maximum", maxQuantity)}
	if m.has("minimum") {
		q.least = m.integer("minimum", maxQuantity)
	}
	if q.most < max(q.least, 2) {
		m.fail(
			"maximum", fmt.Sprintf("needed: at least 2 and the minimum, at most %d", maxQuantity),
		)
	}
	return q
}

// check makes the orders that can come of the item, at the ends of what it
// allows and in each of its languages, so that none is refused to a shopper.
func (it item) check() error {
	price := it.price
	if it.open != nil {
		price = it.open.minimum // its texts are the same for every amount
	}
	_, most := it.counts()
	if _, err := payment.ParseAmount(price.Mul(decimal.NewFromInt(int64(most))).String()); err !=
		nil {
		return errors.New("quantity.maximum: so many cost more than can be charged")
	}
	for _, lang := range append(it.title.languages(), it.description.languages()...) {
		var e *wire.Error
		if err := it.order(price, most, lang).Validate(); errors.As(err, &e) {
			return fmt.Errorf("%s: malformed, too long or out of range", it.member(e.Param, lang))
		}
	}
	return nil
}

// member names what is wrong in an order by the file's member.
func (it item) member(param, lang string) string {
	if param == "title" && slices.Contains(it.title.tags, lang) ||
		param == "description" && slices.Contains(it.description.tags, lang) {
		return param + "." + lang
	}
	return param
}

// allows reports whether an amount is within the limits.
func (o openAmount) allows(amount decimal.Decimal) bool {
	return amount.GreaterThanOrEqual(o.minimum) && amount.LessThanOrEqual(o.maximum)
}

// priceFor is the price of one, as far as the shopper may say it.
func (it item) priceFor(requested *string) (decimal.Decimal, error) {
	switch {
	case it.open == nil:
		return it.price, nil
	case requested == nil:
		return it.open.suggested[0], nil
	}
	amount, err := payment.ParseAmount(*requested)
	if err != nil || !it.open.allows(amount) {
		return decimal.Zero, refuse(wire.CodeAmountInvalid, "amount")
	}
	return amount, nil
}

var wholeText = regexp.MustCompile(`^[1-9][0-9]{0,8}$`)

// countFor is how many are bought, as far as the shopper may say it.
func (it item) countFor(requested string) (int, error) {
	least, most := it.counts()
	if it.quantity.most == 0 || requested == "" {
		return least, nil
	}
	n, err := strconv.Atoi(requested)
	if err != nil || !wholeText.MatchString(requested) || n < least || n > most {
		return 0, refuse(wire.CodeInvalid, "quantity")
	}
	return n, nil
}

// counts are the limits of the quantity; one and one without a choice.
func (it item) counts() (least, most int) {
	return max(it.quantity.least, 1), max(it.quantity.most, 1)
}

// order is the order of n items at a price each. The merchant's webhook learns
// from its metadata what was bought.
func (it item) order(price decimal.Decimal, n int, lang string) payment.Order {
	o := payment.Order{
		AmountUSD: price.Mul(decimal.NewFromInt(int64(n))), Title: it.title.in(lang),
		Description: it.description.in(lang),
		Metadata:    map[string]string{"item": it.id}, Currencies: it.currencies,
		TTLMinutes: it.ttlMinutes, SuccessURL: it.successURL, CancelURL: it.cancelURL,
	}
	if it.quantity.most > 0 {
		o.Metadata["quantity"] = strconv.Itoa(n)
	}
	if n > 1 && o.Title != "" {
		// Digits and × have no direction of their own: where the title is shown as
		// text of its own direction, they take that of the words behind them.
		o.Title = strconv.Itoa(n) + " × " + o.Title
	}
	return o
}
