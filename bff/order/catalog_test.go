package order

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

const catalog = `
items:
  coffee:
    title: {de: Kaffee, en: Coffee, ar: قهوة}
    description: {fr: En grains, de: Ganze Bohnen}
    amount_usd: "4.50"
    quantity: {minimum: 2, maximum: 10}
    currencies: [USDT]
  mug:
    title: Mug
    amount_usd: "12.10"
  tip:
    title: Tip
    open: {minimum: "1", maximum: "100", suggested: ["5", 10, "20.50"]}
  alms:
    open: {minimum: 0.01, maximum: 999999999.99, suggested: 2}
`

// Names and texts are exactly those of the file, however YAML interprets them.
func TestCatalogAsWritten(t *testing.T) {
	c := fortest.Must(ParseCatalog([]byte("items:\n  010: {title: 010, description: true, amount_usd: 1.10, ttl_minutes: 15}\n  0x1f: {amount_usd: '2', ttl_minutes: \"5\"}\n  a: &x {title: &t 1_000, amount_usd: &n 3}\n  b: *x\n  c: {title: *t, amount_usd: *n, currencies: [1e3]}\n  d: {<<: *x, description: d}\n  e: {title: {en: &e 0x10, de: *e}, amount_usd: 4, quantity: {maximum: 2}}\n  f: {title: null, amount_usd: 5, quantity: ~}\n")))(t)
	for id, want := range map[string]string{"010": "010 true 1.1 15 []", "0x1f": "  2 5 []", "a": "1_000  3 0 []", "b": "1_000  3 0 []", "c": "1_000  3 0 [1e3]", "d": "1_000 d 3 0 []", "e": "0x10  4 0 []", "f": "  5 0 []"} {
		o, err := c.Order(id, Request{}, "en")
		if got := fmt.Sprint(o.Title, " ", o.Description, " ", o.AmountUSD, " ", o.TTLMinutes, " ", o.Currencies); err != nil || got != want {
			t.Errorf("item %s = %q, %v; want %q", id, got, err, want)
		}
	}
}

// Merges, of one mapping or several, may be replaced by what comes after them.
func TestCatalogMerges(t *testing.T) {
	c := fortest.Must(ParseCatalog([]byte(`
items:
  a: &a {title: A, amount_usd: 1, quantity: {maximum: 3}}
  b: &b {description: B, amount_usd: 2}
  c: {<<: *a, title: C}
  d: {<<: [*a, *b], title: D}
  e:
    <<: [*b]
`)))(t)
	for id, want := range map[string]string{
		"a": "1 A  map[item:a quantity:1]",
		"c": "1 C  map[item:c quantity:1]",
		"d": "2 D B map[item:d quantity:1]",
		"e": "2  B map[item:e]",
	} {
		o := fortest.Must(c.Order(id, Request{}, "en"))(t)
		got := fmt.Sprint(o.AmountUSD, " ", o.Title, " ", o.Description, " ", o.Metadata)
		fortest.Equal(t, got, want, "item %s", id)
	}
}

func TestCatalogWithAByteOrderMark(t *testing.T) {
	const file = "items: {mug: {amount_usd: 12.10}}"
	c := fortest.Must(ParseCatalog([]byte("\ufeff" + file)))(t)
	o := fortest.Must(c.Order("mug", Request{}, "en"))(t)
	fortest.Equal(t, o.AmountUSD.String(), "12.1", "the price")

	_, err := ParseCatalog([]byte("\xff\xfei\x00"))
	if err == nil || !strings.Contains(err.Error(), "UTF-16") {
		t.Errorf("a file in UTF-16: %v", err)
	}
}

// If the path is a secret by mistake, the error has the line number but none of the contents.
func TestCatalogQuotesNothing(t *testing.T) {
	for file, want := range map[string]string{
		"s3cr3t": "line 1: string was used where mapping is expected", "root:s3cr3t:0\nbin:s3cr3t:1": "line 1: string", "*s3cr3t": "line 1: could not find alias …", "a: b\nc: *s3cr3t": "line 2: could not find",
		"# notes\ns3cr3t: a: b": "line 2: mapping value is not allowed", "\"s3cr3t": "line 1: ", "@s3cr3t": "line 1: '@' is a reserved character", "- s3cr3t": "line 1: sequence", "{s3cr3t: x": "line 1: ",
		"a: |s3cr3t\n x": "line 1: invalid header option: …", "a: 1\nb: s3cr3t\nb: 2": `line 3: mapping key "b" already defined`, "items: s3cr3t": "items: must be a mapping",
	} {
		_, err := ParseCatalog([]byte(file))
		if err == nil || !strings.HasPrefix(err.Error(), "reading the catalog: "+want) || strings.Contains(err.Error(), "s3cr3t") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v; want one line with %q and nothing of the file", file, err, want)
		}
	}
}

