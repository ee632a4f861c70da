package server_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"coinslot/bff/config"
	"coinslot/bff/fortest"
)

const offerItems = `items:
  coffee: {title: {en: Coffee, de: Kaffee}, amount_usd: "4.50", quantity: {minimum: 1, maximum: 10}}
  mug: {title: Mug, amount_usd: "12.10"}
  tip: {title: Tip, open: {minimum: "1", maximum: "100", suggested: ["5", "10"]}}
`

// newOfferRig is a server with its own catalog.
func newOfferRig(t *testing.T) *rig {
	t.Helper()
	return newConfiguredRig(t, func(c *config.Config) { write(t, c.Catalog, offerItems) })
}

const coin = "&currency_symbol=USDT&network_code=USDT%3Atrc20"

// stored counts the sessions and the gateway's transactions.
func (r *rig) stored() string {
	r.T.Helper()
	var list struct{ Data []json.RawMessage }
	fortest.OK(r.T,
		json.Unmarshal(r.Do("GET", "/v1/sessions?limit=100", "", bearer).Body.Bytes(), &list))
	return fmt.Sprintf("%d sessions, %d transactions", len(list.Data),
		len(r.Gateway.Transactions()))
}

// price reads the price off a page, and what its fields hold.
func price(page string) string {
	var found []string
	for _, pattern := range []string{
		`data-part="amount-usd" data-value="([^"]*)"`, `name="amount" type="text" value="([^"]*)"`,
		`<option selected value="([0-9]+)"`,
	} {
		if m := regexp.MustCompile(pattern).FindStringSubmatch(page); m != nil {
			found = append(found, m[1])
		}
	}
	return strings.Join(found, " ")
}

// Viewing prices stores nothing, makes no gateway requests of its own, and shows the price.
func TestOfferIsStoredWithTheChoice(t *testing.T) {
	t.Parallel()
	r := newOfferRig(t)
	for i := range 40 {
		query := []string{
			"item=coffee&quantity=3", "item=tip&amount=7", "item=tip&amount=1000",
			"item=coffee&quantity=11",
		}[i%4]
		want := []int{200, 200, 422, 422}[i%4]
		fortest.Answer(t, "GET /checkout?"+query, r.Do("GET", "/checkout?"+query, ""), want)
	}
	for _, form := range []string{
		"item=tip&apply=1&amount=7" + coin, "item=tip&amount=1,000" + coin,
		"item=tip&amount=" + coin, "item=coffee&quantity=0" + coin,
	} {
		r.Do("POST", "/checkout", form, isForm)
	}
	fortest.Equal(t, r.stored(), "0 sessions, 0 transactions", "after looking")
	fortest.Answer(t, "choosing a coin",
		r.Do("POST", "/checkout", "item=coffee&quantity=3"+coin, isForm), 303)
	fortest.Equal(t, r.stored(), "1 sessions, 1 transactions", "after choosing")
}

func TestOfferPages(t *testing.T) {
	r := newOfferRig(t)
	for _, row := range []struct {
		query  string
		status int
		price  string // on the page, then what the fields hold
		has    string
	}{
		{"item=mug", 200, "12.10", ""},
		{"item=mug&quantity=3&amount=1", 200, "12.10", ""},
		{"item=coffee", 200, "4.50 1", `data-part="offer-apply"`},
		{"item=coffee&quantity=3", 200, "13.50 3", "3 × Coffee"},
		{"item=coffee&quantity=3&lang=de", 200, "13.50 3", "3 × Kaffee"},
		{"item=coffee&quantity=11", 422, "4.50 1", "Enter a quantity from 1 to 10."},
		{"item=coffee&quantity=%3Cb%3E", 422, "4.50 1", `data-part="error"`},
		{"item=coffee&amount=0.01", 200, "4.50 1", ""},
		{"item=tip", 200, "5.00 5.00", `data-part="offer-suggested"`},
		{"item=tip&amount=", 200, "5.00 5.00", ""},
		{"item=tip&amount=7", 200, "7.00 7.00", `href="/checkout?item=tip`},
		{"item=tip&amount=0.99", 422, "5.00 0.99", "Enter an amount from $1.00 to $100.00."},
		{"item=tip&amount=1%2C000", 422, "5.00 1,000", `aria-invalid="true"`},
		{
			"item=tip&amount=%22%3E%3Cscript%3E",
			422,
			"5.00 &#34;&gt;&lt;script&gt;",
			`data-code="amount_invalid"`,
		},
		{"item=tip&amount=" + strings.Repeat("9", 500), 422, "5.00 " + strings.Repeat("9", 40), ""},
		{
			"item=tip&amount=7&embed=inline&origin=" + url.QueryEscape(shop) + "&theme=dark",
			200,
			"7.00 7.00",
			`name="origin" type="hidden" value="` + shop + `"`,
		},
		{
			"item=coffee&quantity=2&currency_symbol=USDT&network_code=USDT%3Atrc20",
			200,
			"9.00 2",
			`checked data-part="network" name="network.USDT" type="radio" value="USDT:trc20"`,
		},
		{"item=coffee&email=x%40shop.example", 200, "4.50 1", `name="email" pattern="`},
	} {
		w := r.Do("GET", "/checkout?"+row.query, "")
		page := w.Body.String()
		if w.Code != row.status || price(page) != row.price || !strings.Contains(page, row.has) {
			t.Errorf("GET /checkout?%s = %d, %q, has %q: %t; want %d, %q", row.query, w.Code,
				price(page), row.has, strings.Contains(page, row.has), row.status, row.price)
		}
		fortest.Equal(t, strings.Count(page, `data-part="error"`), row.status/422,
			"GET /checkout?%s says errors", row.query)
	}
}

