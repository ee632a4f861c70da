package gallery

import (
	"fmt"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"

	"coinslot/bff/api"
	"coinslot/bff/fortest"
	"coinslot/bff/web"
	"coinslot/e2e/browser"
	"coinslot/e2e/need"
	"coinslot/static"
)

// wider is JavaScript for whether a page scrolls sideways, and which of its parts make it.
const wider = `document.documentElement.scrollWidth <= innerWidth ? [] :
  [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('pre, table')).slice(0, 9).map(e => e.outerHTML.slice(0, 99))`

// shorter is JavaScript that leaves the first few of everything that repeats: axe
// takes its time, and the rest has the same form.
const shorter = `for (const list of ['main > section', 'section > article', 'section > h3', '.members > div', 'tr', 'li', '.prose p'])
  for (const parent of new Set([...document.querySelectorAll(list)].map(e => e.parentElement)))
    [...parent.querySelectorAll(':scope > ' + list.split(' ').at(-1))].slice(2).forEach(e => e.remove())`

// The pages of the documentation pass axe in both themes, fit a telephone, and
// load nothing but their stylesheet and icon.
func TestManualPages(t *testing.T) {
	t.Parallel()
	axe := fortest.Must(os.ReadFile(need.File(t, axeFile)))(t)
	site, err := web.New(web.Config{Static: static.Files, PublicURL: "https://pay.shop.example"})
	fortest.OK(t, err)
	s := httptest.NewServer(site.Handler(api.Routes(site, api.Config{})))
	t.Cleanup(s.Close)
	page := open(t, s.URL+"/docs/api",
		browser.Options{Width: 320, Height: 1200, Dark: true, ReducedMotion: true})
	for _, path := range []string{"/docs/api", "/docs/errors"} {
		page.Goto(s.URL + path)
		page.Eval(string(axe)+";document.querySelectorAll('details').forEach(d => d.open = true)",
			nil)
		wrong := browser.Eval[[]string](page, wider)
		page.Eval(shorter, nil)
		for _, scheme := range []string{"dark", "light"} {
			found := browser.Eval[[]string](
				page,
				fmt.Sprintf("document.documentElement.style.colorScheme = %q; %s", scheme,
					violations),
			)
			wrong = append(wrong, found...)
		}
		for _, what := range wrong {
			t.Errorf("%s: %s", path, what)
		}
	}
	for _, request := range page.Requests() {
		fortest.Has(t, "a request to", request, s.URL)
	}
	for _, line := range page.Console() {
		t.Errorf("the console says %s", line)
	}
}

// Minutes are counted as each language counts them.
// Source: Unicode CLDR 42, plural rules, cardinal.
func TestMinutesOnScreen(t *testing.T) {
	t.Parallel()
	base := serve(t)
	texts := fortest.Must(readTexts(static.Files))(t)
	page := open(t, base+"/pending-last-minutes", browser.Options{Width: 400, Height: 1400})
	forms := map[string][4]string{
		"en": {"one", "other", "other", "other"},
		"pl": {"one", "few", "many", "few"},
		"ru": {"one", "few", "many", "few"},
		"ar": {"one", "two", "few", "many"}, "ja": {"other", "other", "other", "other"},
	}
	for lang, want := range forms {
		for i, n := range []int{1, 2, 5, 22} {
			replaceDocument(
				page,
				base+"/pending-last-minutes"+
					Look{Lang: lang, Dir: directions[lang], Minutes: n}.Query(),
			)
			keys := map[string]string{`.extend p`: "time.extend.why"}
			if n >= 5 { // below, a clock runs
				keys[`[data-part="countdown"]`] = "time.minutes"
			}
			for part, key := range keys {
				sentence := texts[lang][key+"#"+want[i]]
				if sentence == "" {
					t.Fatalf("%s has no %s#%s", lang, key, want[i])
				}
				shown := browser.Eval[string](
					page,
					fmt.Sprintf(
						`document.querySelector(%q).textContent.replace(/[\u2066-\u2069\u200e\u200f]/g, "").trim()`,
						part,
					),
				)
				fortest.Equal(t, strings.ReplaceAll(sentence, "{n}", strconv.Itoa(n)), shown,
					"%s, %d minutes: %q; want", lang, n, shown)
			}
		}
	}
}
