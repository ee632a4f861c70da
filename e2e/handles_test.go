package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/bff/sandbox/sandboxtest"
	"coinslot/e2e/browser"
)

// reached is a screen that a payment comes to.
type reached struct {
	name   string
	kind   sandbox.Kind // what happens to the payment; empty = nothing
	status string
	parts  []string // that merchants' own tests rely on, besides amount-usd, which all screens have; radios are many, all else is one
}

// handles are orders and the screens that each comes to, one after the other. The first choice leads
// from open to pending.
var handles = [][]reached{
	{
		{"open", "", "open", []string{"currency", "network", "search", "continue"}},
		{
			"pending",
			"",
			"pending",
			append([]string{"extend", "more-time", "change", "cancel"}, paying...),
		},
		{"partial", "half", "pending", append([]string{"paid", "missing"}, paying...)},
		{
			"expired in part",
			"expire",
			"expired",
			[]string{
				"reference", "copy-reference", "pay-amount", "paid", "missing", "tx", "recheck",
			},
		},
	},
	{{"confirmed", "pay", "confirmed", []string{"paid", "network-name", "time", "tx", "receipt"}}},
	{
		{
			"overpaid",
			"over",
			"confirmed",
			[]string{
				"paid", "network-name", "time", "tx", "receipt", "reference", "copy-reference",
				"overpaid",
			},
		},
	},
	{
		{
			"expired",
			"expire",
			"expired",
			[]string{"reference", "copy-reference", "retry", "recheck", "change"},
		},
	},
	{
		{
			"cancelled",
			"cancel",
			"cancelled",
			[]string{"reference", "copy-reference", "retry", "recheck", "change"},
		},
	},
}

// paying are the parts of the screen with the address.
var paying = []string{
	"address", "pay-amount", "copy-address", "copy-amount", "network-name", "qr", "check-address",
	"check-result", "device", "page-link", "copy-link", "hosted", "status", "time-left",
	"countdown", "recheck", "checked",
}

func TestFullHandles(t *testing.T) {
	s := newStack(t)
	for _, live := range []string{"wasm", "html"} {
		t.Run(live, func(t *testing.T) {
			o := browser.Options{Height: 1400, ThirdPartyStorage: true}
			if live == "html" {
				o.BlockURLs = []string{"*.wasm"}
			}
			p := chromium.Open(t, "", o)
			for i, way := range handles {
				o, ref := order{"amount_usd": "25.00"}, live+"-1001"
				if i == 0 {
					o["order_ref"] = ref
				}
				p.Goto(s.shopURL(s.session(o), "inline"))
				f := p.Frame(frame)
				f.Wait(`[data-live="` + live + `"]`)
				var tx sandbox.Transaction
				for _, screen := range way {
					if tx.TrackingCode == "" && screen.name != "open" {
						tx = s.choose(f, "USDT", "trc20")
					}
					if screen.kind != "" {
						s.simulate(tx, screen.kind)
					}
					f.Wait(`[data-status="` + screen.status + `"]`)
					f.Wait(`[data-live="` + live + `"]`)
					f.Wait(`[data-part="` + screen.parts[len(screen.parts)-1] + `"]`)
					if slices.Contains(screen.parts, "missing") {
						f.Wait(`[data-part="missing"]`)
					}
					t.Run(screen.name, func(t *testing.T) {
						p.SetTest(t)
						assertParts(t, f, screen.parts)
						assertNamedControls(t, f)
						assertNoStorage(t, f)
						if screen.name == "expired in part" {
							assertPartlyPaidEnd(t, f, ref, tx)
						}
					})
					p.SetTest(t)
				}
			}
			if live == "wasm" {
				assertCleanConsole(t, p)
			}
			assertOnlyOwnRequests(t, p, s)
		})
	}
}

// assertPartlyPaidEnd: a part that came before the time was up is shown with its arithmetic and a
// reference, and the page does not ask for more.
func assertPartlyPaidEnd(t *testing.T, f *browser.View, ref string, tx sandbox.Transaction) {
	t.Helper()
	f.WaitText(".outcome", "Some of your money arrived, but not all of it in time")
	for _, part := range []string{"pay-amount", "paid", "missing"} {
		if f.Attr(`[data-part="`+part+`"]`, "data-value") == "" {
			t.Errorf("no %s", part)
		}
	}
	f.WaitText(".outcome", "The shop decides")
	for _, line := range []string{
		"Order " + ref, f.Attr("#coinslot", "data-session"), tx.TrackingCode,
	} {
		f.WaitText(`[data-part="reference"]`, line)
	}
	if f.Exists(`[data-part="retry"]`) {
		t.Error("the page asks to pay once more, although money has come")
	}
}