func TestCatalogOrder(t *testing.T) {
	c := fortest.Must(ParseCatalog([]byte(catalog)))(t)
	for _, row := range []struct {
		item, amount, quantity string // "-" is no amount
		want                   string
	}{
		{"mug", "-", "", "12.1 Mug map[item:mug]"},
		{"mug", "0.01", "", "12.1 Mug map[item:mug]"}, // a fixed price hears nothing
		{"mug", "", "", "12.1 Mug map[item:mug]"},
		{"mug", "-", "3", "12.1 Mug map[item:mug]"}, // and what is sold singly, no quantity
		{"mug", "-", "x", "12.1 Mug map[item:mug]"},
		{"coffee", "-", "", "9 2 × Coffee map[item:coffee quantity:2]"},
		{"coffee", "0.01", "3", "13.5 3 × Coffee map[item:coffee quantity:3]"},
		{"coffee", "-", "10", "45 10 × Coffee map[item:coffee quantity:10]"},
		{"coffee", "-", "1", "invalid quantity"},
		{"coffee", "-", "11", "invalid quantity"},
		{"coffee", "-", "0", "invalid quantity"},
		{"coffee", "-", "-3", "invalid quantity"},
		{"coffee", "-", "03", "invalid quantity"},
		{"coffee", "-", "+3", "invalid quantity"},
		{"coffee", "-", "3.0", "invalid quantity"},
		{"coffee", "-", "３", "invalid quantity"},
		{"coffee", "-", " 3", "invalid quantity"},
		{"coffee", "-", "99999999999999999999", "invalid quantity"},
		{"tip", "-", "", "5 Tip map[item:tip]"},
		{"tip", "-", "7", "5 Tip map[item:tip]"},
		{"tip", "1", "", "1 Tip map[item:tip]"},
		{"tip", "100.00", "", "100 Tip map[item:tip]"},
		{"tip", "7.77", "", "7.77 Tip map[item:tip]"}, // need not be one of those suggested
		{"tip", "0.99", "", "amount_invalid amount"},
		{"tip", "100.01", "", "amount_invalid amount"},
		{"tip", "1e1", "", "amount_invalid amount"},
		{"tip", "", "", "amount_invalid amount"}, // given and empty is not "as proposed"
		{"tip", " 5", "", "amount_invalid amount"},
		{"tip", "5,00", "", "amount_invalid amount"},
		{"alms", "-", "", "2  map[item:alms]"},
		{"alms", "0.01", "", "0.01  map[item:alms]"},
		{"alms", "999999999.99", "", "999999999.99  map[item:alms]"},
		{"tea", "-", "", "item_unknown item"},
		{"", "-", "", "item_unknown item"},
	} {
		w := Request{Amount: new(row.amount), Quantity: row.quantity}
		if row.amount == "-" {
			w.Amount = nil
		}
		o, err := c.Order(row.item, w, "en")
		got := code(t, err)
		if err == nil {
			got = fmt.Sprint(o.AmountUSD, " ", o.Title, " ", o.Metadata)
		}
		fortest.Equal(t, got, row.want, "Order(%q, %q, %q)", row.item, row.amount, row.quantity)
	}
}

func TestCatalogOptions(t *testing.T) {
	c := fortest.Must(ParseCatalog([]byte(catalog)))(t)
	for id, want := range map[string]Options{
		"mug": {}, "tea": {}, "": {},
		"coffee": {Least: 2, Most: 10},
		"tip": {
			Minimum:   "1.00",
			Maximum:   "100.00",
			Currency:  "USD",
			Suggested: []string{"5.00", "10.00", "20.50"},
		},
		"alms": {
			Minimum:   "0.01",
			Maximum:   "999999999.99",
			Currency:  "USD",
			Suggested: []string{"2.00"},
		},
	} {
		fortest.Diff(t, c.Options(id), want, "Terms(%q)", id)
	}
}

