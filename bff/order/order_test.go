package order

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"

	"github.com/golang-jwt/jwt/v5"
)

// code returns the code and member of an error, "" for none.
func code(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var e *wire.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v is no *wire.Error", err)
	}
	return strings.TrimSpace(string(e.Code) + " " + e.Param)
}

func TestDecode(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"least":               {`{"amount_usd":"25.00"}`, ""},
		"everything":          {`{"amount_usd":"0.01","order_ref":"1001 <b>✓","order_id":123456,"shop_name":"Café Ñandú","title":"T","description":"a\nb","email":"a@shop.example","metadata":{"k":"v"},"currencies":["USDT","USDC_erc20"],"ttl_minutes":15,"expires_in_minutes":60,"success_url":"https://shop.example/ok?x=1","cancel_url":"http://localhost:1/no","lang":"de-CH"}`, ""},
		"no amount":           {`{}`, "amount_required amount_usd"},
		"null amount":         {`{"amount_usd":null}`, "amount_required amount_usd"},
		"empty amount":        {`{"amount_usd":""}`, "amount_required amount_usd"},
		"number":              {`{"amount_usd":25.00}`, "amount_type amount_usd"},
		"list":                {`{"amount_usd":[]}`, "amount_type amount_usd"},
		"object":              {`{"amount_usd":{}}`, "amount_type amount_usd"},
		"true":                {`{"amount_usd":true}`, "amount_type amount_usd"},
		"zero":                {`{"amount_usd":"0.00"}`, "amount_invalid amount_usd"},
		"negative":            {`{"amount_usd":"-1"}`, "amount_invalid amount_usd"},
		"exponent":            {`{"amount_usd":"1e3"}`, "amount_invalid amount_usd"},
		"three digits":        {`{"amount_usd":"1.005"}`, "amount_invalid amount_usd"},
		"comma":               {`{"amount_usd":"1,00"}`, "amount_invalid amount_usd"},
		"spaces":              {`{"amount_usd":" 1"}`, "amount_invalid amount_usd"},
		"arabic digits":       {`{"amount_usd":"١"}`, "amount_invalid amount_usd"},
		"huge":                {`{"amount_usd":"1000000000000"}`, "amount_invalid amount_usd"},
		"unknown member":      {`{"amount_usd":"1","price":"2"}`, "unknown_field price"},
		"case variant":        {`{"amount_usd":"1","AMOUNT_USD":"2"}`, "unknown_field AMOUNT_USD"},
		"duplicate":           {`{"amount_usd":"1","amount_usd":"2"}`, "duplicate_field amount_usd"},
		"duplicate inside":    {`{"amount_usd":"1","metadata":{"a":"1","a":"2"}}`, "duplicate_field metadata"},
		"order_id text":       {`{"amount_usd":"1","order_id":"123456"}`, "invalid order_id"},
		"order_id short":      {`{"amount_usd":"1","order_id":12345}`, "invalid order_id"},
		"order_id fraction":   {`{"amount_usd":"1","order_id":123456.5}`, "invalid order_id"},
		"ref newline":         {`{"amount_usd":"1","order_ref":"a\nb"}`, "invalid order_ref"},
		"ref nul":             {`{"amount_usd":"1","order_ref":"a\u0000"}`, "invalid order_ref"},
		"ref direction":       {`{"amount_usd":"1","order_ref":"a\u202eb"}`, "invalid order_ref"},
		"ref long":            {`{"amount_usd":"1","order_ref":"` + strings.Repeat("x", 129) + `"}`, "invalid order_ref"},
		"email header":        {`{"amount_usd":"1","email":"a@b.example\r\nBcc: c"}`, "invalid email"},
		"metadata number":     {`{"amount_usd":"1","metadata":{"a":1}}`, "invalid metadata"},
		"javascript url":      {`{"amount_usd":"1","success_url":"javascript:alert(1)"}`, "invalid success_url"},
		"metadata null":       {`{"amount_usd":"1","metadata":{"a":null}}`, "invalid metadata"},
		"order_id zero":       {`{"amount_usd":"1","order_id":0}`, "invalid order_id"},
		"scheme-relative url": {`{"amount_usd":"1","success_url":"//evil.example"}`, "invalid success_url"},
		"user in url":         {`{"amount_usd":"1","cancel_url":"https://a@b.example"}`, "invalid cancel_url"},
		"ttl zero":            {`{"amount_usd":"1","ttl_minutes":0}`, "invalid ttl_minutes"},
		"ttl huge":            {`{"amount_usd":"1","ttl_minutes":9223372036854775808}`, "invalid ttl_minutes"},
		"expires negative":    {`{"amount_usd":"1","expires_in_minutes":-1}`, "invalid expires_in_minutes"},
		"no language":         {`{"amount_usd":"1","lang":"../en"}`, ""},
		"empty body":          {``, "bad_json"},
		"null body":           {`null`, "bad_json"},
		"list body":           {`[]`, "bad_json"},
		"text body":           {`"x"`, "bad_json"},
		"two documents":       {`{"amount_usd":"1"}{}`, "bad_json"},
		"byte order mark":     {"\ufeff" + `{"amount_usd":"1"}`, "bad_json"},
		"invalid UTF-8":       {"{\"amount_usd\":\"1\",\"title\":\"\xff\"}", "bad_json"},
		"cut":                 {`{"amount_usd":"1"`, "bad_json"},
		"deep":                {`{"metadata":` + strings.Repeat(`{"a":`, 20000) + `1` + strings.Repeat(`}`, 20000) + `}`, "bad_json"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Decode([]byte(c.body))
			fortest.Equal(t, code(t, err), c.want, "Decode")
		})
	}
}