// Amounts in the form are accepted as people type them; ambiguous ones are asked again.
func TestOfferForms(t *testing.T) {
	r := newOfferRig(t)
	for _, row := range []struct{ form, want string }{
		{"item=tip&amount=7", "7.00 Tip map[item:tip]"},
		{"item=tip&amount=4%2C50", "4.50 Tip map[item:tip]"},
		{"item=tip&amount=4%2C5", "4.50 Tip map[item:tip]"},
		{"item=tip&amount=+12.00+", "12.00 Tip map[item:tip]"},
		{"item=tip&amount=" + url.QueryEscape("٤٫٥٠"), "4.50 Tip map[item:tip]"},
		{"item=tip&amount=" + url.QueryEscape("۱۲"), "12.00 Tip map[item:tip]"},
		{"item=tip", "5.00 Tip map[item:tip]"},
		{"item=mug&amount=0.01&quantity=9", "12.10 Mug map[item:mug]"},
		{"item=coffee", "4.50 Coffee map[item:coffee quantity:1]"},
		{"item=coffee&quantity=3&lang=de", "13.50 3 × Kaffee map[item:coffee quantity:3]"},
		{"item=tip&amount=", "422 5.00"},
		{"item=tip&amount=1%2C000", "422 5.00 1,000"},
		{"item=tip&amount=1.000%2C50", "422 5.00 1.000,50"},
		{"item=tip&amount=100.01", "422 5.00 100.01"},
		{"item=tip&amount=1e1", "422 5.00 1e1"},
		{"item=coffee&quantity=11", "422 4.50 1"},
		{"item=coffee&quantity=11&apply=1", "422 4.50 1"},
		{"item=tip&amount=x&apply=1", "422 5.00 x"},
	} {
		w := r.Do("POST", "/checkout", row.form+coin+"&email=ann%40shop.example", isForm)
		fortest.Equal(t, r.outcome(w), row.want, "POST %s", row.form)
		page := w.Body.String()
		if w.Code == 422 &&
			(!strings.Contains(page, `value="ann@shop.example"`) ||
				!strings.Contains(page, ` checked data-part="network"`)) {
			t.Errorf("POST %s: the page has forgotten the choice", row.form)
		}
	}
}

// outcome is the order that was stored, or the status and what the page holds.
func (r *rig) outcome(w *httptest.ResponseRecorder) string {
	r.T.Helper()
	if w.Code != 303 {
		return fmt.Sprint(w.Code, " ", price(w.Body.String()))
	}
	id, _, _ := strings.Cut(strings.TrimPrefix(w.Header().Get("Location"), "/checkout/"), "?")
	var o struct {
		AmountUSD string `json:"amount_usd"`
		Title     string
		Metadata  map[string]string
	}
	fortest.OK(r.T, json.Unmarshal(r.Do("GET", "/v1/sessions/"+id, "", bearer).Body.Bytes(), &o))
	return fmt.Sprint(o.AmountUSD, " ", o.Title, " ", o.Metadata)
}

// The form's second button leads to the page at another price, without private fields in its
// address.
func TestOfferApply(t *testing.T) {
	r := newOfferRig(t)
	for form, want := range map[string]string{
		"item=tip&amount=4%2C50&key=page_1&apply=1&email=ann%40shop.example": "/checkout?item=tip&amount=4.50",
		"item=coffee&quantity=3&amount=9&apply=1":                            "/checkout?item=coffee&quantity=3",
		"item=mug&quantity=3&apply=1":                                        "/checkout?item=mug",
		"item=tip&amount=7&apply=1&embed=modal&origin=" + url.QueryEscape(shop) +
			"&lang=de&theme=dark" + coin: "/checkout?embed=modal&origin=https%3A%2F%2Fshop.example&theme=dark&lang=de&item=tip&amount=7.00&currency_symbol=USDT&network_code=USDT%3Atrc20",
	} {
		w := r.Do("POST", "/checkout", form, isForm)
		if got := w.Header().Get("Location"); w.Code != 303 || got != want {
			t.Errorf("POST %s = %d %s; want %s", form, w.Code, got, want)
		}
	}
}

