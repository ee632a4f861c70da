package gallery

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
	"coinslot/static"
)

// Minutes are counted as each language counts them.
// Source: Unicode CLDR 42, plural rules, cardinal.
func TestMinutesOnScreen(t *testing.T) {
	t.Parallel()
	base := serve(t)
	texts := fortest.Must(readTexts(static.Files))(t)
	page := open(t, base+"/pending-last-minutes", browser.Options{Width: 400, Height: 1400})
	forms := map[string][4]string{
		"en": {"one", "other", "other", "other"}, "pl": {"one", "few", "many", "few"}, "ru": {"one", "few", "many", "few"},
		"ar": {"one", "two", "few", "many"}, "ja": {"other", "other", "other", "other"},
	}
	for lang, want := range forms {
		for i, n := range []int{1, 2, 5, 22} {
			replaceDocument(page, base+"/pending-last-minutes"+Look{Lang: lang, Dir: directions[lang], Minutes: n}.Query())
			keys := map[string]string{`.extend p`: "time.extend.why"}
			if n >= 5 { // below, a clock runs
				keys[`[data-part="countdown"]`] = "time.minutes"
			}
			for part, key := range keys {
				sentence := texts[lang][key+"#"+want[i]]
				if sentence == "" {
					t.Fatalf("%s has no %s#%s", lang, key, want[i])
				}
				shown := browser.Eval[string](page, fmt.Sprintf(`document.querySelector(%q).textContent.replace(/[\u2066-\u2069\u200e\u200f]/g, "").trim()`, part))
				if expected := strings.ReplaceAll(sentence, "{n}", strconv.Itoa(n)); shown != expected {
					t.Errorf("%s, %d minutes: %q; want %q", lang, n, shown, expected)
				}
			}
		}
	}
}