func TestDecodeKeepsTheAmount(t *testing.T) {
	o := fortest.Must(Decode([]byte(`{"amount_usd":"19.99","ttl_minutes":15,"expires_in_minutes":60}`)))(t)
	if o.AmountUSD.String() != "19.99" || o.TTLMinutes != 15 || o.ExpiresIn != time.Hour {
		t.Errorf("Decode = %+v", o)
	}
}

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

const key = "0123456789abcdef0123456789abcdef"

func sign(t *testing.T, method jwt.SigningMethod, k any, claims jwt.MapClaims) string {
	t.Helper()
	return fortest.Must(jwt.NewWithClaims(method, claims).SignedString(k))(t)
}

// headed is sign with another header.
func headed(t *testing.T, name string, value any, claims jwt.MapClaims) string {
	t.Helper()
	token := jwt.NewWithClaims(jwt.SigningMethodHS256, claims)
	token.Header[name] = value
	return fortest.Must(token.SignedString([]byte(key)))(t)
}

// raw signs any payload.
func raw(payload string) string {
	text := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + base64.RawURLEncoding.EncodeToString([]byte(payload))
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// sibling returns a letter of base64url that differs from c in the lowest bit only, which a
// 32-byte signature leaves unused.
func sibling(c byte) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return string(letters[strings.IndexByte(letters, c)^1])
}