// The screen before there is something to pay.
func TestFullHandlesOfPreparing(t *testing.T) {
	s := newStack(t)
	s.gateway.Inject(sandbox.Fault{Path: "create", Times: 1, Latency: 30 * time.Second})
	p, f := s.open(t, s.session(order{"amount_usd": "25.00"}), "inline", browser.Options{})
	f.Wait(`[data-live="wasm"]`)
	choose(f, "USDT", "trc20")
	f.Wait(`[data-status="preparing"]`)
	assertParts(t, f, []string{"status", "checked", "reload"})
	assertNamedControls(t, f)
	assertCleanConsole(t, p)
}

// The screen of money that is reported but not proven.
func TestFullHandlesOfReview(t *testing.T) {
	s := newStack(t)
	s.gateway.Falsify(sandboxtest.Answer{
		Path:  "transaction/status",
		Times: -1,
		Set:   map[string]any{"amount_usd": "1.00000000"},
	})
	p, f := s.open(t, s.session(order{"amount_usd": "25.00"}), "inline", browser.Options{})
	f.Wait(`[data-live="wasm"]`)
	s.simulate(s.choose(f, "USDT", "bep20"), "pay")
	f.Wait(`[data-status="review"]`)
	assertParts(t, f, []string{"reference", "copy-reference", "paid", "tx", "checked", "recheck"})
	assertNamedControls(t, f)
	f.Click(`[data-part="recheck"]`) // looks again and stays what it is: not proven
	f.Wait(`[data-status="review"]`)
	s.gateway.ClearFaults()
	assertCleanConsole(t, p)
}

// assertParts compares the handles on screen with those wanted.
func assertParts(t *testing.T, f *browser.View, want []string) {
	t.Helper()
	f.WaitJS(`document.readyState !== "loading"`, "the page to be parsed")
	got := browser.Eval[[]string](
		f,
		`[...document.querySelectorAll("[data-part]")].filter(e => e.type !== "radio").map(e => e.dataset.part)`,
	)
	for _, radio := range []string{"currency", "network"} {
		if f.Count(`input[type="radio"][data-part="`+radio+`"]`) > 1 {
			got = append(got, radio)
		}
	}
	want = append([]string{"amount-usd", "language", "language-set", "steps"}, want...)
	slices.Sort(got)
	slices.Sort(want)
	fortest.Diff(t, got, want, "handles")
}

// assertNamedControls asserts that everything that can be used has a name for screen
// readers, that pictures have words, and that there is one heading.
func assertNamedControls(t *testing.T, f *browser.View) {
	t.Helper()
	nameless := browser.Eval[[]string](f, `[...document.querySelectorAll("a, button, input:not([type=hidden]), summary, img")].filter(e => !(
		e.getAttribute("aria-label") || e.textContent.trim() || e.alt || e.getAttribute("aria-hidden") === "true" ||
		[...(e.labels ?? [])].some(l => l.textContent.trim()))).map(e => e.outerHTML)`)
	for _, html := range nameless {
		t.Errorf("a screen reader has no name for %s", html)
	}
	fortest.Equal(t, f.Count("h1"), 1, "headings of the first level")
	small := browser.Eval[[]string](f, `[...document.querySelectorAll("a.button, button, .coin-head, .network, input[name=email], input[type=search]")]
		.filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 36).map(e => e.outerHTML)`)
	if len(small) > 0 {
		t.Errorf("too small for a thumb: %s", strings.Join(small, "\n"))
	}
}

// assertNoStorage asserts that the checkout leaves nothing in the browser.
func assertNoStorage(t *testing.T, f *browser.View) {
	t.Helper()
	kept := browser.Eval[string](f,
		`document.cookie + Object.keys(localStorage) + Object.keys(sessionStorage)`)
	fortest.Equal(t, kept, "", "the browser was given to keep")
}
