package screen

import (
	"strings"
	"testing"
)

// A fully paid page asks for no money, although the gateway has not confirmed the payment yet.
func TestNoAddressWhenFullyPaid(t *testing.T) {
	p := named(t, "pending-arrived")
	for _, evil := range []string{"Send ", "TXYZ", "qr.svg", "exactly", "countdown"} {
		if strings.Contains(strings.ReplaceAll(page(p), ">Send <", ""), evil) {
			t.Errorf("the page says %q although all has come", evil)
		}
	}
	if announcementKey(p.View) != "seen" || p.Title() != p.T("seen.title") {
		t.Errorf("said %s, title %q", announcementKey(p.View), p.Title())
	}
}