func TestParseToken(t *testing.T) {
	pair := fortest.Must(rsa.GenerateKey(rand.Reader, 2048))(t)
	curve := fortest.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	good := func(change func(jwt.MapClaims)) jwt.MapClaims {
		c := jwt.MapClaims{"amount_usd": "25.00", "order_ref": "1001", "exp": now.Add(time.Hour).Unix(), "iat": now.Unix(), "title": "Two tickets"}
		if change != nil {
			change(c)
		}
		return c
	}
	hs := func(change func(jwt.MapClaims)) string {
		return sign(t, jwt.SigningMethodHS256, []byte(key), good(change))
	}
	valid := hs(nil)
	parts := strings.Split(valid, ".")
	for name, c := range map[string]struct{ token, want string }{
		"good":                  {valid, ""},
		"empty":                 {"", "order_invalid order"},
		"no token":              {"abc", "order_invalid order"},
		"other key":             {sign(t, jwt.SigningMethodHS256, []byte("another"), good(nil)), "order_invalid order"},
		"alg none":              {sign(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, good(nil)), "order_invalid order"},
		"HS512":                 {sign(t, jwt.SigningMethodHS512, []byte(key), good(nil)), "order_invalid order"},
		"no signature":          {parts[0] + "." + parts[1] + ".", "order_invalid order"},
		"changed":               {parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(`{"amount_usd":"0.01","order_ref":"1001","exp":9999999999}`)) + "." + parts[2], "order_invalid order"},
		"expired":               {hs(func(c jwt.MapClaims) { c["exp"] = now.Add(-time.Minute).Unix() }), "order_invalid order"},
		"no exp":                {hs(func(c jwt.MapClaims) { delete(c, "exp") }), "order_invalid order"},
		"not yet":               {hs(func(c jwt.MapClaims) { c["nbf"] = now.Add(time.Hour).Unix() }), "order_invalid order"},
		"no ref":                {hs(func(c jwt.MapClaims) { delete(c, "order_ref") }), "order_invalid order_ref"},
		"no amount":             {hs(func(c jwt.MapClaims) { delete(c, "amount_usd") }), "order_invalid amount_usd"},
		"number amount":         {hs(func(c jwt.MapClaims) { c["amount_usd"] = 25 }), "order_invalid amount_usd"},
		"unknown claim":         {hs(func(c jwt.MapClaims) { c["price"] = "1" }), "order_invalid price"},
		"quoted exp":            {hs(func(c jwt.MapClaims) { c["exp"] = "9999999999" }), "order_invalid exp"},
		"quoted nbf":            {hs(func(c jwt.MapClaims) { c["nbf"] = "1" }), "order_invalid nbf"},
		"quoted iat":            {hs(func(c jwt.MapClaims) { c["iat"] = "1" }), "order_invalid iat"},
		"crit":                  {headed(t, "crit", []string{"exp"}, good(nil)), "order_invalid order"},
		"b64":                   {headed(t, "b64", false, good(nil)), "order_invalid order"},
		"kid":                   {headed(t, "kid", "1", good(nil)), ""},
		"kid of a file":         {headed(t, "kid", "../../../dev/null", good(nil)), ""}, // one key, whatever it says
		"jku":                   {headed(t, "jku", "https://evil.example/keys", good(nil)), ""},
		"jwk":                   {headed(t, "jwk", map[string]string{"kty": "oct", "k": "AA"}, good(nil)), ""},
		"b64 true":              {headed(t, "b64", true, good(nil)), "order_invalid order"},
		"alg None":              {headed(t, "alg", "None", good(nil)), "order_invalid order"},
		"alg hs256":             {headed(t, "alg", "hs256", good(nil)), "order_invalid order"},
		"alg RS256":             {headed(t, "alg", "RS256", good(nil)), "order_invalid order"}, // signed with the key as text
		"alg list":              {headed(t, "alg", []string{"HS256"}, good(nil)), "order_invalid order"},
		"RS256":                 {sign(t, jwt.SigningMethodRS256, pair, good(nil)), "order_invalid order"},
		"ES256":                 {sign(t, jwt.SigningMethodES256, curve, good(nil)), "order_invalid order"},
		"claim twice":           {raw(`{"amount_usd":"25.00","order_ref":"1001","exp":9999999999,"title":"Two tickets","amount_usd":"0.01"}`), "order_invalid amount_usd"},
		"claim twice, escaped":  {raw(`{"amount_usd":"25.00","order_ref":"1001","exp":9999999999,"amount\u005fusd":"0.01"}`), "order_invalid amount_usd"},
		"exp twice":             {raw(`{"amount_usd":"25.00","order_ref":"1001","exp":9999999999,"exp":1}`), "order_invalid order"},
		"exp a date":            {hs(func(c jwt.MapClaims) { c["exp"] = "2030-01-01" }), "order_invalid order"},
		"exp a float":           {hs(func(c jwt.MapClaims) { c["exp"] = float64(now.Unix()) + 3600.5 }), ""},
		"exp far":               {raw(`{"amount_usd":"25.00","order_ref":"1001","title":"Two tickets","exp":253402300799}`), "order_invalid exp"}, // the year 9999
		"exp in milliseconds":   {hs(func(c jwt.MapClaims) { c["exp"] = now.Add(time.Hour).UnixMilli() }), "order_invalid exp"},
		"exp in 400 days":       {hs(func(c jwt.MapClaims) { c["exp"] = now.Add(400 * 24 * time.Hour).Unix() }), ""},
		"exp in over 400 days":  {hs(func(c jwt.MapClaims) { c["exp"] = now.Add(400*24*time.Hour).Unix() + 1 }), "order_invalid exp"},
		"exp farther":           {raw(`{"amount_usd":"25.00","order_ref":"1001","exp":1e300}`), "order_invalid order"},
		"exp null":              {raw(`{"amount_usd":"25.00","order_ref":"1001","exp":null}`), "order_invalid order"},
		"exp just over":         {hs(func(c jwt.MapClaims) { c["exp"] = now.Add(-29 * time.Second).Unix() }), ""},
		"exp over":              {hs(func(c jwt.MapClaims) { c["exp"] = now.Add(-31 * time.Second).Unix() }), "order_invalid order"},
		"nbf past":              {hs(func(c jwt.MapClaims) { c["nbf"] = now.Add(-time.Hour).Unix() }), ""},
		"encoded twice":         {base64.RawURLEncoding.EncodeToString([]byte(valid)), "order_invalid order"},
		"payload encoded twice": {raw(base64.RawURLEncoding.EncodeToString([]byte(`{"amount_usd":"25.00"}`))), "order_invalid order"},
		"payload a text":        {raw(`"{}"`), "order_invalid order"},
		"padded":                {parts[0] + "=." + parts[1] + "." + parts[2], "order_invalid order"},
		"padded payload":        {raw(`{"amount_usd":"25.00","order_ref":"1001","exp":9999999999,"title":"x"}`) + "=", "order_invalid order"},
		"plain base64":          {parts[0] + "." + base64.StdEncoding.EncodeToString([]byte(`{"amount_usd":"25.00","order_ref":"1001","exp":9999999999,"title":"???>>>"}`)) + "." + parts[2], "order_invalid order"},
		"trailing bits":         {valid[:len(valid)-1] + sibling(valid[len(valid)-1]), "order_invalid order"},
		"space before":          {" " + valid, "order_invalid order"},
		"newline after":         {valid + "\n", "order_invalid order"},
		"four parts":            {valid + ".x", "order_invalid order"},
		"10 KiB":                {hs(func(c jwt.MapClaims) { c["description"] = strings.Repeat("x", 10<<10) }), "order_invalid order"},
		"long":                  {valid + strings.Repeat("A", maxToken), "order_invalid order"},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := ParseToken(c.token, []byte(key), now)
			fortest.Equal(t, code(t, err), c.want, "ParseToken")
			if err == nil && (o.Ref != "1001" || o.AmountUSD.String() != "25" || o.Title != "Two tickets") {
				t.Errorf("ParseToken = %+v", o)
			}
		})
	}
	if _, err := ParseToken(valid, nil, now); code(t, err) != "order_invalid order" {
		t.Errorf("ParseToken without a key = %v; want order_invalid", err)
	}
}

