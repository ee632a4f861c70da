package widget

import (
	"testing"

	"coinslot/app/widget/node"
	"coinslot/bff/fortest"
)

// TestFullLanguageMenu: the server's page has one language, and a button that asks for all.
func TestFullLanguageMenu(t *testing.T) {
	page := Page{
		Lang:      "fr",
		Languages: []Language{{"de", "Deutsch"}, {"fr", "Français & \"co\""}},
		Base:      "/checkout/cs_1",
		Carry:     []Field{{"lang", "fr"}, {"theme", "dark"}},
	}
	const theme, ask = `<input name="theme" type="hidden" value="dark">`, ` name="languages" type="submit" value="1">`
	const german, french = `<option lang="de" value="de">Deutsch</option>`,
		`<option class="now" lang="fr" selected value="fr">Français &amp; &#34;co&#34;</option>`
	for _, all := range []bool{false, true} {
		page.AllLanguages = all
		want := `<form action="/checkout/cs_1" class="languages" method="get">` + theme + `<label><span class="offscreen">lang.label</span><select data-part="language" name="lang">` +
			TextIf(all, german) + french + `</select></label> ` +
			`<button data-part="language-set"` + map[bool]string{false: ask, true: ` type="submit">`}[all] + `lang.set</button></form>`
		fortest.Equal(t, node.HTML(languageMenu(page)), want, "all %v", all)
	}
	page.Languages = page.Languages[:1]
	if node.HTML(languageMenu(page)) != "" {
		t.Error("there is a menu for one language")
	}
}
