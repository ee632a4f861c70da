package receipt

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/docs/examples/exampletest"
	"coinslot/docs/examples/verify"

	"github.com/golang-jwt/jwt/v5"
	"github.com/shopspring/decimal"
)

// folder holds the samples of docs/verify.md.
const folder = "../../docs/examples/verify"

// claim is a receipt with what a shop holds against it.
type claim struct {
	Name     string          `json:"name"`
	Text     string          `json:"text"`
	Keys     json.RawMessage `json:"keys"`
	Issuer   string          `json:"issuer"`
	Ref      string          `json:"ref"`
	Amount   string          `json:"amount"`
	Currency string          `json:"currency"`
	Test     bool            `json:"test"`
	refused  string          // part of why; empty = it is good
}

// claimed is every case that a sample has to tell apart.
func claimed(t *testing.T) []claim {
	s, both := signer(t, secretNew), signer(t, secretNew, secretOld)
	good := claim{"good", s.Receipt(paid()), s.KeySet(), issuer, "1001", "25.00", "USD", false, ""}
	list := []claim{good}
	add := func(name, refused string, change func(c *claim)) {
		c := good
		c.Name, c.refused = name, refused
		change(&c)
		list = append(list, c)
	}
	text := func(text string) func(c *claim) { return func(c *claim) { c.Text = text } }
	signed := func(change func(c jwt.MapClaims)) func(c *claim) { return text(sign(t, s.key, Type, s.id, change)) }
	session := func(change func(p *payment.Session)) string {
		p := paid()
		change(p)
		return s.Receipt(p)
	}
	header, payload, signature := cut(good.Text)
	x := fortest.Must(base64.RawURLEncoding.DecodeString(publicKeyOf(s.key.Public().(ed25519.PublicKey)).X))(t)

	add("good, of the second key", "", func(c *claim) { c.Text, c.Keys = signer(t, secretOld).Receipt(paid()), both.KeySet() })
	add("good, of a shop that tries out", "", func(c *claim) { c.Text, c.Test = session(func(p *payment.Session) { p.Test = true }), true })
	add("tampered amount", "signature", text(header+"."+replaced(t, payload, `"25.00"`, `"99.00"`)+"."+signature))
	add("tampered order", "signature", func(c *claim) {
		c.Text, c.Ref = header+"."+replaced(t, payload, `"1001"`, `"1002"`)+"."+signature, "1002"
	})
	add("tampered signature", "signature", text(header+"."+payload+"."+strings.Repeat("A", len(signature))))
	add("no signature", "signature", text(header+"."+payload+"."))
	add("a signature that is no base64", "any", text(header+"."+payload+".*é"))
	add("two parts", "three parts", text(header+"."+payload))
	add("four parts", "three parts", text(good.Text+"."+signature))
	add("empty", "three parts", text(""))
	add("other key of the same name", "signature", text(sign(t, signer(t, secretOld).key, Type, s.id, nil)))
	add("unknown key", "not known", text(signer(t, secretOld).Receipt(paid())))
	add("no key is known", "not known", func(c *claim) { c.Keys = signer(t).KeySet() })
	add("alg none", "algorithm", text(forged(t, "none", s.id, payload, nil)))
	add("alg None", "algorithm", text(forged(t, "None", s.id, payload, nil)))
	add("HS256 with the public key", "algorithm", text(forged(t, "HS256", s.id, payload, x)))
	add("HS256 with the key's text", "algorithm", text(forged(t, "HS256", s.id, payload, []byte(base64.RawURLEncoding.EncodeToString(x)))))
	add("another type of token", "type", text(sign(t, s.key, "JWT", s.id, nil)))
	add("other issuer", "another checkout", func(c *claim) { c.Issuer = "https://pay.other.example" })
	add("issuer with a slash", "another checkout", func(c *claim) { c.Issuer += "/" })
	add("other order", "another order", func(c *claim) { c.Ref = "1002" })
	add("receipt of another order", "another order", text(session(func(p *payment.Session) { p.Order.Ref = "1002" })))
	add("order without a reference", "another order", func(c *claim) { c.Text, c.Ref = session(func(p *payment.Session) { p.Order.Ref = "" }), "" })
	add("other amount", "another amount", func(c *claim) { c.Amount = "250.00" })
	add("paid for a smaller amount", "another amount", text(session(func(p *payment.Session) { p.Order.AmountUSD = decimal.RequireFromString("0.25") })))
	inEuros := session(func(p *payment.Session) {
		p.Order.Amount = decimal.RequireFromString("25")
		p.Order.Currency = "EUR"
	})
	add("good, in another currency", "", func(c *claim) { c.Text, c.Currency = inEuros, "EUR" })
	add("euros for dollars", "another amount", text(inEuros))
	add("dollars for euros", "another amount", func(c *claim) { c.Currency = "EUR" })
	add("play money", "real money", text(session(func(p *payment.Session) { p.Test = true })))
	add("review", "not confirmed", signed(func(c jwt.MapClaims) { c["status"] = "review" }))
	for _, member := range []string{"iss", "status", "order_ref", "amount", "currency"} {
		add("no "+member, "not confirmed|another", signed(func(c jwt.MapClaims) { delete(c, member) }))
	}
	for name, json := range senseless() {
		part := base64.RawURLEncoding.EncodeToString([]byte(json))
		add("header is "+name, "any", text(part+".e30.x"))
		add("payload is "+name, "any", text(header+"."+part+"."+base64.RawURLEncoding.EncodeToString(ed25519.Sign(s.key, []byte(header+"."+part)))))
	}
	add("header is no base64", "read", text("*é."+payload+"."+signature))
	return list
}