// TestCatalogCurrencies: an item's currency is its own, else the catalog's, and amount_usd is always
// in dollars.
func TestCatalogCurrencies(t *testing.T) {
	c := fortest.Must(ParseCatalog([]byte(`
currency: EUR
items:
  beans: {title: Beans, amount: "17.00", quantity: {maximum: 3}}
  tea: {title: Tea, amount: 1250, currency: JPY}
  mug: {title: Mug, amount_usd: "12.10"}
  cup: {title: Cup, amount: "9", currency: USD}
  tip: {title: Tip, open: {minimum: 1, maximum: 100, suggested: 5}}
  alms: {title: Alms, open: {minimum: 100, maximum: 9000, suggested: 500}, currency: JPY}
`)))(t)
	fortest.Diff(t, c.Currencies(), []string{"EUR", "JPY", "USD"}, "the currencies (-got +want)")

	for _, row := range []struct{ item, quantity, want string }{
		{"beans", "3", "51 EUR"},
		{"tea", "", "1250 JPY"},
		{"mug", "", "12.1 USD"},
		{"cup", "", "9 USD"},
		{"tip", "", "5 EUR"},
		{"alms", "", "500 JPY"},
	} {
		o := fortest.Must(c.Order(row.item, Request{Quantity: row.quantity}, "en"))(t)
		amount, code := o.Price()
		fortest.Equal(t, amount.String()+" "+code, row.want, "the price of %s", row.item)
	}
	fortest.Equal(t, c.Options("tip").Minimum, "1.00", "the least tip")
	fortest.Equal(t, c.Options("alms").Minimum, "100", "the least alms")

	for amount, want := range map[string]string{"7.5": "amount_invalid amount", "700": ""} {
		_, err := c.Order("alms", Request{Amount: &amount}, "en")
		fortest.Equal(t, code(t, err), want, "alms of %s", amount)
	}
}

// The title is in the best language for the page, else in English, else in the first language.
func TestCatalogLanguages(t *testing.T) {
	c := fortest.Must(ParseCatalog([]byte(catalog + "  pin: {title: {pt-BR: Alfinete, da: Nål}, amount_usd: 1}\n")))(t)
	for _, row := range []struct{ item, lang, title, description string }{
		{"coffee", "de", "2 × Kaffee", "Ganze Bohnen"},
		{"coffee", "de-AT", "2 × Kaffee", "Ganze Bohnen"},
		{"coffee", "en", "2 × Coffee", "Ganze Bohnen"}, // no English one: the first by its tag
		{"coffee", "fr", "2 × Coffee", "En grains"},
		{"coffee", "ar", "2 × قهوة", "Ganze Bohnen"},
		{"coffee", "ja", "2 × Coffee", "Ganze Bohnen"},
		{"coffee", "", "2 × Coffee", "Ganze Bohnen"},
		{"coffee", "<b>", "2 × Coffee", "Ganze Bohnen"},
		{"pin", "pt", "Alfinete", ""},
		{"pin", "nb", "Nål", ""}, // who reads Norwegian reads Danish
		{"pin", "ko", "Nål", ""},
		{"mug", "de", "Mug", ""},
	} {
		o, err := c.Order(row.item, Request{}, row.lang)
		if err != nil || o.Title != row.title || o.Description != row.description {
			t.Errorf("%s in %q = %q, %q, %v; want %q, %q", row.item, row.lang, o.Title, o.Description, err, row.title, row.description)
		}
	}
}

