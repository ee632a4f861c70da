package order

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"coinslot/app/wire"
	"coinslot/bff/currency"
	"coinslot/bff/payment"

	"github.com/shopspring/decimal"
)

// item is one entry of the catalog: either a fixed price, perhaps with a quantity, or an open
// amount that the shopper sets within limits.
type item struct {
	id                 string
	title, description localized
	currency           string          // ISO 4217, of all its amounts
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

// item returns the item that is written in a catalog whose currency is code; empty = USD. Errors name
// the member.
func (r itemRecord) item(id, code string) (item, error) {
	it := item{
		id:         id,
		currency:   cmp.Or(r.Currency, code, currency.USD),
		currencies: r.Currencies,
		ttlMinutes: int(r.TTLMinutes),
		successURL: r.SuccessURL,
		cancelURL:  r.CancelURL,
	}

	if r.AmountUSD != nil {
		it.currency = currency.USD
	}
	err := checkCurrency(it.currency)
	if err != nil {
		return item{}, err
	}

	it.title, err = localize("title", r.Title)
	if err != nil {
		return item{}, err
	}
	it.description, err = localize("description", r.Description)
	if err != nil {
		return item{}, err
	}

	switch {
	case r.AmountUSD != nil && (r.Amount != nil || r.Open != nil || r.Currency != ""),
		r.Amount != nil && r.Open != nil,
		r.AmountUSD == nil && r.Amount == nil && r.Open == nil:
		return item{}, errors.New("amount_usd: set either amount_usd, or amount and currency, or open")
	case r.Open != nil && r.Quantity != nil:
		return item{}, errors.New("quantity: not with open")
	case r.Open != nil:
		it.open, err = r.Open.limits(it.currency)
	case r.Amount != nil:
		it.price, err = parseAmount("amount", *r.Amount, it.currency)
	default:
		it.price, err = parseAmount("amount_usd", *r.AmountUSD, it.currency)
	}
	if err != nil {
		return item{}, err
	}

	if r.Quantity != nil {
		it.quantity, err = r.Quantity.limits()
		if err != nil {
			return item{}, err
		}
	}
	return it, it.check()
}

// checkCurrency returns an error unless code is that of a currency in use.
func checkCurrency(code string) error {
	if _, known := currency.Digits(code); !known {
		return errors.New("currency: must be an ISO 4217 code in capitals, like EUR")
	}
	return nil
}

// limits returns the open amount that is written, in a currency.
func (r openRecord) limits(code string) (*openAmount, error) {
	minimum, err := parseAmount("open.minimum", r.Minimum, code)
	if err != nil {
		return nil, err
	}
	maximum, err := parseAmount("open.maximum", r.Maximum, code)
	if err != nil {
		return nil, err
	}
	if maximum.LessThan(minimum) {
		return nil, errors.New("open.maximum: less than the minimum")
	}

	o := &openAmount{minimum: minimum, maximum: maximum}
	if len(r.Suggested) < 1 || len(r.Suggested) > maxSuggested {
		return nil, fmt.Errorf("open.suggested: one amount, or a list of up to %d", maxSuggested)
	}
	for _, text := range r.Suggested {
		amount, err := parseItemAmount(text, code)
		if err != nil || !o.allows(amount) {
			return nil, errors.New("open.suggested: not an amount within the limits")
		}
		if slices.ContainsFunc(o.suggested, amount.Equal) {
			return nil, errors.New("open.suggested: duplicate amount")
		}
		o.suggested = append(o.suggested, amount)
	}
	return o, nil
}

func (r quantityRecord) limits() (quantity, error) {
	q := quantity{least: max(int(r.Minimum), 1), most: int(r.Maximum)}
	if q.most < max(q.least, 2) || q.most > maxQuantity {
		return quantity{}, fmt.Errorf(
			"quantity.maximum: required: at least 2 and the minimum, at most %d", maxQuantity,
		)
	}
	return q, nil
}

// parseAmount reads an amount of a currency; errors name the member.
func parseAmount(member, text, code string) (decimal.Decimal, error) {
	amount, err := parseItemAmount(text, code)
	if err == nil {
		return amount, nil
	}
	if code == currency.USD {
		return decimal.Zero, fmt.Errorf(`%s: must be dollars like "4.50"`, member)
	}
	return decimal.Zero, fmt.Errorf("%s: %w", member, err)
}

// parseItemAmount reads an amount of a currency that can be charged. Errors: not one.
func parseItemAmount(text, code string) (decimal.Decimal, error) {
	if code == currency.USD {
		return payment.ParseAmount(text)
	}
	return currency.ParseAmount(text, code)
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
	if _, err := parseItemAmount(all.String(), it.currency); err != nil {
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
	amount, err := parseItemAmount(*requested, it.currency)
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
		Title:       it.title.in(lang),
		Description: it.description.in(lang),
		Metadata:    map[string]string{"item": it.id},
		Currencies:  it.currencies,
		TTLMinutes:  it.ttlMinutes,
		SuccessURL:  it.successURL,
		CancelURL:   it.cancelURL,
		Item:        it.id,
	}
	total := price.Mul(decimal.NewFromInt(int64(n)))
	if it.currency == currency.USD {
		o.AmountUSD = total
	} else {
		o.Amount = total
		o.Currency = it.currency
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