// senseless is what a header or a payload should not be: JSON that is no object,
// an object without members, and no JSON.
func senseless() map[string]string {
	return map[string]string{
		"a number": "1", "a list": "[]", "a list of lists": "[[1]]", "text": `"x"`, "true": "true", "null": "null",
		"an empty object": "{}", "of other types": `{"alg":["EdDSA"],"typ":{},"kid":[1],"iss":{},"status":1}`,
		"empty": "", "no JSON": "{", "no UTF-8": "{\"alg\":\"\xff\"}", "very deep": strings.Repeat("[", 20_000),
	}
}

// cut returns the three parts of a token.
func cut(text string) (header, payload, signature string) {
	header, rest, _ := strings.Cut(text, ".")
	payload, signature, _ = strings.Cut(rest, ".")
	return header, payload, signature
}

// replaced changes the claims behind a part of a token.
func replaced(t *testing.T, payload, from, to string) string {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(payload)
	if err != nil || !strings.Contains(string(raw), from) {
		t.Fatalf("no %s in %s", from, raw)
	}
	return base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(raw), from, to, 1)))
}

// sign makes a token of our key that a Signer would not make.
func sign(t *testing.T, key ed25519.PrivateKey, typ, kid string, change func(c jwt.MapClaims)) string {
	t.Helper()
	_, payload, _ := cut(signer(t, secretNew).Receipt(paid()))
	raw := fortest.Must(base64.RawURLEncoding.DecodeString(payload))(t)
	var c jwt.MapClaims
	fortest.OK(t, json.Unmarshal(raw, &c))
	if change != nil {
		change(c)
	}
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, c)
	token.Header["typ"], token.Header["kid"] = typ, kid
	return fortest.Must(token.SignedString(key))(t)
}

// forged is what an attacker without a key can make: a token that names another
// algorithm, "signed" with what is public.
func forged(t *testing.T, alg, kid, payload string, key []byte) string {
	t.Helper()
	header := fortest.Must(json.Marshal(map[string]string{"alg": alg, "typ": Type, "kid": kid}))(t)
	text := base64.RawURLEncoding.EncodeToString(header) + "." + payload
	if key == nil {
		return text + "."
	}
	mac := fortest.Must(jwt.SigningMethodHS256.Sign(text, key))(t)
	return text + "." + base64.RawURLEncoding.EncodeToString(mac)
}

// judge holds what a sample said of each claim against what it should have. Each
// reason is one of the sample's own words, not one of its language.
func judge(t *testing.T, list []claim, said []string) {
	t.Helper()
	for i, c := range list {
		switch good := strings.HasPrefix(said[i], "good cs_aaaaaaaaaaaaaaaaaaaaaaaaaa"); {
		case good != (c.refused == ""):
			t.Errorf("%s: %s", c.Name, said[i])
		case !good && (!strings.HasPrefix(said[i], "receipt: ") || !c.because(said[i])):
			t.Errorf("%s: refused with %q; want a reason of the sample's with %q", c.Name, said[i], c.refused)
		}
	}
}