// Another amount on the same page makes another order; a double click makes one.
func TestOfferOfOnePage(t *testing.T) {
	r := newOfferRig(t)
	seen := map[string]bool{}
	for _, amount := range []string{"5", "5", "5.00", "7", "7", "5"} {
		w := r.Do("POST", "/checkout", "item=tip&key=page_back&amount="+amount+coin, isForm)
		fortest.Answer(t, "amount "+amount, w, 303)
		seen[w.Header().Get("Location")] = true
	}
	if got := r.stored(); len(seen) != 2 || got != "2 sessions, 2 transactions" {
		t.Errorf("%d pages, %s; want two of each", len(seen), got)
	}
}

// The offer of programs: a quantity in quotes or not, an amount in the API's way only. They get its
// view before.
func TestOfferJSON(t *testing.T) {
	r := newOfferRig(t)
	fortest.Answer(t, "the view",
		r.Do("GET", "/checkout?item=coffee&quantity=4", "", "Accept: application/json"), 200,
		`"session":""`, `"amount_usd":"18.00"`)
	none := r.Do("GET", "/checkout?item=coffee&quantity=0", "", "Accept: application/json")
	problem(t, none, "invalid")
	fortest.Has(t, "a quantity of none", none.Body.String(), `"param":"quantity"`)
	const pick = `,"currency_symbol":"USDT","network_code":"trc20"}`
	for _, row := range []struct{ body, want string }{
		{`{"item":"coffee","quantity":3` + pick, `"amount_usd":"13.50"`},
		{`{"item":"coffee","quantity":"2"` + pick, `"amount_usd":"9.00"`},
		{`{"item":"tip","amount":"7"` + pick, `"amount_usd":"7.00"`},
		{`{"item":"tip","amount":null` + pick, `"amount_usd":"5.00"`},
		{`{"item":"tip","amount":""` + pick, `"param":"amount"`},
		{`{"item":"tip","amount":"4,50"` + pick, `"param":"amount"`},
		{`{"item":"coffee","quantity":0` + pick, `"param":"quantity"`},
		{`{"item":"coffee","quantity":1.5` + pick, `"param":"quantity"`},
		{`{"item":"coffee","quantity":-1` + pick, `"param":"quantity"`},
		{`{"item":"coffee","quantity":1e1` + pick, `"param":"quantity"`},
		{`{"item":"coffee","quantity":[1]` + pick, `"param":"quantity"`},
		{`{"item":"coffee","apply":"1"` + pick, `"unknown_field"`},
	} {
		fortest.Has(t, "POST "+row.body, r.Do("POST", "/checkout", row.body, isJSON).Body.String(),
			row.want)
	}
}

// A key in an address would be shared with it, and the session too.
func TestKeyIsInNoAddress(t *testing.T) {
	r := newOfferRig(t)
	field := regexp.MustCompile(`name="key" type="hidden" value="([^"]+)"`)
	seen := map[string]bool{}
	for _, path := range []string{
		"/checkout?item=mug&key=shared", "/checkout?item=tip&key=shared", "/checkout?item=mug",
	} {
		page := r.Do("GET", path, "", "Accept: text/html").Body.String()
		found := field.FindStringSubmatch(page)
		if found == nil || found[1] == "shared" || seen[found[1]] {
			t.Errorf("%s: the form's key is %v; want a fresh one", path, found)
			continue
		}
		seen[found[1]] = true
		for _, link := range regexp.MustCompile(`(href|action)="[^"]*"`).FindAllString(page, -1) {
			fortest.Lacks(t, path+": a key in", link, "key=")
		}
	}
}

// TestOldSymbolsInOrders: an order may name a renamed coin as it was called before, whichever symbol
// the gateway lists.
func TestOldSymbolsInOrders(t *testing.T) {
	r := newRig(t)
	for _, symbol := range []string{"GRAM", "TON", "ton_ton"} {
		id := r.Open(`{"amount_usd":"25.00","currencies":["` + symbol + `"]}`)
		view := r.Do("GET", "/checkout/"+id+"/view", "").Body.String()
		fortest.Has(t, "the view of "+symbol, view, `"symbol":"GRAM"`)
		fortest.Lacks(t, "the view of "+symbol, view, `"symbol":"USDT"`)
	}
}
