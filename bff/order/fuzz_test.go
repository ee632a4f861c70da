package order

import (
	"bytes"
	"encoding/base64"
	stdjson "encoding/json"
	"errors"
	"maps"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"

	"github.com/golang-jwt/jwt/v5"
	"github.com/shopspring/decimal"
)

// What must never happen here: an order whose amount is not the one that the
// merchant has written, or that two readers of the same bytes see differently.

// members are the names of the members of an order.
var members = []string{
	"amount_usd", "order_ref", "order_id", "shop_name", "title", "description", "email", "metadata", "currencies",
	"ttl_minutes", "expires_in_minutes", "success_url", "cancel_url", "lang",
}

// refusal fails unless err is a *wire.Error with a code and a short valid member name.
func refusal(t *testing.T, err error) {
	t.Helper()
	e, ok := errors.AsType[*wire.Error](err)
	if !ok || e.Code == "" || len(e.Param) > 64 || !utf8.ValidString(e.Param) {
		t.Fatalf("error %#v", err)
	}
}

// FuzzDecode: the standard library's decoder agrees with what is accepted, and it is rejected
// with an unknown, repeated or misspelled member.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"amount_usd":"25.00","order_ref":"1"}`, `{"amount_usd":"1","metadata":{"a":"b"},"currencies":["USDT"]}`,
		`{"amount_usd":"1","AMOUNT_USD":"2"}`, `{"amount_usd":25}`, `{"amount_usd":"1","amount_usd":"2"}`, `null`, `[]`, `{"amount_usd":"1"}{}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		o, err := Decode(raw)
		if err != nil {
			refusal(t, err)
			return
		}
		cents(t, o)
		var exact map[string]stdjson.RawMessage
		var loose struct {
			AmountUSD string `json:"amount_usd"`
			OrderRef  string `json:"order_ref"`
		}
		if stdjson.Unmarshal(raw, &exact) != nil || stdjson.Unmarshal(raw, &loose) != nil {
			t.Fatalf("Decode took %q, which is no JSON to the standard library", raw)
		}
		if want, err := decimal.NewFromString(loose.AmountUSD); err != nil || !want.Equal(o.AmountUSD) || loose.OrderRef != o.Ref {
			t.Fatalf("Decode read %s and %q, another reader %s and %q", o.AmountUSD, o.Ref, loose.AmountUSD, loose.OrderRef)
		}
		for _, name := range members {
			delete(exact, name)
		}
		for name := range exact {
			t.Fatalf("Decode took the member %q", name)
		}
		again, err := Decode(raw)
		if err != nil || again.Digest() != o.Digest() {
			t.Fatalf("Decode twice = %+v and %+v, %v", o, again, err)
		}
		end := bytes.LastIndexByte(raw, '}')
		for _, more := range []string{`"x":1`, `"Amount_usd":"9"`, `"amount_usd":"9"`, `"amount_u\u0073d":"9"`, `"amount_u` + "\u017f" + `d":"9"`} {
			if _, err := Decode([]byte(string(raw[:end]) + "," + more + "}")); err == nil {
				t.Fatalf("Decode took %q with %s", raw, more)
			}
		}
	})
}

// cents fails unless the order costs a positive number of cents below the limit.
func cents(t *testing.T, o payment.Order) {
	t.Helper()
	if !o.AmountUSD.IsPositive() || !o.AmountUSD.Equal(o.AmountUSD.Truncate(2)) || !o.AmountUSD.LessThan(decimal.New(1, 9)) {
		t.Fatalf("amount %s", o.AmountUSD)
	}
	if err := o.Validate(); err != nil {
		t.Fatalf("Validate of an accepted order: %v", err)
	}
}

// FuzzDecodeRefund: what is accepted is what the standard library's decoder reads, with an exact
// amount of more than zero.
func FuzzDecodeRefund(f *testing.F) {
	for _, s := range []string{
		`{"amount":"2.5","currency_symbol":"USDT","network_code":"trc20","tx_id":"a","reason":"b"}`,
		`{"amount":"1","confirm_excess":true}`, `{"amount":1}`, `{"amount":"1","Amount":"2"}`,
		`{"amount":"1","amount":"2"}`, `{"amount":"1e9"}`, `{"amount":"-0"}`, `{}`, `null`, `[]`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, more, err := DecodeRefund(raw)
		if err != nil {
			refusal(t, err)
			return
		}
		var loose refundBody
		if err := stdjson.Unmarshal(raw, &loose); err != nil {
			t.Fatalf("DecodeRefund took %q: %v", raw, err)
		}
		want := fortest.Must(decimal.NewFromString(loose.Amount))(t)
		if !r.Amount.IsPositive() || !r.Amount.Equal(want) || len(loose.Amount) > 61 {
			t.Fatalf("DecodeRefund read the amount %s of %q", r.Amount, loose.Amount)
		}
		got := refundBody{
			loose.Amount, r.CurrencySymbol, r.NetworkCode, r.TxID, r.Reason, more,
		}
		fortest.Equal(t, got, loose, "members")
	})
}

// FuzzParseToken: without the key, no token is accepted.
func FuzzParseToken(f *testing.F) {
	good := fortest.Must(Mint([]byte("another key of thirty-two bytes.."), NewToken{Amount: "25.00", Ref: "1", TTL: 1e9}, now))(f)
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`))
	for _, s := range []string{"", ".", "..", "eyJhbGciOiJIUzI1NiJ9.e30.x", good, none + good[strings.IndexByte(good, '.'):], strings.Replace(good, "eyJhbGci", none, 1), good + "=", " " + good} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, token string) {
		_, err := ParseToken(token, []byte(key), now)
		if err == nil {
			t.Fatalf("ParseToken(%q) was accepted without the key", token)
		}
		refusal(t, err)
		if _, err := ParseToken(token, nil, now); err == nil {
			t.Fatalf("ParseToken(%q) was accepted without any key", token)
		}
	})
}

