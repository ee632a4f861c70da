package receipt

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"coinslot/bff/checkout"
	"coinslot/docs/examples/verify"

	"github.com/golang-jwt/jwt/v5"
	"github.com/shopspring/decimal"
)

// folder holds the samples of docs/verify.md.
const folder = "../../docs/examples/verify"

// claim is a receipt with what a shop holds against it.
type claim struct {
	Name    string          `json:"name"`
	Text    string          `json:"text"`
	Keys    json.RawMessage `json:"keys"`
	Issuer  string          `json:"issuer"`
	Ref     string          `json:"ref"`
	Amount  string          `json:"amount"`
	Test    bool            `json:"test"`
	refused string          // part of why; empty = it is good
}

// claimed is every case that a sample has to tell apart.
func claimed(t *testing.T) []claim {
	s, both := signer(t, secretNew), signer(t, secretNew, secretOld)
	good := claim{"good", s.Receipt(paid()), s.KeySet(), issuer, "1001", "25.00", false, ""}
	list := []claim{good}
	add := func(name, refused string, change func(c *claim)) {
		c := good
		c.Name, c.refused = name, refused
		change(&c)
		list = append(list, c)
	}
	text := func(text string) func(c *claim) { return func(c *claim) { c.Text = text } }
	signed := func(change func(c jwt.MapClaims)) func(c *claim) { return text(sign(t, s.key, Type, s.id, change)) }
	session := func(change func(p *checkout.Session)) string {
		p := paid()
		change(p)
		return s.Receipt(p)
	}
	header, payload, signature := cut(good.Text)
	x, err := base64.RawURLEncoding.DecodeString(describe(s.key.Public().(ed25519.PublicKey)).X)
	if err != nil {
		t.Fatal(err)
	}

	add("good, of the second key", "", func(c *claim) { c.Text, c.Keys = signer(t, secretOld).Receipt(paid()), both.KeySet() })
	add("good, of a shop that tries out", "", func(c *claim) { c.Text, c.Test = session(func(p *checkout.Session) { p.Test = true }), true })
	add("tampered amount", "signature", text(header+"."+replaced(t, payload, `"25.00"`, `"99.00"`)+"."+signature))
	add("tampered order", "signature", func(c *claim) {
		c.Text, c.Ref = header+"."+replaced(t, payload, `"1001"`, `"1002"`)+"."+signature, "1002"
	})
	add("tampered signature", "signature", text(header+"."+payload+"."+strings.Repeat("A", len(signature))))
	add("no signature", "", func(c *claim) { c.Text, c.refused = header+"."+payload+".", "any" })
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
	add("receipt of another order", "another order", text(session(func(p *checkout.Session) { p.Order.Ref = "1002" })))
	add("order without a reference", "another order", func(c *claim) { c.Text, c.Ref = session(func(p *checkout.Session) { p.Order.Ref = "" }), "" })
	add("other amount", "another amount", func(c *claim) { c.Amount = "250.00" })
	add("paid for a smaller amount", "another amount", text(session(func(p *checkout.Session) { p.Order.AmountUSD = decimal.RequireFromString("0.25") })))
	add("play money", "real money", text(session(func(p *checkout.Session) { p.Test = true })))
	add("review", "not confirmed", signed(func(c jwt.MapClaims) { c["status"] = "review" }))
	add("no status", "any", signed(func(c jwt.MapClaims) { delete(c, "status") }))
	return list
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
	raw, err := base64.RawURLEncoding.DecodeString(payload)
	if err != nil {
		t.Fatal(err)
	}
	var c jwt.MapClaims
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(c)
	}
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, c)
	token.Header["typ"], token.Header["kid"] = typ, kid
	text, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// forged is what somebody without a key can make: a token that names another
// algorithm, "signed" with what is public.
func forged(t *testing.T, alg, kid, payload string, key []byte) string {
	t.Helper()
	header, err := json.Marshal(map[string]string{"alg": alg, "typ": Type, "kid": kid})
	if err != nil {
		t.Fatal(err)
	}
	text := base64.RawURLEncoding.EncodeToString(header) + "." + payload
	if key == nil {
		return text + "."
	}
	mac, err := jwt.SigningMethodHS256.Sign(text, key)
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(mac)
}

// judge holds what a sample said of each claim against what it should have.
func judge(t *testing.T, list []claim, said []string) {
	t.Helper()
	if len(said) != len(list) {
		t.Fatalf("%d answers to %d claims: %q", len(said), len(list), said)
	}
	for i, c := range list {
		switch good := strings.HasPrefix(said[i], "good cs_aaaaaaaaaaaaaaaaaaaaaaaaaa"); {
		case good != (c.refused == ""):
			t.Errorf("%s: %s", c.Name, said[i])
		case !good && c.refused != "any" && !strings.Contains(said[i], c.refused):
			t.Errorf("%s: refused with %q; want a reason with %q", c.Name, said[i], c.refused)
		}
	}
}

