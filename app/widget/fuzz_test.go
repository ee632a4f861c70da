package widget

import (
	"net/url"
	"strings"
	"testing"

	"coinslot/bff/fortest"
)

// What must never happen here: text becomes markup, or an answer that says no
// is shown as a payment.

// FuzzLink: whatever is carried, a link stays on the session's own path, and
// what it carries is read back as it was.
func FuzzLink(f *testing.F) {
	for _, s := range [][2]string{{"origin", "https://shop.example"}, {"a&b", "c=d"}, {"x", "\r\n#"},
		{"", "v"}, {"lang", ""}, {"\xff", "%zz"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, name, value string) {
		p := Page{Base: "/checkout/cs_1", Carry: []Field{{name, value}}}
		u, err := url.Parse(p.Link("/receipt", Field{"change", "1"}))
		if err != nil || u.Path != "/checkout/cs_1/receipt" || u.Host != "" || u.Fragment != "" {
			t.Fatalf("link with %q=%q is %v, %v", name, value, u, err)
		}
		q, err := url.ParseQuery(u.RawQuery)
		if err != nil || name != "change" && q.Get(name) != value || q.Get("change") == "" {
			t.Fatalf("link with %q=%q carries %v, %v", name, value, q, err)
		}
	})
}

// FuzzTranslate: values are put in as a strings.Replacer does, and a placeholder without a value is
// never shown.
func FuzzTranslate(f *testing.F) {
	for _, s := range [][3]string{{"{n} of {total}", "{total}", "2"}, {"{n", "1", "2"},
		{"{x}{n}{{n}}", "{", "}"}, {"{{n}", "1", "2"}, {"", "", ""}} {
		f.Add(s[0], s[1], s[2])
	}
	f.Fuzz(func(t *testing.T, sentence, n, total string) {
		text := map[string]string{"key": sentence, "error.unknown": "general"}
		want := strings.NewReplacer("{n}", n, "{total}", total).Replace(sentence)
		if strings.Contains(strings.NewReplacer("{n}", "_", "{total}", "_").Replace(sentence), "{") {
			want = "general"
		}
		fortest.Equal(t, Translate(text, "ltr", "key", "n", n, "total", total), want,
			"%q with %q and %q", sentence, n, total)
	})
}
