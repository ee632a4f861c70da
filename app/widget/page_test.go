package widget

import (
	"strings"
	"testing"

	"coinslot/app/wire"
	"coinslot/bff/fortest"

	"github.com/google/go-cmp/cmp"
)

func TestLink(t *testing.T) {
	p := Page{Base: "/checkout/cs_1", Carry: []Field{{"embed", "inline"}, {"origin", "https://shop.example"}, {"lang", ""}}}
	for _, c := range []struct {
		sub   string
		extra []Field
		want  string
	}{
		{"", nil, "/checkout/cs_1?embed=inline&origin=https%3A%2F%2Fshop.example"},
		{"/receipt", []Field{{"change", "1"}}, "/checkout/cs_1/receipt?embed=inline&origin=https%3A%2F%2Fshop.example&change=1"},
	} {
		fortest.Equal(t, p.Link(c.sub, c.extra...), c.want, "Link(%q, %v)", c.sub, c.extra)
	}
	fortest.Equal(t, (Page{Base: "/checkout/cs_1"}).Link(""), "/checkout/cs_1",
		"Link without anything to carry")
}

func TestTarget(t *testing.T) {
	fortest.Equal(t, (&Page{Base: "/checkout"}).Target("/attempts"), "/checkout",
		"Target of what is not stored")
	p := Page{Base: "/checkout/cs_1", View: wire.View{Session: "cs_1"}}
	fortest.Equal(t, p.Target("/cancel"), "/checkout/cs_1/cancel", "Target")
}

func TestWithSession(t *testing.T) {
	p := Page{Base: "/checkout", Carry: []Field{{"order", "x.y.z"}, {"embed", "modal"}, {"item", "a"}, {"amount", "5"}, {"key", "k"}}}
	got := p.WithSession("cs_1")
	diff := cmp.Diff([]Field{{"embed", "modal"}}, got.Carry)
	if diff != "" || got.Base != "/checkout/cs_1" {
		t.Errorf("Stored: base %s, carry (-want +got):\n%s", got.Base, diff)
	}
	fortest.Equal(t, len(p.Carry), 5, "the page before has changed")
}

func TestTimingSentences(t *testing.T) {
	text := english(t)
	for _, c := range []struct {
		ms      int64
		left    string
		ago     int64
		checked string
		offline bool
	}{
		{7_500_000, "2 h 5 min left", -1, "Not checked yet.", false},
		{899_000, "14 min left", 4_000, "Checked just now.", false},
		{299_000, "4:59 left", 59_999, "Checked 59 seconds ago.", false},
		{300_000, "5 min left", 5_000, "Checked 5 seconds ago.", false},
		{-5_000, "Time’s up", 0, "Checked just now.", false},
		{61_000, "1:01 left", 60_000, "Checked 1 minute ago.", false},
		{9_000, "0:09 left", 600_000, "Checked 10 minutes ago.", false},
		{0, "Time’s up", 0, text["checked.offline"], true},
	} {
		p := Page{Text: text, View: wire.View{CheckedMsAgo: c.ago, Attempt: &wire.Attempt{ExpiresInMs: c.ms}}}
		s := &Timing{Page: p, Shows: TimeLeft, Offline: c.offline}
		if s.leftText() != c.left || strings.TrimPrefix(s.checkedText(), text["pay.refresh"]+" ") != c.checked {
			t.Errorf("%d ms, checked %d ms ago: %q, %q; want %q, %q", c.ms, c.ago, s.leftText(), s.checkedText(), c.left, c.checked)
		}
	}
}

func TestWalletLinks(t *testing.T) {
	p := Page{View: wire.View{Attempt: &wire.Attempt{
		Wallets: []wire.WalletLink{{ID: "a"}, {ID: "b"}, {ID: "c"}},
	}}}
	if p.LeadsToWallets() {
		t.Error("a desktop leads to wallets of a phone")
	}
	p.Phone = true
	if !p.LeadsToWallets() || (&Page{Phone: true}).LeadsToWallets() {
		t.Error("a phone leads to wallets if there are some")
	}
	for last, want := range map[string]string{
		"": "abc", "a": "abc", "b": "bac", "c": "cab", "gone": "abc",
	} {
		p.LastWallet = last
		got := ""
		for _, w := range p.WalletLinks() {
			got += w.ID
		}
		fortest.Equal(t, got, want, "the order after %q", last)
	}
}
