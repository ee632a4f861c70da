package widget

import (
	"html"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
			el("p").Attr("aria-hidden", true).Attr("aria-busy", false).Text(""),
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

// tags finds start tags as go-app prints them, quoted values as Go strings, and
// as this package does.
var (
	tags       = regexp.MustCompile(`<(/?[a-z0-9]+)((?: [^ =>]+(?:="(?:[^"\\]|\\.)*")?)*)>`)
	attributes = regexp.MustCompile(` ([^ =>]+)(?:=("(?:[^"\\]|\\.)*"))?`)
)

// skeleton is the tags of a printed tree with the names of their attributes, but
// for what go-app prints otherwise.
func skeleton(printed string) string {
	var all []string
	for _, tag := range tags.FindAllStringSubmatch(printed, -1) {
		names := []string{tag[1]}
		for _, a := range attributes.FindAllStringSubmatch(tag[2], -1) {
			if off := boolean(a[1]) && a[2] == `"false"`; !off && a[1] != "alt" {
				names = append(names, a[1])
			}
		}
		slices.Sort(names[1:])
		all = append(all, strings.Join(names, " "))
	}
	return strings.Join(all, "\n")
}

// TestHTMLIsWhatGoAppHolds compares every page with what go-app prints of it: its
// memory is read rightly, and no element is left out.
func TestHTMLIsWhatGoAppHolds(t *testing.T) {
	for _, s := range Gallery() {
		s.Page.Text, s.Page.Languages = english(t), []Language{{"de", "Deutsch"}, {"en", "English"}}
		want, got := skeleton(app.HTMLString(&Checkout{Page: s.Page})), skeleton(HTML(&Checkout{Page: s.Page}))
		if diff := cmp.Diff(want, got); diff != "" || len(got) < 250 {
			t.Errorf("%s: %d characters of tags (-go-app +here):\n%s", s.Name, len(got), diff)
		}
	}
}

// TestLanguageListIsKept holds that what is kept of a list is what would be written
// of it now.
func TestLanguageListIsKept(t *testing.T) {
	two := []Language{{"en", "English"}, {"fr", "Français & \"co\""}}
	three := append([]Language{{"de", "Deutsch"}}, two...)
	for _, l := range []languageList{
		{Languages: two, Lang: "en"}, {Languages: two, Lang: "en"}, {Languages: two, Lang: "fr"},
		{Languages: three, Lang: "fr"}, {Languages: three[:2], Lang: "fr"}, {Languages: two, Lang: "xx"},
	} {
		want := `<select data-part="language" name="lang">`
		for _, one := range l.Languages {
			chosen := when(one.Tag == l.Lang, " selected")
			want += `<option lang="` + one.Tag + `"` + chosen + ` value="` + one.Tag + `">` + html.EscapeString(one.Name) + `</option>`
		}
		if got := HTML(&l); got != want+"</select>" {
			t.Errorf("%q of %d languages:\n%s\nwant\n%s", l.Lang, len(l.Languages), got, want)
		}
		l.Languages[0].Name += "!" // a list that was changed is another
	}
}

// TestLook holds that another layout is noticed before its memory is read.
func TestLook(t *testing.T) {
	looked.Do(look)
	mine := reflect.TypeFor[element]()
	for name, other := range map[string]any{
		"fewer fields": struct{ tag, xmlns string }{},
		"another name": struct {
			name, xmlns   string
			treeDepth     uint
			isSelfClosing bool
			jsElement     app.Value
			attributes    map[string]string
			eventHandlers map[string]int
			parentElement app.UI
			children      []app.UI
		}{},
		"another type": struct {
			tag, xmlns    string
			treeDepth     uint
			isSelfClosing bool
			jsElement     app.Value
			attributes    map[string][]byte
			eventHandlers map[string]int
			parentElement app.UI
			children      []app.UI
		}{},
		"another order": struct {
			xmlns, tag    string
			treeDepth     uint
			isSelfClosing bool
			jsElement     app.Value
			attributes    map[string]string
			eventHandlers map[string]int
			parentElement app.UI
			children      []app.UI
		}{},
	} {
		if alike(reflect.TypeOf(other), mine) {
			t.Errorf("%s: taken for go-app's", name)
		}
	}
	if !alike(elementType.Elem().Field(0).Type, mine) {
		t.Error("go-app's own is not known")
	}
}
