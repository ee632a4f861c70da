package page

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"coinslot/app/widget/node"
)

// What others wrote cannot move, hide or end what is around it.
func TestHarmless(t *testing.T) {
	for given, want := range map[string]string{
		"Two tickets": "Two tickets", "Müller 李 🎟": "Müller 李 🎟", "می\u200cخواهم": "می\u200cخواهم",
		"a\u202egnp.exe": "a\ufffdgnp.exe", "a\u2066b\u2069": "a\ufffdb\ufffd", "a\u200bb": "a\ufffdb", "\ufeffa": "\ufffda", "a\x00\x1bb": "a\ufffd\ufffdb",
		"a\nb\tc": "a b c", "a\u2028b": "a\ufffdb", "a\xffb": "a\ufffdb", "\u200e": "\ufffd",
	} {
		if got := Harmless(given); got != want {
			t.Errorf("Harmless(%q) = %q; want %q", given, got, want)
		}
	}
}

// Nothing but http and https is a link to elsewhere.
func TestAway(t *testing.T) {
	if got := node.HTML(El("p").Body(Email("ann@<b>\u202e@x"))); got != `<p><bdi class="foreign" translate="no">ann@<wbr>&lt;b&gt;`+"\ufffd@x</bdi></p>" {
		t.Errorf("Email = %s", got)
	}
	for to, link := range map[string]bool{
		"https://scan.example/tx/1": true, "http://127.0.0.1/x": true,
		"javascript:alert(1)": false, " https://x": false, "data:text/html,x": false, "//evil.example": false, "": false, "HTTPS://x": false,
	} {
		got := node.HTML(El("p").Body(Away(to, Text("x"))))
		if strings.Contains(got, "<a ") != link || link && !strings.Contains(got, `rel="noopener noreferrer"`) {
			t.Errorf("Away(%q) = %s", to, got)
		}
	}
}

// A whole page is well formed, whatever is put into it.
func TestWrite(t *testing.T) {
	const evil = "\"'><script>x</script>\u202e&"
	var out bytes.Buffer
	Write(&out, Frame{
		Page: Page{Title: evil, Lead: evil, Section: "/admin/payments", Back: Back{"/admin", evil}, Tools: []node.Node{Link("/admin?q="+evil, Text(evil))}, Body: []node.Node{
			Table{Caption: evil, Columns: []Column{{Name: evil}, {Name: "n", Number: true}}, Rows: [][]node.Node{{Foreign(evil), Code(evil)}}}.Draw(),
			Facts(Fact{evil, Short(strings.Repeat(evil, 3))}), Filter("/admin", true, Field{Name: "q", Label: evil, Value: evil, Placeholder: evil}),
			Confirm(None(), []string{evil}, []string{evil}, Form{Path: "/admin", Token: evil, Button: evil, Fields: []Field{{Name: "a", Label: "b", Type: "textarea", Value: evil}}}),
			Coin(evil, evil, ""), Amount(evil, evil), Badge("good", evil), Note("", evil),
		}},
		CSS: "/assets/console.css", Who: evil, Token: "t", Notice: Notice{"good", evil}, Alarms: map[string]int{"/admin/webhooks": 1200},
	})
	page := out.String()
	if strings.Contains(page, "<script") || strings.Count(page, "<h1>") != 1 || strings.Count(page, `aria-current="page"`) != 1 || !strings.Contains(page, "1,200") {
		t.Errorf("the page is %s", page)
	}
	if strings.Contains(page, "style=") || strings.Contains(page, "onclick") {
		t.Error("the page has what its policy forbids")
	}
}

// Durations are told in their largest unit.
func TestApart(t *testing.T) {
	now := time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		0: "0 s ago", 59 * time.Second: "59 s ago", 61 * time.Second: "1 min ago", 47 * time.Hour: "47 h ago", 49 * time.Hour: "2 days ago", -90 * time.Second: "in 1 min",
	} {
		if got := Apart(now.Add(-d), now); got != want {
			t.Errorf("Apart(%v) = %q; want %q", d, got, want)
		}
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000"} {
		if got := Count(n); got != want {
			t.Errorf("Count(%d) = %q; want %q", n, got, want)
		}
	}
}

// A choice without a value would be sent as its label.
func TestOptionNeedsAValue(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an option without a value was drawn")
		}
	}()
	Field{Name: "state", Type: "select", Options: []Option{{Value: "", Label: "All"}}}.draw()
}
