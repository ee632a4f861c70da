package order

import (
	"fmt"
	"os"
	"regexp"
	"strconv"

	"coinslot/app/wire"
	"coinslot/bff/checkout"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/shopspring/decimal"
)

// Catalog is what a static site sells: items by id.
type Catalog struct {
	items map[string]item
}

// item is one entry of the file: either a fixed amount_usd, or an open amount
// that the shopper sets within limits. Numbers are text, as the file writes them;
// see asWritten.
type item struct {
	Title       string   `yaml:"title"`
	Description string   `yaml:"description"`
	AmountUSD   string   `yaml:"amount_usd"`
	Open        *open    `yaml:"open"`
	Currencies  []string `yaml:"currencies"`
	TTLMinutes  string   `yaml:"ttl_minutes"`
	SuccessURL  string   `yaml:"success_url"`
	CancelURL   string   `yaml:"cancel_url"`
}

// open are the inclusive limits of an open amount; suggested is what the page
// proposes when the shopper has said nothing.
type open struct {
	Minimum   string `yaml:"minimum"`
	Maximum   string `yaml:"maximum"`
	Suggested string `yaml:"suggested"`
}

// asWritten makes what YAML would read as numbers and the like the text that the
// file has. To YAML, 010 is eight, 0x10 sixteen and 1_000 a thousand; here an
// amount is what checkout.ParseAmount says, and 010 the name of an item.
type asWritten struct{}

// Visit implements ast.Visitor.
func (v asWritten) Visit(node ast.Node) ast.Visitor {
	switch n := node.(type) {
	case *ast.MappingValueNode:
		if key, ok := written(n.Key).(ast.MapKeyNode); ok {
			n.Key = key
		}
		n.Value = written(n.Value)
	case *ast.SequenceNode:
		for i := range n.Values {
			n.Values[i] = written(n.Values[i])
		}
	case *ast.AnchorNode:
		n.Value = written(n.Value)
	}
	return v
}

func written(node ast.Node) ast.Node {
	switch n := node.(type) {
	case *ast.TagNode: // !!binary and the like
		return written(n.Value)
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return ast.String(node.GetToken())
	}
	return node
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

// Empty reports whether c sells nothing; a nil one does not.
func (c *Catalog) Empty() bool { return c == nil || len(c.items) == 0 }

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
	if err := readYAML(raw, &file); err != nil {
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

// readYAML decodes the one document of raw into v, numbers as text.
func readYAML(raw []byte, v any) error {
	file, err := parser.ParseBytes(raw, 0)
	if err != nil {
		return err
	}
	if len(file.Docs) > 1 {
		return fmt.Errorf("the file holds %d documents; one is read", len(file.Docs))
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return nil
	}
	ast.Walk(asWritten{}, file.Docs[0].Body)
	return yaml.NodeToValue(file.Docs[0].Body, v, yaml.DisallowUnknownField())
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
	_, err := it.order(amount)
	return err
}

func (p open) check() error {
	least, err := checkout.ParseAmount(p.Minimum)
	if err != nil {
		return fmt.Errorf("open.minimum: must be dollars like \"1.00\"")
	}
	most, err := checkout.ParseAmount(p.Maximum)
	if err != nil || most.LessThan(least) {
		return fmt.Errorf("open.maximum: must be dollars, at least the minimum")
	}
	if !p.allows(p.Suggested) {
		return fmt.Errorf("open.suggested: must lie within the limits")
	}
	return nil
}

// allows reports whether text is an amount within the limits.
func (p open) allows(text string) bool {
	amount, err := checkout.ParseAmount(text)
	within := func(limit string, ok func(a, b decimal.Decimal) bool) bool {
		d, err := checkout.ParseAmount(limit)
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
		SuccessURL: it.SuccessURL, CancelURL: it.CancelURL,
	}
	if it.TTLMinutes != "" {
		n, err := strconv.Atoi(it.TTLMinutes)
		if err != nil || strconv.Itoa(n) != it.TTLMinutes {
			return o, refuse(wire.CodeInvalid, "ttl_minutes")
		}
		if o.TTLMinutes, err = positive(&n, "ttl_minutes"); err != nil {
			return o, err
		}
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
		return it.order(it.AmountUSD)
	}
	if amount == "" {
		amount = it.Open.Suggested
	}
	if !it.Open.allows(amount) {
		return checkout.Order{}, refuse(wire.CodeAmountInvalid, "amount")
	}
	return it.order(amount)
}