// because reports whether a reason is one for which the claim is to be refused.
func (c claim) because(reason string) bool {
	return c.refused == "any" || slices.ContainsFunc(strings.Split(c.refused, "|"), func(part string) bool { return strings.Contains(reason, part) })
}

func TestSampleGo(t *testing.T) {
	list := claimed(t)
	var said []string
	for _, c := range list {
		var keys verify.Keys
		fortest.OK(t, json.Unmarshal(c.Keys, &keys))
		got, err := verify.Receipt(c.Text, keys, c.Issuer, verify.Order{Ref: c.Ref, Amount: c.Amount, Currency: c.Currency, Test: c.Test})
		if err != nil {
			said = append(said, err.Error())
			continue
		}
		said = append(said, "good "+got.Session)
	}
	judge(t, list, said)
}

// samples are the others.
var samples = []exampletest.Sample{
	{Language: "js", File: "verify.mjs", Commands: []string{"node"}, Needs: []string{"--version"}, Run: `import { readFileSync } from "node:fs";
const { ReceiptError, verifyReceipt } = await import(process.argv[2]);
for (const c of JSON.parse(readFileSync(0, "utf8"))) {
  try { console.log("good " + verifyReceipt(c.text, c.keys, c.issuer, { ref: c.ref, amount: c.amount, currency: c.currency }, { test: c.test }).sub); }
  catch (e) {
    if (!(e instanceof ReceiptError)) throw e;
    console.log(e.message);
  }
}`},
	// Debian's first: another in the PATH may not see Debian's packages.
	{Language: "python", File: "verify.py", Commands: []string{"/usr/bin/python3", "python3"}, Needs: []string{"-c", "import cryptography"}, Run: `import json, sys
sys.path.insert(0, sys.argv[1].rsplit("/", 1)[0])
sys.dont_write_bytecode = True
from verify import verify_receipt
for c in json.load(sys.stdin):
    try:
        print("good " + verify_receipt(c["text"], c["keys"], c["issuer"], c["ref"], c["amount"], c["test"], c["currency"])["sub"])
    except ValueError as e:
        print(e)
`},
	{Language: "php", File: "verify.php", Commands: []string{"php"}, Needs: []string{"-r", "exit(function_exists('sodium_base642bin') ? 0 : 1);"}, Run: `<?php
require $argv[1];
set_error_handler(fn (int $level, string $text) => throw new ErrorException($text)); // warnings, too
foreach (json_decode(stream_get_contents(STDIN), true) as $c) {
    try { echo 'good ' . verify_receipt($c['text'], $c['keys'], $c['issuer'], $c['ref'], $c['amount'], $c['test'], $c['currency'])['sub'] . "\n"; }
    catch (UnexpectedValueException $e) { echo $e->getMessage() . "\n"; }
}`},
	{Language: "ruby", File: "verify.rb", Commands: []string{"ruby"}, Needs: []string{"-e", "require 'openssl'; exit OpenSSL::VERSION.to_i >= 3"}, Run: `require ARGV[0]
JSON.parse(STDIN.read).each do |c|
  begin
    puts "good " + CoinslotReceipt.verify(c["text"], c["keys"], issuer: c["issuer"], order_ref: c["ref"], amount: c["amount"], currency: c["currency"], test: c["test"])["sub"]
  rescue CoinslotReceipt::Invalid => e
    puts e.message
  end
end`},
}

// TestFullSamples runs the samples of docs/verify.md.
func TestFullSamples(t *testing.T) {
	list := claimed(t)
	for _, s := range samples {
		t.Run(s.Language, func(t *testing.T) {
			t.Parallel()
			judge(t, list, s.Answers(t, folder, list, len(list)))
		})
	}
}

// TestPageLinksToTheSamples: docs/verify.md links to every sample, and each of them is run here.
func TestPageLinksToTheSamples(t *testing.T) {
	exampletest.Linked(t, "../../docs/verify.md", folder, "verify.go", samples)
}
