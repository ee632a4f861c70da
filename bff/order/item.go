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

// item is one entry of the catalog: either a fixed price, perhaps with a quantity, or an open
// amount that the shopper sets within limits.
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

// openAmount has the inclusive limits of an open amount; suggested[0] is the default.
type openAmount struct {
	minimum, maximum decimal.Decimal
	suggested        []decimal.Decimal
}

// quantity has the inclusive limits of a quantity; the zero quantity is always one.
type quantity struct{ least, most int }

// Limits of the file, for what fits into buttons and a list.
const (
	maxSuggested = 6
	maxQuantity  = 100
)

// readItem parses and validates one entry. Errors name the member.
func readItem(id string, value any) (item, error) {
	m := mappingOf(value)
	m.allowOnly("title", "description", "amount_usd", "open", "quantity", "currencies",
		"ttl_minutes", "success_url", "cancel_url")
	it := item{
		id:          id,
		title:       m.localized("title"),
		description: m.localized("description"),
		currencies:  m.list("currencies"),
		ttlMinutes:  m.integer("ttl_minutes", 1_000_000),
		successURL:  m.text("success_url"),
		cancelURL:   m.text("cancel_url"),
	}
	switch fixed, free := m.has("amount_usd"), m.has("open"); {
	case fixed == free:
		m.fail("amount_usd", "set either amount_usd or open")
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
			m.fail("suggested", "duplicate amount")
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
		m.fail("maximum",
			fmt.Sprintf("required: at least 2 and the minimum, at most %d", maxQuantity))
	}
	return q
}

// check validates the orders that an item can produce, at the ends of its limits and in each of
// its languages, so that shoppers never see them rejected.
func (it item) check() error {
	price := it.price
	if it.open != nil {
		price = it.open.minimum // any amount will do to validate the texts
	}
	_, most := it.counts()
	all := price.Mul(decimal.NewFromInt(int64(most)))
	if _, err := payment.ParseAmount(all.String()); err != nil {
		return errors.New("quantity.maximum: that many cost more than can be charged")
	}
	for _, lang := range append(it.title.languages(), it.description.languages()...) {
		err := it.order(price, most, lang).Validate()
		if e, ok := errors.AsType[*wire.Error](err); ok {
			return fmt.Errorf("%s: malformed, too long or out of range", it.member(e.Param, lang))
		}
	}
	return nil
}

// member returns the member of the file for a param of an order.
func (it item) member(param, lang string) string {
	if param == "title" && slices.Contains(it.title.tags, lang) ||
		param == "description" && slices.Contains(it.description.tags, lang) {
		return param + "." + lang
	}
	return param
}

func (o openAmount) allows(amount decimal.Decimal) bool {
	return amount.GreaterThanOrEqual(o.minimum) && amount.LessThanOrEqual(o.maximum)
}

// priceFor returns the price of one, as requested if the item permits it.
func (it item) priceFor(requested *string) (decimal.Decimal, error) {
	switch {
	case it.open == nil:
		return it.price, nil
	case requested == nil:
		return it.open.suggested[0], nil
	}
	amount, err := payment.ParseAmount(*requested)
	if err != nil || !it.open.allows(amount) {
		return decimal.Zero, payment.NewError(wire.CodeAmountInvalid, "amount")
	}
	return amount, nil
}

var wholeText = regexp.MustCompile(`^[1-9][0-9]{0,8}$`)

// countFor returns the quantity, as requested if the item permits it.
func (it item) countFor(requested string) (int, error) {
	least, most := it.counts()
	if it.quantity.most == 0 || requested == "" {
		return least, nil
	}
	n, err := strconv.Atoi(requested)
	if err != nil || !wholeText.MatchString(requested) || n < least || n > most {
		return 0, payment.NewError(wire.CodeInvalid, "quantity")
	}
	return n, nil
}

func (it item) counts() (least, most int) {
	return max(it.quantity.least, 1), max(it.quantity.most, 1)
}

// order returns the order of n items at that price. Its metadata tells the merchant's webhook
// what was bought.
func (it item) order(price decimal.Decimal, n int, lang string) payment.Order {
	o := payment.Order{
		AmountUSD:   price.Mul(decimal.NewFromInt(int64(n))),
		Title:       it.title.in(lang),
		Description: it.description.in(lang),
		Metadata:    map[string]string{"item": it.id},
		Currencies:  it.currencies,
		TTLMinutes:  it.ttlMinutes,
		SuccessURL:  it.successURL,
		CancelURL:   it.cancelURL,
		Item:        it.id,
	}
	if it.quantity.most > 0 {
		o.Metadata["quantity"] = strconv.Itoa(n)
	}
	if n > 1 && o.Title != "" {
		// Digits and × are neutral: they take the text direction of the title.
		o.Title = strconv.Itoa(n) + " × " + o.Title
	}
	return o
}