// FuzzClaims signs arbitrary claims with the right key: what is accepted has not expired, has a
// reference, and costs its only amount_usd.
func FuzzClaims(f *testing.F) {
	for _, s := range []string{
		`{"amount_usd":"25.00","order_ref":"1001","exp":1795266000,"iat":1795262400,"title":"T"}`,
		`{"amount_usd":"1","order_ref":"1","exp":1e300}`, `{"amount_usd":"1","order_ref":"1","exp":9999999999,"EXP":1}`,
		`{"amount_usd":"1","order_ref":"1","exp":"9999999999"}`, `{"amount_usd":"1","order_ref":"1","exp":9999999999,"nbf":9999999999}`,
		`{"amount_usd":"1","order_ref":"1","exp":null}`, `{"amount_usd":"1","exp":9999999999}`,
	} {
		f.Add([]byte(s))
	}
	head := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "."
	f.Fuzz(func(t *testing.T, claims []byte) {
		text := head + base64.RawURLEncoding.EncodeToString(claims)
		signature := fortest.Must(jwt.SigningMethodHS256.Sign(text, []byte(key)))(t)
		o, err := ParseToken(text+"."+base64.RawURLEncoding.EncodeToString(signature), []byte(key), now)
		if err != nil {
			refusal(t, err)
			return
		}
		cents(t, o)
		var said map[string]any
		decoder := stdjson.NewDecoder(bytes.NewReader(claims))
		decoder.UseNumber()
		if err := decoder.Decode(&said); err != nil {
			t.Fatalf("claims %q were accepted: %v", claims, err)
		}
		text, _ = said["amount_usd"].(string)
		amount, err := payment.ParseAmount(text)
		if err != nil || !amount.Equal(o.AmountUSD) || o.Ref == "" || said["order_ref"] != o.Ref {
			t.Fatalf("claims %q cost %s", claims, o.AmountUSD)
		}
		for name, early := range map[string]bool{"exp": false, "nbf": true} {
			if at, given := said[name]; given && at != nil || name == "exp" {
				checkMoment(t, name, at, early)
			}
		}
	})
}

// checkMoment fails if an accepted time is over, or, for nbf, in the future.
func checkMoment(t *testing.T, name string, at any, early bool) {
	t.Helper()
	number, ok := at.(stdjson.Number)
	d, err := decimal.NewFromString(string(number))
	if !ok || err != nil {
		if _, big := number.Float64(); ok && big == nil {
			return // too many digits for one reader, not for the other
		}
		t.Fatalf("%s %v was accepted", name, at)
	}
	edge := decimal.NewFromInt(now.Unix())
	if slack := decimal.NewFromInt(31); early && d.GreaterThan(edge.Add(slack)) || !early && d.LessThan(edge.Sub(slack)) {
		t.Fatalf("%s %s was accepted at %s", name, d, edge)
	}
}

