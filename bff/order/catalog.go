package order

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"coinslot/app/wire"
	"coinslot/bff/checkout"

	"github.com/goccy/go-yaml"
	"github.com/shopspring/decimal"
)

// Catalog is what a static site sells: items by id.
type Catalog struct {
	items map[string]item
}

// item is one entry of the file: either a fixed amount_usd, or an open amount
// that the shopper sets within limits.
type item struct {
	Title       string   `yaml:"title"`
	Description string   `yaml:"description"`
	AmountUSD   dollars  `yaml:"amount_usd"`
	Open        *open    `yaml:"open"`
	Currencies  []string `yaml:"currencies"`
	TTLMinutes  int      `yaml:"ttl_minutes"`
	SuccessURL  string   `yaml:"success_url"`
	CancelURL   string   `yaml:"cancel_url"`
}

// open are the inclusive limits of an open amount; suggested is what the page
// proposes when the shopper has said nothing.
type open struct {
	Minimum   dollars `yaml:"minimum"`
	Maximum   dollars `yaml:"maximum"`
	Suggested dollars `yaml:"suggested"`
}

// dollars are an amount as the file writes it. To YAML, 010 is eight, 0x10
// sixteen and 1_000 a thousand; here they are what checkout.ParseAmount says.
type dollars string

// UnmarshalYAML implements yaml.BytesUnmarshaler.
func (d *dollars) UnmarshalYAML(text []byte) error {
	*d = dollars(strings.Trim(strings.TrimSpace(string(text)), `"'`))
	return nil
}

var itemID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// LoadCatalog reads the file; an empty path is an empty catalogue. Errors name
// the item and member that are wrong.
func LoadCatalog(path string) (*Catalog, error) {
	if path == "" {
		return &Catalog{}, nil
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the catalogue: %w", err)
	}
	return ParseCatalog(raw)
}

// ParseCatalog reads the YAML of a catalogue:
//
//	items:
//	  coffee:
//	    title: Coffee
//	    amount_usd: "4.50"
//	  tip:
//	    title: Tip
//	    open: {minimum: "1", maximum: "100", suggested: "5"}
func ParseCatalog(raw []byte) (*Catalog, error) {
	var file struct {
		Items map[string]item `yaml:"items"`
	}
	if err := yaml.UnmarshalWithOptions(raw, &file, yaml.DisallowUnknownField()); err != nil {
		return nil, fmt.Errorf("reading the catalogue: %w", err)
	}
	for id, it := range file.Items {
		if !itemID.MatchString(id) {
			return nil, fmt.Errorf("reading the catalogue: item %q: an id is letters, digits, - and _", id)
		}
		if err := it.check(); err != nil {
			return nil, fmt.Errorf("reading the catalogue: item %q: %w", id, err)
		}
	}
	return &Catalog{items: file.Items}, nil
}

func (it item) check() error {
	if (it.AmountUSD == "") == (it.Open == nil) {
		return fmt.Errorf("needs either amount_usd or open")
	}
	amount := it.AmountUSD
	if it.Open != nil {
		if err := it.Open.check(); err != nil {
			return err
		}
		amount = it.Open.Suggested
	}
	_, err := it.order(string(amount))
	return err
}

func (p open) check() error {
	least, err := checkout.ParseAmount(string(p.Minimum))
	if err != nil {
		return fmt.Errorf("open.minimum: must be dollars like \"1.00\"")
	}
	most, err := checkout.ParseAmount(string(p.Maximum))
	if err != nil || most.LessThan(least) {
		return fmt.Errorf("open.maximum: must be dollars, at least the minimum")
	}
	if !p.allows(string(p.Suggested)) {
		return fmt.Errorf("open.suggested: must lie within the limits")
	}
	return nil
}

// allows reports whether text is an amount within the limits.
func (p open) allows(text string) bool {
	amount, err := checkout.ParseAmount(text)
	within := func(limit dollars, ok func(a, b decimal.Decimal) bool) bool {
		d, err := checkout.ParseAmount(string(limit))
		return err == nil && ok(amount, d)
	}
	return err == nil && within(p.Minimum, decimal.Decimal.GreaterThanOrEqual) && within(p.Maximum, decimal.Decimal.LessThanOrEqual)
}

func (it item) order(amount string) (checkout.Order, error) {
	d, err := checkout.ParseAmount(amount)
	if err != nil {
		return checkout.Order{}, err
	}
	o := checkout.Order{
		AmountUSD: d, Title: it.Title, Description: it.Description, Currencies: it.Currencies,
		TTLMinutes: it.TTLMinutes, SuccessURL: it.SuccessURL, CancelURL: it.CancelURL,
	}
	return o, o.Validate()
}

// Order returns the order for one item. amount is what the shopper asks to pay:
// it is looked at only for open items, where "" stands for the suggested one.
//
// Errors: *wire.Error with CodeItemUnknown, or CodeAmountInvalid for an amount
// beyond the item's limits.
func (c *Catalog) Order(id, amount string) (checkout.Order, error) {
	it, ok := c.items[id]
	if !ok {
		return checkout.Order{}, refuse(wire.CodeItemUnknown, "item")
	}
	if it.Open == nil {
		return it.order(string(it.AmountUSD))
	}
	if amount == "" {
		amount = string(it.Open.Suggested)
	}
	if !it.Open.allows(amount) {
		return checkout.Order{}, refuse(wire.CodeAmountInvalid, "amount")
	}
	return it.order(amount)
}
