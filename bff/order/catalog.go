// Package order reads orders: the body of POST /v1/sessions, order tokens, and the catalog.
package order

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"coinslot/app/wire"
	"coinslot/bff/currency"
	"coinslot/bff/internal/yamlfile"
	"coinslot/bff/payment"
)

// Catalog is the items of a static site by id. docs/catalog.md documents the file.
type Catalog struct {
	items map[string]item
}

// Request is what a shopper may choose of an item. The zero Request takes the defaults.
type Request struct {
	// Amount is in the item's currency, for open amounts only; nil = the first suggested one.
	Amount *string
	// Quantity is for items with a quantity only; "" = the minimum.
	Quantity string
}

// Options are the limits of a [Request]. The zero Options leave no choice.
type Options struct {
	// Minimum and Maximum are the inclusive limits of an open amount, decimal text with the places
	// of its Currency; empty = the price is fixed.
	Minimum, Maximum string
	Currency         string
	// Suggested amounts, the default first; empty if the price is fixed.
	Suggested []string
	// Least and Most are the inclusive limits of the quantity; Most 0 = always one.
	Least, Most int
}

var itemID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// LoadCatalog reads the file; an empty path is an empty catalog. Errors name the item and member.
func LoadCatalog(path string) (*Catalog, error) {
	if path == "" {
		return &Catalog{}, nil
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the catalog: %w", err)
	}
	return ParseCatalog(raw)
}

// Empty reports whether c has no items; a nil one has none.
func (c *Catalog) Empty() bool { return c == nil || len(c.items) == 0 }

// ParseCatalog reads the YAML of a catalog:
//
//	items:
//	  coffee:
//	    title: {en: Coffee, de: Kaffee}
//	    amount_usd: "4.50"
//	    quantity: {minimum: 1, maximum: 10}
//	  beans:
//	    title: Beans
//	    amount: "17.00"
//	    currency: EUR
//	  tip:
//	    title: Tip
//	    open: {minimum: "1", maximum: "100", suggested: ["5", "10", "20"]}
//
// docs/catalog.md has all members. Errors name the item and the member.
func ParseCatalog(raw []byte) (*Catalog, error) {
	var file catalogFile
	if err := yamlfile.Read(raw, &file, false); err != nil {
		return nil, fmt.Errorf("reading the catalog: %w", inWords(err))
	}

	if file.Currency != "" {
		if err := checkCurrency(file.Currency); err != nil {
			return nil, fmt.Errorf("reading the catalog: %w", err)
		}
	}
	items := map[string]item{}
	for _, id := range slices.Sorted(maps.Keys(file.Items)) {
		if !itemID.MatchString(id) {
			return nil, fmt.Errorf(
				"reading the catalog: item %q: an id is letters, digits, - and _", id,
			)
		}
		it, err := file.Items[id].item(id, file.Currency)
		if err != nil {
			return nil, fmt.Errorf("reading the catalog: item %q: %w", id, err)
		}
		items[id] = it
	}
	return &Catalog{items: items}, nil
}

// inWords names the item that an error of the file is about.
func inWords(err error) error {
	fault, ok := errors.AsType[*yamlfile.Error](err)
	if !ok {
		return err
	}
	place := fault.Member + ": "
	if rest, inItem := strings.CutPrefix(fault.Member, "items."); inItem {
		id, member, deeper := strings.Cut(rest, ".")
		place = `item "` + id + `": ` // the names are escaped
		if deeper {
			place += member + ": "
		}
	}
	return fmt.Errorf("%s%s (line %d)", place, fault.Reason, fault.Line)
}

// Order returns the order for one item in the language of the page, a BCP 47 tag. An amount for
// a fixed price, and a quantity for an item without one, are ignored.
//
// Errors: *wire.Error with CodeItemUnknown, CodeAmountInvalid and Param "amount", or
// CodeInvalid and Param "quantity".
func (c *Catalog) Order(id string, w Request, lang string) (payment.Order, error) {
	it, ok := c.items[id]
	if !ok {
		return payment.Order{}, payment.NewError(wire.CodeItemUnknown, "item")
	}
	price, err := it.priceFor(w.Amount)
	if err != nil {
		return payment.Order{}, err
	}
	n, err := it.countFor(w.Quantity)
	if err != nil {
		return payment.Order{}, err
	}
	o := it.order(price, n, lang)
	return o, o.Validate()
}

// Options returns the limits of an item; zero for an unknown item.
func (c *Catalog) Options(id string) Options {
	it := c.items[id]
	t := Options{Least: it.quantity.least, Most: it.quantity.most}
	if it.open == nil {
		return t
	}
	t.Currency = it.currency
	t.Minimum = currency.Text(it.open.minimum, it.currency)
	t.Maximum = currency.Text(it.open.maximum, it.currency)
	for _, amount := range it.open.suggested {
		t.Suggested = append(t.Suggested, currency.Text(amount, it.currency))
	}
	return t
}

// Currencies returns the currencies of the items, sorted.
func (c *Catalog) Currencies() []string {
	codes := map[string]bool{}
	for _, it := range c.items {
		codes[it.currency] = true
	}
	return slices.Sorted(maps.Keys(codes))
}