func TestMint(t *testing.T) {
	for _, good := range []struct{ code, amount, want string }{
		{"", "25.00", "25 USD"},
		{"USD", "25.00", "25 USD"},
		{"EUR", "17.50", "17.5 EUR"},
		{"JPY", "2980", "2980 JPY"},
	} {
		asked := NewToken{Amount: good.amount, Currency: good.code, Ref: "1001", TTL: time.Hour}
		token := fortest.Must(Mint([]byte(key), asked, now))(t)
		o := fortest.Must(ParseToken(token, []byte(key), now))(t)
		amount, code := o.Price()
		fortest.Equal(t, amount.String()+" "+code, good.want, "the price of a token")
		fortest.Equal(t, o.Ref, "1001", "its reference")
	}
	for _, bad := range []NewToken{
		{Ref: "1"},
		{Amount: "x", Ref: "1"},
		{Amount: "1"},
		{Amount: "1.5", Currency: "JPY", Ref: "1"},
		{Amount: "1", Ref: "1", TTL: 401 * 24 * time.Hour},
	} {
		if _, err := Mint([]byte(key), bad, now); err == nil {
			t.Errorf("Mint(%+v) = nil error", bad)
		}
	}
}

// Dates are whole seconds in any notation; huge ones are cheap to reject.
func TestDates(t *testing.T) {
	for text, want := range map[string]date{
		"1764000000": 1764000000, "1764000000.9": 1764000000, "1.764e9": 1764000000, "1764000000000": 1764000000000,
		"0": 0, "1e-400": 0, "0.5": 0, "1e400": math.MaxInt64, "1e16": math.MaxInt64, "123456789012345": 123456789012345,
	} {
		var got date
		if err := got.UnmarshalJSON([]byte(text)); err != nil || got != want {
			t.Errorf("%s is %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{`"1764000000"`, "null", "true", "1e999999999", "1e-999999999", "1e99999999999999999999"} {
		var got date
		fortest.Fails(t, got.UnmarshalJSON([]byte(text)), "%s was taken as %d", text, got)
	}
}