func TestSampleGo(t *testing.T) {
	list := claimed(t)
	var said []string
	for _, c := range list {
		var keys verify.Keys
		if err := json.Unmarshal(c.Keys, &keys); err != nil {
			t.Fatal(err)
		}
		got, err := verify.Receipt(c.Text, keys, c.Issuer, verify.Order{Ref: c.Ref, AmountUSD: c.Amount, Test: c.Test})
		if err != nil {
			said = append(said, err.Error())
			continue
		}
		said = append(said, "good "+got.Session)
	}
	judge(t, list, said)
}

// samples are the others: each is run by a few lines that answer every claim on
// a line of its own.
var samples = []struct {
	language, file, command string
	needs                   []string // arguments with which the command tells that it has what the sample needs
	run                     string
}{
	{"js", "verify.mjs", "node", nil, `import { readFileSync } from "node:fs";
const { verifyReceipt } = await import(process.argv[2]);
for (const c of JSON.parse(readFileSync(0, "utf8"))) {
  try { console.log("good " + verifyReceipt(c.text, c.keys, c.issuer, { ref: c.ref, amountUsd: c.amount }, { test: c.test }).sub); }
  catch (e) { console.log(e.message.replaceAll("\n", " ")); }
}`},
	{"python", "verify.py", "python3", []string{"-c", "import cryptography"}, `import json, sys
sys.path.insert(0, sys.argv[1].rsplit("/", 1)[0])
sys.dont_write_bytecode = True
from verify import verify_receipt
for c in json.load(sys.stdin):
    try:
        print("good " + verify_receipt(c["text"], c["keys"], c["issuer"], c["ref"], c["amount"], c["test"])["sub"])
    except Exception as e:
        print(type(e).__name__, str(e))
`},
	{"php", "verify.php", "php", []string{"-r", "exit(function_exists('sodium_base642bin') ? 0 : 1);"}, `<?php
require $argv[1];
foreach (json_decode(stream_get_contents(STDIN), true) as $c) {
    try { echo 'good ' . verify_receipt($c['text'], $c['keys'], $c['issuer'], $c['ref'], $c['amount'], $c['test'])['sub'] . "\n"; }
    catch (Throwable $e) { echo get_class($e) . ' ' . $e->getMessage() . "\n"; }
}`},
	{"ruby", "verify.rb", "ruby", []string{"-e", "require 'openssl'; exit OpenSSL::VERSION.to_i >= 3"}, `require ARGV[0]
JSON.parse(STDIN.read).each do |c|
  begin
    puts "good " + CoinslotReceipt.verify(c["text"], c["keys"], issuer: c["issuer"], order_ref: c["ref"], amount_usd: c["amount"], test: c["test"])["sub"]
  rescue => e
    puts "#{e.class} #{e.message}"
  end
end`},
}

// TestSamples runs the samples of docs/verify.md. Python's library is not on
// every machine: without it that sample is passed over.
func TestSamples(t *testing.T) {
	list := claimed(t)
	input, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range samples {
		t.Run(s.language, func(t *testing.T) {
			t.Parallel()
			command, err := exec.LookPath(s.command)
			switch there := err == nil && (s.needs == nil || exec.Command(command, s.needs...).Run() == nil); {
			case !there && s.language == "python":
				t.Skip("Python, or its package cryptography, is not installed here")
			case !there:
				t.Fatalf("%s, or what docs/verify.md asks of it, is missing: make install-test-tools", s.command)
			}
			file, err := filepath.Abs(filepath.Join(folder, s.file))
			if err != nil {
				t.Fatal(err)
			}
			run := filepath.Join(t.TempDir(), "run"+filepath.Ext(s.file))
			if err := os.WriteFile(run, []byte(s.run), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), command, run, file)
			cmd.Stdin = bytes.NewReader(input)
			var errs bytes.Buffer
			cmd.Stderr = &errs
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v: %s", err, errs.String())
			}
			judge(t, list, strings.Split(strings.TrimSpace(string(out)), "\n"))
		})
	}
}

// TestPageHoldsTheSamples: what docs/verify.md shows is what is run here, byte
// for byte.
func TestPageHoldsTheSamples(t *testing.T) {
	page, err := os.ReadFile("../../docs/verify.md")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"verify.go": "go"}
	for _, s := range samples {
		files[s.file] = s.language
	}
	for file, language := range files {
		code, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), "```"+language+"\n"+string(code)+"```\n") {
			t.Errorf("docs/verify.md does not show %s as it is", file)
		}
	}
	there, err := os.ReadDir(folder)
	if err != nil || len(there) != len(files) {
		t.Errorf("%d files in %s, %v; want %d", len(there), folder, err, len(files))
	}
}
