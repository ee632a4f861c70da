package screen

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"coinslot/app/screen/screentest"
	"coinslot/app/widget"
	"coinslot/app/wire"
	"coinslot/bff/fortest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// english reads the sentences that travel with an English page.
func english(tb testing.TB) map[string]string {
	tb.Helper()
	return sentences(tb, "en")
}

// sentences reads the sentences of a language.
func sentences(tb testing.TB, lang string) map[string]string {
	tb.Helper()
	raw, err := os.ReadFile("../../static/text/" + lang + ".json")
	fortest.OK(tb, err)
	text, err := widget.ReadText(raw)
	fortest.OK(tb, err)
	return text
}

// Unused addresses.
const (
	evmOurs  = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" // an example of EIP-55
	evmPlain = "0x52908400098527886E0F7030069857D2E4169EE7" // in one case: without a checksum
	tronOurs = "TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf"
)

// lines breaks HTML before every tag, so that a golden file can be read and compared.
func lines(s string) string { return strings.ReplaceAll(s, "<", "\n<") + "\n" }

func TestGallery(t *testing.T) {
	for _, s := range screentest.Gallery() {
		t.Run(s.Name, func(t *testing.T) {
			got := lines(page(named(t, s.Name)))
			file := filepath.Join("testdata", s.Name+".html")
			if *update {
				fortest.OK(t, os.WriteFile(file, []byte(got), 0o644))
			}
			want := fortest.Must(os.ReadFile(file))(t)
			fortest.Diff(t, got, string(want), "page differs from %s", file)
		})
	}
}

// part finds the start tags that carry a handle.
func part(page, name string) []string {
	return regexp.MustCompile(`<[a-z]+[^>]*data-part="`+name+`"[^>]*>`).FindAllString(page, -1)
}

func TestEveryStatusHasAScreen(t *testing.T) {
	for _, status := range wire.Statuses() {
		has := func(s screentest.Sample) bool {
			_, waits := (&Checkout{Page: s.Page}).screen().(*preparing)
			return s.Page.View.Status == status && waits == (status == wire.Preparing)
		}
		if !slices.ContainsFunc(screentest.Gallery(), has) {
			t.Errorf("the gallery has no page of status %q with a screen of its own", status)
		}
	}
}

// TestEveryScreen holds what every page must have, whatever it shows.
func TestEveryScreen(t *testing.T) {
	several := map[string]bool{"offer-suggested": true, "currency": true, "network": true,
		"wallet": true, "simulate": true, "refund": true, "refund-tx": true}
	for _, s := range screentest.Gallery() {
		t.Run(s.Name, func(t *testing.T) {
			page := page(named(t, s.Name))
			fortest.Equal(t, strings.Count(page, "<h1"), 1, "headings")
			fortest.Equal(t, strings.Count(page, `aria-live="polite"`), 1, "polite live regions")
			if regexp.MustCompile(` style=| on[a-z]+=`).MatchString(page) {
				t.Error("an inline style or handler, which the content security policy blocks")
			}
			fortest.Equal(t, regexp.MustCompile(`>[a-z]+\.[a-z.]+<`).FindString(page), "",
				"a key without a sentence")
			fortest.Equal(t, regexp.MustCompile(`\{[a-z]+\}`).FindString(page), "",
				"a placeholder without a value")
			for _, m := range regexp.MustCompile(`data-part="([a-z-]+)"`).
				FindAllStringSubmatch(page, -1) {
				if n := len(part(page, m[1])); n > 1 && !several[m[1]] {
					t.Errorf("%d elements of part %q; want 1", n, m[1])
				}
			}
		})
	}
}

