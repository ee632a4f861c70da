package widget

import (
	"html"
	"strings"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

func TestHTML(t *testing.T) {
	for name, c := range map[string]struct {
		ui   app.UI
		want string
	}{
		"quotation marks stay in their attribute": {
			el("p").Attr("title", `a "b" <c> & d\e`).Text("x"),
			`<p title="a &#34;b&#34; &lt;c&gt; &amp; d\e">x</p>`,
		},
		"true and false are words in aria and data": {
			el("p").Aria("hidden", true).Aria("busy", false).Text(""),
			`<p aria-busy="false" aria-hidden="true"></p>`,
		},
		"what is not checked is not printed as checked": {
			el("p").Body(
				void("input").Attr("checked", false).Attr("disabled", true),
				void("input").Attr("checked", true).Attr("disabled", false),
			),
			`<p><input disabled><input checked></p>`,
		},
		"pieces of an address stay together": {
			el("p").Body(el("b").Text("TXYZ"), el("b").Text("opYR")),
			`<p><b>TXYZ</b><b>opYR</b></p>`,
		},
		"spaces around words stay": {
			el("p").Body(app.Text("paid "), el("b").Text(" 5 "), app.Text(" of 6")),
			`<p>paid <b> 5 </b> of 6</p>`,
		},
		"lines of a text stay": {el("p").Text("a\n  b"), "<p>a\n  b</p>"},
		"text beside elements": {el("p").Body(app.Text("a"), el("i"), el("div").Body(el("i"), app.Text("b"))), `<p>a<i></i><div><i></i>b</div></p>`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := HTML(c.ui); got != c.want {
				t.Errorf("HTML = %s\nwant   %s", got, c.want)
			}
		})
	}
}

// FuzzHTML checks that no text and no attribute's value can become markup.
func FuzzHTML(f *testing.F) {
	for _, s := range []string{"", "true", "false", `"><script>`, "a\nb", `\"`, "é\u00a0\u202e", "\xff\xfe", "&amp;", "a=b c"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, value, text string) {
		got := HTML(el("p").Attr("title", value).Body(el("b").Text(text), void("br")))
		if n := strings.Count(got, "<"); n != 5 {
			t.Errorf("HTML(%q, %q) = %s has %d tags; want 5", value, text, got, n)
		}
		trimmed := strings.TrimSpace(value)
		want := "<p"
		if trimmed != "" {
			want += ` title="` + html.EscapeString(strings.ToValidUTF8(trimmed, "\ufffd")) + `"`
		}
		inner := html.EscapeString(text)
		if strings.Contains(text, "\n") {
			return // at the ends of a text the printer's own line ends cannot be told from the text's
		}
		want += "><b>" + inner + "</b><br></p>"
		if got != want {
			t.Errorf("HTML(%q, %q) = %s\nwant %s", value, text, got, want)
		}
	})
}
