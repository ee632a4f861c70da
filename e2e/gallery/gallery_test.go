package gallery

import (
	"flag"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/e2e/browser"
	"coinslot/static"
)

// sheets is where TestSheets leaves its pictures; empty = nowhere for long.
var sheets = flag.String("sheets", "", "folder for the contact sheets, for example ../../docs/images/gallery")

var chromium *browser.Browser

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "gallery")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		if chromium, err = browser.Launch(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer chromium.Close()
		return m.Run()
	}())
}

// serve shows the gallery and returns its address.
func serve(t *testing.T) string {
	t.Helper()
	h, err := Handler(static.Files)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// overflowing is JavaScript for the parts that are wider than the page, or cut
// off by their own box. Text in a field scrolls, so it is not cut; nor is a row
// that scrolls sideways by itself, which is asked for in the page's last line only.
const overflowing = `[...document.querySelectorAll('[data-sample] *')].filter(e => {
  const box = e.getBoundingClientRect(), style = getComputedStyle(e);
  if (!box.width || !box.height || e.matches('input') || e.closest('.offscreen, .announce, .simulate') || style.position === 'absolute') return false;
  if (box.right > innerWidth + 1 || box.left < -1) return true;
  const cut = ['hidden', 'clip'].includes(style.overflowX) || e.matches('button, .button, .badge');
  return cut && (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1);
}).slice(0, 30).map(e => e.closest('[data-sample]').dataset.sample + ': ' + e.tagName.toLowerCase() + '.' + e.className + ': ' + (e.textContent ?? '').trim().slice(0, 60))`

// Nothing sticks out and nothing is cut off, in the narrowest page, in every
// language, and in an invented one with sentences longer by half.
func TestEverythingFits(t *testing.T) {
	base := serve(t)
	texts, err := readTexts(static.Files)
	if err != nil {
		t.Fatal(err)
	}
	looks := map[int][]Look{}
	for _, width := range []int{280, 320, 480, 960} {
		for _, dir := range []string{"ltr", "rtl"} {
			looks[width] = append(looks[width], Look{Lang: Pseudo, Dir: dir, Density: "cozy"}, Look{Lang: "en", Dir: dir, Density: "compact"})
		}
		looks[width] = append(looks[width], Look{Lang: "en", Theme: "dark", Density: "compact"}, Look{Lang: "en", Theme: "dark", Density: "cozy"})
	}
	for _, tag := range slices.Sorted(maps.Keys(texts)) {
		looks[320] = append(looks[320], Look{Lang: tag, Dir: directions[tag]})
	}
	for width, list := range looks {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			page := chromium.Open(t, "about:blank", browser.Options{Width: width, Height: 1200, ReducedMotion: true})
			for _, look := range list {
				page.Goto(base + "/all" + look.Query())
				var found []string
				page.Eval(overflowing, &found)
				for _, part := range found {
					t.Errorf("%d px, %s, %s, %s: %s", width, look.Lang, look.Dir, look.Density, part)
				}
			}
		})
	}
}

var directions = map[string]string{"ar": "rtl", "he": "rtl", "fa": "rtl", "ur": "rtl"}

// axeFile is the checker of Deque, which the Makefile fetches.
const axeFile = "../../.cache/axe/package/axe.min.js"

// violations is JavaScript for what axe has found: WCAG 2.2 A and AA and its
// best practices, all of it.
const violations = `axe.run(document, {resultTypes: ['violations'], rules: {region: {enabled: true}}}).then(r =>
  r.violations.map(v => v.id + ': ' + v.help + ' (' + v.nodes.slice(0, 3).map(n => n.target.join(' ') + ' ' + (n.any[0]?.message ?? '')).join('; ') + ')'))`

// Every screen passes axe, in both themes and directions.
func TestAxe(t *testing.T) {
	axe, err := os.ReadFile(axeFile)
	if err != nil {
		t.Fatalf("%v: make install-test-tools fetches it", err)
	}
	base := serve(t)
	for _, theme := range []string{"light", "dark"} {
		for _, dir := range []string{"ltr", "rtl"} {
			t.Run(theme+" "+dir, func(t *testing.T) {
				t.Parallel()
				lang := map[string]string{"ltr": "en", "rtl": "ar"}[dir]
				page := chromium.Open(t, "about:blank", browser.Options{Width: 400, Height: 1400, Dark: theme == "dark", ReducedMotion: true})
				for _, s := range Samples() {
					page.Goto(base + "/" + s.Name + Look{Theme: theme, Dir: dir, Lang: lang}.Query())
					page.Eval(string(axe)+";0", nil)
					var found []string
					page.Eval(violations, &found)
					for _, v := range found {
						t.Errorf("%s: %s", s.Name, v)
					}
				}
			})
		}
	}
}

// TestSheets makes the contact sheets: every screen in three widths.
func TestSheets(t *testing.T) {
	dir := *sheets
	if dir == "" {
		dir = t.TempDir()
	}
	base := serve(t)
	for _, look := range []Look{{Theme: "light", Dir: "ltr", Lang: "en"}, {Theme: "dark", Dir: "ltr", Lang: "en"}, {Theme: "light", Dir: "rtl", Lang: "ar"}, {Theme: "dark", Dir: "rtl", Lang: "fa"}} {
		page := chromium.Open(t, base+"/sheet"+look.Query(), browser.Options{Width: 1280, Height: 800, ReducedMotion: true, Patience: 2 * time.Minute})
		page.Wait(`body[data-ready="1"]`)
		path := filepath.Join(dir, strings.Join([]string{"every-screen", look.Theme, look.Dir}, "-")+".webp")
		page.Sheet(path, 0.33)
		page.Close()
		if info, err := os.Stat(path); err != nil || info.Size() < 50_000 {
			t.Errorf("%s is missing or empty: %v", path, err)
		}
	}
}
