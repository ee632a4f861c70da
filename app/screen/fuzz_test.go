package screen

import (
	"encoding/json"
	"strings"
	"testing"

	"coinslot/app/screen/screentest"
	"coinslot/app/widget/node"
	"coinslot/app/wire"
)

// FuzzAnswer: an answer to a request is a view with a status, or an error;
// what is not a success never is a view.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		`{"version":3,"session":"cs_1","status":"confirmed","actions":[]}`,
		`{"status":409,"code":"session_paid","detail":"no"}`, "<html>busy</html>", "", "null",
		"{}", `{"status":"open"}{}`, `{"code":1}`,
	} {
		f.Add(200, []byte(s))
		f.Add(409, []byte(s))
	}
	f.Add(302, []byte(`{"status":"confirmed"}`))
	f.Fuzz(func(t *testing.T, status int, answer []byte) {
		view, problem := decodeAnswer(status, answer)
		if problem == nil &&
			(status < 200 || status > 299 || view.Status == "" || !json.Valid(answer)) {
			t.Fatalf("read(%d, %q) = %+v", status, answer, view)
		}
		if problem != nil && (view.Status != "" || view.Version != 0 || view.Attempt != nil) {
			t.Fatalf("read(%d, %q) = %+v beside an error", status, answer, view)
		}
	})
}

// FuzzScreen draws every kind of screen from texts that others choose: there
// is as much markup as without them, and no screen fails.
func FuzzScreen(f *testing.F) {
	for i, s := range []string{"x", `"><script>alert(1)</script>`, "</script><img src=x onerror=1>",
		"\u202e\x00\xff", "a\nb", "{amount}", strings.Repeat("9", 300)} {
		f.Add(uint8(i*5), s, s)
	}
	samples := screentest.Gallery()
	plain := map[uint8]int{}
	screen := func(n uint8, text, amount string) string {
		s := samples[int(n)%len(samples)].Page
		v := &s.View
		v.Order = wire.Order{Ref: text, Title: text, Description: text, AmountUSD: amount}
		if v.Notice != nil {
			v.Notice = &wire.Notice{Code: wire.Code(text), Message: text}
		}
		if v.Attempt != nil {
			a := *v.Attempt
			a.CurrencyName = text
			a.NetworkName = text
			a.TxID = text
			v.Attempt = &a
		}
		return node.HTML(&Checkout{Page: s})
	}
	f.Fuzz(func(t *testing.T, n uint8, text, amount string) {
		if strings.TrimSpace(text) == "" || amount == "" || len(text)+len(amount) > 2000 {
			return // empty ones are left out of the page
		}
		n %= uint8(len(samples))
		if plain[n] == 0 {
			plain[n] = strings.Count(screen(n, "x", "1"), "<")
		}
		got := screen(n, text, amount)
		if tags := strings.Count(got, "<"); tags != plain[n] {
			t.Fatalf("%s with %q and %q has %d tags; want %d", samples[n].Name, text, amount, tags,
				plain[n])
		}
		if strings.Contains(strings.ToLower(got), "<script") {
			t.Fatalf("%s with %q runs a script", samples[n].Name, text)
		}
	})
}
