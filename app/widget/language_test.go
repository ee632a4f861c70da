package widget

import (
	"html"
	"testing"

	"coinslot/app/widget/node"
)

// TestLanguageListIsCached holds that what is kept of a list is what would be drawn of it now.
func TestLanguageListIsCached(t *testing.T) {
	two := []Language{{"en", "English"}, {"fr", "Français & \"co\""}}
	three := append([]Language{{"de", "Deutsch"}}, two...)
	for _, l := range []languageList{
		{Languages: two, Lang: "en"}, {Languages: two, Lang: "en"}, {Languages: two, Lang: "fr"},
		{Languages: three, Lang: "fr"}, {Languages: three[:2], Lang: "fr"},
		{Languages: two, Lang: "xx"},
	} {
		want := `<select data-part="language" name="lang">`
		for _, one := range l.Languages {
			chosen := one.Tag == l.Lang
			want += `<option` + TextIf(chosen, ` class="now"`) + ` lang="` + one.Tag + `"` +
				TextIf(chosen, " selected") + ` value="` + one.Tag + `">` + html.EscapeString(one.Name) + `</option>`
		}
		if got := node.HTML(&l); got != want+"</select>" {
			t.Errorf("%q of %d languages:\n%s\nwant\n%s", l.Lang, len(l.Languages), got, want)
		}
		l.Languages[0].Name += "!" // a list that was changed is another
	}
}
