package screen

import (
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"coinslot/app/screen/screentest"
	"coinslot/app/widget"
	"coinslot/app/widget/node"

	"github.com/google/go-cmp/cmp"
	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// goAppTag finds start tags as go-app prints them, with values quoted as Go strings.
var (
	goAppTag  = regexp.MustCompile(`<(/?[a-z0-9]+)((?: [^ =>]+(?:="(?:[^"\\]|\\.)*")?)*)>`)
	goAppAttr = regexp.MustCompile(` ([^ =>]+)(?:=("(?:[^"\\]|\\.)*"))?`)
	htmlTag   = regexp.MustCompile(`<(/?[a-z0-9]+)((?: [^ =>]+(?:="[^"]*")?)*)>`)
	htmlAttr  = regexp.MustCompile(` ([^ =>]+)(?:=("[^"]*"))?`)
)

// skeleton is what printed holds: tags with their attributes, and the words between
// them without spaces. What go-app prints otherwise is left out: an attribute that is
// true without its value, one that is false with it, and no empty text of a picture.
func skeleton(printed string, tag, attr *regexp.Regexp, unquote func(string) string) string {
	ends := regexp.MustCompile(`</(input|img)>`)
	printed = ends.ReplaceAllString(printed, "")
	var all []string
	for i, found := range tag.FindAllStringSubmatchIndex(printed, -1) {
		name := printed[found[2]:found[3]]
		attrs := printed[found[4]:found[5]]
		var list []string
		for _, a := range attr.FindAllStringSubmatch(attrs, -1) {
			value := unquote(a[2])
			absent := regexp.MustCompile(`^(checked|disabled|hidden|open|selected)$`).
				MatchString(a[1]) && value == "false"
			if absent {
				continue
			}
			if a[1] != "alt" || value != "" {
				list = append(list, a[1]+"="+strings.TrimSuffix(value, "true"))
			}
		}
		slices.Sort(list)
		words, _, _ := strings.Cut(printed[found[1]:], "<")
		if i == 0 {
			all = append(all, printed[:found[0]])
		}
		all = append(all,
			name+" "+strings.Join(list,
				" ")+" "+strings.Join(strings.Fields(html.UnescapeString(words)), ""))
	}
	return strings.Join(all, "\n")
}

// TestRenderersAgree compares the HTML of every page with what go-app has of it.
func TestRenderersAgree(t *testing.T) {
	goQuoted := func(s string) string {
		value, _ := strconv.Unquote(s)
		return value
	}
	quoted := func(s string) string { return html.UnescapeString(strings.Trim(s, `"`)) }
	for _, s := range screentest.Gallery() {
		s.Page = screentest.Localize(s.Page, "en", english(t))
		s.Page.Languages = []widget.Language{{Tag: "de", Name: "Deutsch"}, {Tag: "en", Name: "English"}}
		c := &Checkout{Page: s.Page}
		want := skeleton(node.HTML(c), htmlTag, htmlAttr, quoted)
		got := skeleton(app.HTMLString(c), goAppTag, goAppAttr, goQuoted)
		if diff := cmp.Diff(want, got); diff != "" || len(got) < 500 {
			t.Errorf("%s: %d characters (-HTML +go-app):\n%s", s.Name, len(got), diff)
		}
	}
}