// FuzzParseCatalog: amounts are charged as written, shoppers cannot change a fixed one, nor
// exceed the limits of an open one.
func FuzzParseCatalog(f *testing.F) {
	for _, s := range []string{
		catalog, "", "items:\n", "items: {a: {amount_usd: 4.50}}", "items: {a: {amount_usd: 1e3}}", "items: {a: {amount_usd: 010}}", "items: {a: {amount_usd: 0x10}}",
		"items: {a: {amount_usd: 1_000}}", "items: {a: {amount_usd: \"1\", amount_usd: \"2\"}}", "items: {a: {amount_usd: \"1\"}, a: {amount_usd: \"2\"}}",
		"items: {a: {title: {en: A, de: B}, amount_usd: 1, quantity: {maximum: 3}}}", "items: {a: {amount_usd: 1, quantity: {minimum: 2, maximum: 100}}}", "items: {a: {open: {minimum: 1, maximum: 9, suggested: [2, 3]}}}",
		"items: {a: {title: {de: B, pt-BR: C}, open: {minimum: 1, maximum: 9, suggested: 2.5}}}", "items: {a: {amount_usd: 999999999.99, quantity: {maximum: 2}}}", "items: {a: {title: {}, amount_usd: 1}}",
		"items: {a: &x {amount_usd: \"1\"}, b: *x}", "items: {a: {<<: {amount_usd: \"1\"}}}", "items: {a: {Amount_usd: \"1\"}}", "items: {a: {amount_usd: \"1\"}}\n---\nitems: {}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		if len(file) > 4096 {
			return // an operator's file: what matters shows in short ones
		}
		c, err := ParseCatalog(file)
		if err != nil {
			if c != nil {
				t.Fatal("a catalogue beside an error")
			}
			return
		}
		for id := range maps.Keys(c.items) {
			checkItem(t, c, id, file)
		}
		if _, err := c.Order("no such item", Request{}, "en"); code(t, err) != "item_unknown item" {
			t.Fatalf("an unknown item: %v", err)
		}
	})
}

func checkItem(t *testing.T, c *Catalog, id string, file []byte) {
	t.Helper()
	it := c.items[id]
	terms := c.Options(id)
	for _, amount := range []string{"", "0.01", "1", "5.00", "999999999.99", "-1", "1e3", "1,00"} {
		for n := range 12 {
			o, err := c.Order(id, Request{Amount: &amount, Quantity: strconv.Itoa(n)}, "de")
			switch {
			case it.open != nil && err == nil && !it.open.allows(o.AmountUSD):
				t.Fatalf("item %q took %s", id, o.AmountUSD)
			case it.open == nil && terms.Most == 0 && (err != nil || !o.AmountUSD.Equal(it.price)):
				t.Fatalf("item %q at %q asks %s, %v; want %s", id, amount, o.AmountUSD, err, it.price)
			case terms.Most > 0 && (err == nil) != (terms.Least <= n && n <= terms.Most):
				t.Fatalf("%d of item %q, which has %+v: %v", n, id, terms, err)
			case terms.Most > 0 && err == nil && !o.AmountUSD.Div(decimal.NewFromInt(int64(n))).Equal(it.price):
				t.Fatalf("%d of item %q cost %s; one costs %s", n, id, o.AmountUSD, it.price)
			}
			if err == nil {
				cents(t, o)
			}
		}
	}
	checkProposed(t, c, id)
	written := it.price
	if it.open != nil {
		written = it.open.minimum
	}
	if !saysAmount(file, written) {
		t.Fatalf("item %q costs %s, which the file does not say", id, written)
	}
}

// checkProposed fails unless an item can be bought with its defaults, in every language, and at
// its limits.
func checkProposed(t *testing.T, c *Catalog, id string) {
	t.Helper()
	terms := c.Options(id)
	requests := []Request{{}, {Quantity: strconv.Itoa(terms.Most)}}
	for _, amount := range append(terms.Suggested, terms.Minimum, terms.Maximum) {
		if amount != "" {
			requests = append(requests, Request{Amount: &amount})
		}
	}
	for _, w := range requests {
		for _, lang := range append(c.items[id].title.languages(), "en", "ar", "x") {
			o, err := c.Order(id, w, lang)
			if err != nil || o.Metadata["item"] != id {
				t.Fatalf("item %q at %+v in %q = %+v, %v", id, w, lang, o, err)
			}
			cents(t, o)
		}
	}
}

// saysAmount reports whether the file holds an amount in any notation.
func saysAmount(file []byte, amount decimal.Decimal) bool {
	for _, text := range []string{amount.String(), amount.StringFixed(1), amount.StringFixed(2)} {
		if bytes.Contains(file, []byte(text)) {
			return true
		}
	}
	return bytes.ContainsRune(file, '\\')
}