func TestParseCatalogNamesWhatIsWrong(t *testing.T) {
	long := strings.Repeat("x", 199)
	for _, row := range []struct{ body, want string }{
		{`{}`, `item "a": amount_usd: `},
		{`x`, `item "a": must be a mapping`},
		{`{amount_usd: "1", open: {minimum: "1", maximum: "2", suggested: "1"}}`, `item "a": amount_usd: `},
		{`{amount_usd: "x"}`, `item "a": amount_usd: `},
		{`{amount_usd: 010}`, `item "a": amount_usd: `}, // eight, sixteen, a thousand to YAML
		{`{amount_usd: 0x10}`, `item "a": amount_usd: `},
		{`{amount_usd: 1_000}`, `item "a": amount_usd: `},
		{`{amount_usd: 1e3}`, `item "a": amount_usd: `},
		{`{amount_usd: 1.005}`, `item "a": amount_usd: `},
		{`{amount_usd: -1}`, `item "a": amount_usd: `},
		{`{amount_usd: [1]}`, `item "a": amount_usd: `},
		{`{amount_usd: "1", price: "2"}`, `item "a": price: unknown member`},
		{`{Amount_USD: "1"}`, `item "a": Amount_USD: unknown member (line 2)`},
		{`{amount_usd: "1", 5: x}`, `item "a": 5: unknown member`},
		{`{amount_usd: "1", null: x}`, `item "a": null: unknown member`},
		{`{amount_usd: "1", &x y: x}`, `line 2: the name of a member must be text`},
		{`{amount_usd: ""}`, `item "a": amount_usd: must be dollars`},
		{`{amount_usd: "", open: {minimum: 1, maximum: 2, suggested: 1}}`, `item "a": amount_usd: set either`},
		{`{open: {}}`, `item "a": open.minimum: `},
		{`{open: 5}`, `item "a": open: `},
		{`{open: {minimum: 01, maximum: 0x10, suggested: 02}}`, `item "a": open.minimum: `},
		{`{open: {minimum: "2", maximum: "1", suggested: "1"}}`, `item "a": open.maximum: `},
		{`{open: {minimum: "1", suggested: "1"}}`, `item "a": open.maximum: `},
		{`{open: {minimum: "1", maximum: "2"}}`, `item "a": open.suggested: `},
		{`{open: {minimum: "1", maximum: "2", suggested: []}}`, `item "a": open.suggested: `},
		{`{open: {minimum: "1", maximum: "2", suggested: "3"}}`, `item "a": open.suggested: `},
		{`{open: {minimum: "1", maximum: "2", suggested: [1, 3]}}`, `item "a": open.suggested: `},
		{`{open: {minimum: "1", maximum: "2", suggested: [1, 1.0]}}`, `item "a": open.suggested: duplicate`},
		{`{open: {minimum: "1", maximum: "9", suggested: [1, 2, 3, 4, 5, 6, 7]}}`, `item "a": open.suggested: `},
		{`{open: {minimum: "1", maximum: "9", suggested: [[1]]}}`, `item "a": open.suggested[0]: must be text`},
		{`{open: {minimum: "1", maximum: "9", suggested: {a: 1}}}`, `item "a": open.suggested: `},
		{`{open: {minimum: "1", maximum: "9", suggested: 1, step: 1}}`, `item "a": open.step: unknown member`},
		{`{open: {minimum: "1", maximum: "9", suggested: 1}, quantity: {maximum: 2}}`, `item "a": quantity: not with open`},
		{`{amount_usd: "1", amount: "1"}`, `item "a": amount_usd: set either`},
		{`{amount_usd: "1", currency: EUR}`, `item "a": amount_usd: set either`},
		{`{amount: "1", currency: EURO}`, `item "a": currency: must be an ISO 4217 code`},
		{`{amount: "1.5", currency: JPY}`, `item "a": amount: an amount in JPY is a whole number`},
		{`{amount: "1.555", currency: EUR}`, `item "a": amount: an amount in EUR is a decimal number`},
		{`{amount_usd: "1", quantity: 3}`, `item "a": quantity: `},
		{`{amount_usd: "1", quantity: {}}`, `item "a": quantity.maximum: `},
		{`{amount_usd: "1", quantity: {minimum: 2}}`, `item "a": quantity.maximum: `},
		{`{amount_usd: "1", quantity: {minimum: 0, maximum: 2}}`, `item "a": quantity.minimum: `},
		{`{amount_usd: "1", quantity: {minimum: 3, maximum: 2}}`, `item "a": quantity.maximum: `},
		{`{amount_usd: "1", quantity: {minimum: 1, maximum: 1}}`, `item "a": quantity.maximum: `},
		{`{amount_usd: "1", quantity: {minimum: 1, maximum: 101}}`, `item "a": quantity.maximum: `},
		{`{amount_usd: "1", quantity: {minimum: 1.5, maximum: 2}}`, `item "a": quantity.minimum: `},
		{`{amount_usd: "1", quantity: {minimum: 1, maximum: 010}}`, `item "a": quantity.maximum: `},
		{`{amount_usd: "1", quantity: {minimum: 1, maximum: 2, step: 1}}`, `item "a": quantity.step: unknown member`},
		{`{amount_usd: "500000000", quantity: {maximum: 2}}`, `item "a": quantity.maximum: that many cost more`},
		{`{amount_usd: "1", success_url: "javascript:x"}`, `item "a": success_url: `},
		{`{amount_usd: "1", cancel_url: "/thanks"}`, `item "a": cancel_url: `},
		{`{amount_usd: "1", currencies: USDT}`, `item "a": currencies: `},
		{`{amount_usd: "1", currencies: ["*"]}`, `item "a": currencies: `},
		{`{amount_usd: "1", currencies: [[USDT]]}`, `item "a": currencies[0]: must be text`},
		{`{amount_usd: "1", ttl_minutes: 0}`, `item "a": ttl_minutes: `},
		{`{amount_usd: "1", ttl_minutes: 1.5}`, `item "a": ttl_minutes: `},
		{`{amount_usd: "1", ttl_minutes: 015}`, `item "a": ttl_minutes: `},
		{`{amount_usd: "1", ttl_minutes: 1e1}`, `item "a": ttl_minutes: `},
		{`{amount_usd: "1", ttl_minutes: 20000}`, `item "a": ttl_minutes: `},
		{`{amount_usd: "1", title: "a\tb"}`, `item "a": title: `},
		{`{amount_usd: "1", title: [x]}`, `item "a": title: `},
		{`{amount_usd: "1", title: {}}`, `item "a": title: empty`},
		{`{amount_usd: "1", title: {en: ""}}`, `item "a": title.en: empty`},
		{`{amount_usd: "1", title: {en: [x]}}`, `item "a": title.en: `},
		{`{amount_usd: "1", title: {english: x}}`, `item "a": title.english: not a language tag`},
		{`{amount_usd: "1", title: {en: x, EN: y}}`, `item "a": title.`},
		{`{amount_usd: "1", title: {en: x, de: "a\tb"}}`, `item "a": title.de: `},
		{`{amount_usd: "1", description: {de: x, fr: "\u202e"}}`, `item "a": description.fr: `},
		{`{amount_usd: "1", title: ` + long + `, quantity: {maximum: 2}}`, `item "a": title: `}, // "2 × " makes it too long
	} {
		_, err := ParseCatalog([]byte("items:\n  a: " + row.body))
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v; want %s…", row.body, err, row.want)
		}
	}
}