func TestHandles(t *testing.T) {
	for _, c := range []struct{ sample, part, want string }{
		{"pending", "address", `data-value="TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf"`},
		{"pending", "pay-amount", `data-value="25.03"`},
		{"pending", "copy-address", `type="button"`},
		{"pending", "qr", `src="/checkout/cs_gallery/qr.svg?a=1"`},
		{"pending", "countdown", `role="timer"`},
		{"pending", "checked", ``},
		{"pending", "cancel", `type="submit"`},
		{"pending", "change", `href="/checkout/cs_gallery?change=1"`},
		{"pending", "recheck", `type="submit"`},
		{"pending-uri", "open-wallet", `href="ethereum:0x5290`},
		{"pending-partial", "paid", `data-value="9.80"`},
		{"pending-partial", "missing", `data-value="15.23"`},
		{"pending-partial", "pay-amount", `data-value="25.03"`},
		{"confirmed", "tx", `href="https://explorer.example/tx/3b1a9f0c"`},
		{"confirmed-in-parts", "tx", `href="https://explorer.example/tx/3b1a9f0c"`},
		{"confirmed-in-parts", "tx-earlier", `data-value="0f6e5d4c3b2a`},
		{"confirmed", "receipt", `href="/checkout/cs_gallery/receipt"`},
		{"expired", "retry", `type="submit"`},
		{"expired-coin-gone", "retry", `href="/checkout/cs_gallery?change=1"`},
		{"review", "reference", "Order 1001\ncs_gallery\nPayment 8f3kq2mz7t\nTransaction 3b1a9f0c7d"},
		{"review", "copy-reference", "1001\ncs_gallery\nPayment 8f3kq2mz7t\nTransaction 3b1a9f0c7d"},
		{"open", "amount-usd", `data-value="25.00"`},
		{"open", "continue", `type="submit"`},
		{"open-many", "search", `type="search"`},
		{"open-refused", "error", `role="alert"`},
		{"open-amount", "offer-amount", `name="amount" type="text" value="20.00"`},
		{"open-amount", "offer-apply", `name="apply" type="submit"`},
		{"open-amount-wrong", "offer-amount", `aria-invalid="true"`},
		{"open-amount-wrong", "error", `data-code="amount_invalid"`},
		{"open-quantity", "offer-quantity", `name="quantity"`},
		{"open-quantity-wrong", "error", `role="alert"`},
	} {
		t.Run(c.sample+" "+c.part, func(t *testing.T) {
			found := part(page(named(t, c.sample)), c.part)
			if len(found) != 1 || !strings.Contains(found[0], c.want) {
				t.Errorf("part %q = %q; want one with %s", c.part, found, c.want)
			}
		})
	}
}

// TestFormsKeepFields checks that no form and no link forgets how the page is framed.
func TestFormsKeepFields(t *testing.T) {
	for _, s := range screentest.Gallery() {
		s.Page.Embed = "inline"
		s.Page.Origin = "https://shop.example"
		s.Page.Carry = []widget.Field{{Name: "embed", Value: "inline"}, {Name: "origin", Value: "https://shop.example"}}
		s.Page.Text = english(t)
		page := page(s.Page)
		for _, support := range part(page, "support") {
			fortest.Has(t, s.Name, support, `target="_blank"`)
		}
		for _, tab := range part(page, "browser-tab") { // leads out of the frame
			page = strings.ReplaceAll(page, tab, "")
		}
		forms := strings.Count(page, "<form")
		n := strings.Count(page,
			`<input name="origin" type="hidden" value="https://shop.example">`)
		if n != forms {
			t.Errorf("%s: %d of %d forms carry the origin", s.Name, n, forms)
		}
		for _, link := range regexp.MustCompile(`href="(/checkout[^"]*)"`).
			FindAllStringSubmatch(page, -1) {
			fortest.Has(t, s.Name+": the link", link[1], "origin=https%3A%2F%2Fshop.example")
		}
	}
}

// withPoint matches a number that is not written as in German.
var withPoint = regexp.MustCompile(`\d\.\d{1,2}(\D|$)|\d\.\d{4}`)

// TestNumbersInGerman: no screen shows a number as English writes it.
func TestNumbersInGerman(t *testing.T) {
	text := sentences(t, "de")
	for _, s := range screentest.Gallery() {
		localized := screentest.Localize(s.Page, "de", text)
		localized.Lang = "de"
		shown := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page(localized), " ")
		found := withPoint.FindString(shown)
		if found != "" {
			t.Errorf("%s shows %q", s.Name, found)
		}
	}
}
