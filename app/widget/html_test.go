package widget

import (
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