func TestParseCatalogRefusesTheFile(t *testing.T) {
	for _, body := range []string{
		"items: {\"a b\": {amount_usd: \"1\"}}",
		"items: {a: {amount_usd: \"1\"}}\n---\nitems: {}",
		"items: {a: {amount_usd: \"1\"}, a: {amount_usd: \"2\"}}",
		"items: {a: {amount_usd: \"1\", title: {en: a, en: b}}}",
		"item: {a: {amount_usd: \"1\"}}", "items: [a]", "items: a", "- a", "a", "items: [", "items: {a: *b}",
	} {
		if c, err := ParseCatalog([]byte(body)); err == nil || c != nil {
			t.Errorf("ParseCatalog(%q) = %v, %v; want an error alone", body, c, err)
		}
	}
}

// The example in the docs is valid, and has every member.
func TestCatalogInTheText(t *testing.T) {
	text := fortest.Must(os.ReadFile("../../docs/catalog.md"))(t)
	_, rest, _ := strings.Cut(string(text), "```yaml\n")
	example, _, _ := strings.Cut(rest, "```")
	c, err := ParseCatalog([]byte(example))
	if err != nil || len(c.items) != 3 {
		t.Fatalf("the example of docs/catalog.md has %+v, %v", c, err)
	}
	for _, member := range []string{"title", "description", "amount_usd", "open", "quantity", "currencies", "ttl_minutes", "success_url", "cancel_url"} {
		if !strings.Contains(example, " "+member+":") || !strings.Contains(string(text), "`"+member+"`") {
			t.Errorf("docs/catalog.md does not show or explain %s", member)
		}
	}
}
