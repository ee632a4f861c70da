package screen

import (
	"strings"
	"testing"

	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"
)

// A fully paid page asks for no money, although the gateway has not confirmed the payment yet.
func TestNoAddressWhenFullyPaid(t *testing.T) {
	p := widget.Page{Text: english(t), Lang: "en", Dir: "ltr", Base: "/checkout/cs_1",
		View: wire.View{
			Session: "cs_1", Status: wire.Pending, Order: wire.Order{AmountUSD: "25.00"},
			Actions: []wire.Action{wire.Recheck},
			Attempt: &wire.Attempt{Number: 1, CurrencySymbol: "USDT", Address: "TXYZ",
				PayableAmount: "25", PaidAmount: "25", ExpiresInMs: 600_000},
		}}
	html := node.HTML(&Checkout{Page: p})
	for _, evil := range []string{"Send 25", "TXYZ", "qr.svg", "exactly", "countdown"} {
		if strings.Contains(html, evil) {
			t.Errorf("the page says %q although all has come", evil)
		}
	}
	for _, want := range []string{"25.00\u00a0USDT seen", `data-part="paid"`, "nothing left for you to do"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if announcementKey(p.View) != "seen" || p.Title() != p.T("seen.title") {
		t.Errorf("said %s, title %q", announcementKey(p.View), p.Title())
	}
	p.View.Attempt.PaidAmount, p.View.Attempt.MissingAmount = "20", "5"
	if !strings.Contains(node.HTML(&Checkout{Page: p}), `data-part="missing"`) {
		t.Error("a part has come, and the rest is not asked for")
	}
}
