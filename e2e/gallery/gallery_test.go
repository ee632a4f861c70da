package gallery

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/app/screen"
	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
	"coinslot/e2e/need"
	"coinslot/static"
	"coinslot/static/stylesheet"
)

// sheets is where TestSheets leaves its pictures; empty = nowhere for long.
var sheets = flag.String("sheets", "",
	"folder for the contact sheets, for example ../../docs/images/gallery")

var chromium *browser.Browser

func TestMain(m *testing.M) {
	os.Exit(need.Main(m, "it drives a browser", browser.Installed(),
		func() int { return browser.Share(m, &chromium) }))
}

// serve shows the gallery and returns its address.
func serve(t *testing.T) string {
	t.Helper()
	h := fortest.Must(Handler("../../static"))(t)
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// open shows an address. Pages of one site share one process of the browser, so
// each may have to wait for the heavy work of all others.
func open(t *testing.T, address string, o browser.Options) *browser.Page {
	t.Helper()
	o.Patience = 2 * time.Minute
	return chromium.Open(t, address, o)
}

// exchange is JavaScript that puts the document of another address in the place
// of the page's own, whole, and waits for its stylesheet and pictures.
const exchange = `(async address => {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(address + ': ' + answer.status);
  const next = new DOMParser().parseFromString(await answer.text(), 'text/html');
  document.replaceChild(next.documentElement, document.documentElement);
  const waits = [...document.querySelectorAll('link[rel=stylesheet], img:not([loading=lazy])')].filter(e => !e.sheet && !e.complete);
  await Promise.all(waits.map(e => new Promise((loaded, failed) => { e.onload = loaded; e.onerror = () => failed(new Error(e.outerHTML)); })));
})(%q)`

// replaceDocument shows another page of the gallery where one is shown. A navigation would
// show the same and cost a new process.
func replaceDocument(page *browser.Page, address string) {
	page.Eval(fmt.Sprintf(exchange, address), nil)
}

// overflowing is JavaScript for the parts that are wider than the page, or cut
// off by their own box. Text in a field scrolls, so it is not cut; nor is a row
// that scrolls sideways by itself, which is asked for in the page's last line only.
const overflowing = `[...document.querySelectorAll('[data-sample] *')].filter(e => {
  const box = e.getBoundingClientRect();
  const out = box.right > innerWidth + 1 || box.left < -1, more = e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1;
  if (!box.width || !box.height || !out && !more || e.matches('input') || e.closest('.offscreen, .announce, .sandbox')) return false;
  const style = getComputedStyle(e);
  return style.position !== 'absolute' && (out || ['hidden', 'clip'].includes(style.overflowX) || e.matches('button, .button, .badge'));
}).slice(0, 30).map(e => e.closest('[data-sample]').dataset.sample + ': ' + e.tagName.toLowerCase() + '.' + e.className + ': ' + (e.textContent ?? '').trim().slice(0, 60))`

// Nothing sticks out and nothing is cut off, in the narrowest page, in every
// language, and in an invented one with sentences longer by half.
func TestEverythingFits(t *testing.T) {
	base := serve(t)
	texts := fortest.Must(readTexts(static.Files))(t)
	looks := map[int][]Look{}
	for _, width := range []int{280, 320, 480, 960} {
		for _, dir := range []string{"ltr", "rtl"} {
			looks[width] = append(looks[width], Look{Lang: Pseudo, Dir: dir, Density: "cozy"},
				Look{Lang: "en", Dir: dir, Density: "compact"})
		}
		looks[width] = append(looks[width], Look{Lang: "en", Theme: "dark", Density: "compact"},
			Look{Lang: "en", Theme: "dark", Density: "cozy"})
	}
	for _, tag := range slices.Sorted(maps.Keys(texts)) {
		looks[320] = append(looks[320], Look{Lang: tag, Dir: directions[tag]})
	}
	for width, list := range looks {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			page := open(t, base+"/all",
				browser.Options{Width: width, Height: 1200, ReducedMotion: true})
			for _, look := range list {
				replaceDocument(page, base+"/all"+look.Query())
				found := browser.Eval[[]string](page, overflowing)
				for _, part := range found {
					t.Errorf("%d px, %s, %s, %s: %s", width, look.Lang, look.Dir, look.Density,
						part)
				}
			}
		})
	}
}

var directions = map[string]string{"ar": "rtl", "he": "rtl", "fa": "rtl", "ur": "rtl"}

// The receipt is whole on a phone, after 600 ms at most, and at once with reduced motion.
func TestReceiptComesOut(t *testing.T) {
	base := serve(t)
	for most, o := range map[float64]browser.Options{0.6: {}, 0: {ReducedMotion: true}} {
		o.Width, o.Height = 390, 844
		page := open(t, base+"/confirmed"+Look{Lang: "en"}.Query(), o)
		got := browser.Eval[[]float64](page, `[document.querySelector('.printer').getBoundingClientRect().bottom, ...['.receipt', '.mark-done'].map(css => {
  const {animationDelay, animationDuration} = getComputedStyle(document.querySelector(css));
  return parseFloat(animationDelay) + parseFloat(animationDuration);
})]`)
		if got[0] > 844 || max(got[1], got[2]) > most || most > 0 && got[1] == 0 {
			t.Errorf("the receipt ends at %v px and moves for %v s; want at most 844 and %v",
				got[0], got[1:], most)
		}
	}
}

// moved is JavaScript for the boxes that are other ones once the stylesheet has its last rules, those of
// a text, with all details open.
const moved = `(async text => {
  for (const d of document.querySelectorAll('details')) d.open = true;
  const sheet = document.styleSheets[0], late = await new CSSStyleSheet().replace(text);
  const parts = [...document.querySelectorAll('[data-sample] *')];
  const boxes = () => parts.map(e => { const {left, top, width, height} = e.getBoundingClientRect(); return [left, top, width, height].map(Math.round).join(); });
  const whole = boxes();
  for (const _ of late.cssRules) sheet.deleteRule(sheet.cssRules.length - 1);
  return boxes().map((box, i) => box === whole[i] ? '' : parts[i].closest('[data-sample]').dataset.sample + ': ' + parts[i].outerHTML.slice(0, 100) + ': ' + box + ' becomes ' + whole[i]).filter(Boolean).slice(0, 9);
})(%q)`

// The styles of later screens come while the first ones are in use, and move nothing there.
func TestLateStylesMoveNothing(t *testing.T) {
	base := serve(t)
	all := fortest.Must(stylesheet.Join(os.DirFS("../../static"), stylesheet.After))(t)
	phone := fortest.Must(stylesheet.Join(os.DirFS("../../static"), stylesheet.Phone))(t)
	first := map[bool][]string{} // by whether the page has the part for phones already
	for _, s := range Samples() {
		if screen.IsFirst(s.Page) {
			has := s.Page.LeadsToWallets()
			first[has] = append(first[has], s.Name)
		}
	}
	for has, late := range map[bool][]byte{false: all, true: bytes.TrimPrefix(all, phone)} {
		page := open(t, base+"/all?samples="+strings.Join(first[has], ","),
			browser.Options{Width: 390, Height: 844, ReducedMotion: true})
		for _, box := range browser.Eval[[]string](page, fmt.Sprintf(moved, late)) {
			t.Error(box)
		}
	}
}

// axeFile is the checker of Deque, which the Makefile fetches.
const axeFile = "../../.cache/npm/axe-core/axe.min.js"

// violations is JavaScript for what axe has found: WCAG 2.2 A and AA and its
// best practices, all of it.
const violations = `axe.run(document, {resultTypes: ['violations'], rules: {region: {enabled: true}}}).then(r =>
  r.violations.map(v => v.id + ': ' + v.help + ' (' + v.nodes.slice(0, 3).map(n => n.target.join(' ') + ' ' + (n.any[0]?.message ?? '')).join('; ') + ')'))`

// Every screen passes axe, in both themes and directions. No rule of the stylesheet asks for a
// direction, so what has passed in a theme passes there from right to left, too: two of the four
// looks suffice.
func TestAxe(t *testing.T) {
	base := serve(t)
	axe := fortest.Must(os.ReadFile(need.File(t, axeFile)))(t)
	css := fortest.Must(stylesheet.Join(static.Files, stylesheet.Checkout, stylesheet.After))(t)
	directed := regexp.MustCompile(`:dir\(|\[dir|rtl|ltr|:lang\(|\[lang`).FindString(string(css))
	if directed != "" {
		t.Errorf("the style sheet has a rule with %q: examine both themes in both directions",
			directed)
	}
	for _, look := range []Look{
		{Theme: "light", Dir: "ltr", Lang: "en"},
		{Theme: "dark", Dir: "rtl", Lang: "ar"},
	} {
		t.Run(look.Theme+" "+look.Dir, func(t *testing.T) {
			t.Parallel()
			page := open(t, base+"/"+Samples()[0].Name+
				look.Query(), browser.Options{
				Width:         400,
				Height:        1400,
				Dark:          look.Theme == "dark",
				ReducedMotion: true,
			})
			page.Eval(string(axe)+";0", nil)
			for _, s := range Samples() {
				replaceDocument(page, base+"/"+s.Name+look.Query())
				found := browser.Eval[[]string](page, violations)
				for _, v := range found {
					t.Errorf("%s: %s", s.Name, v)
				}
			}
		})
	}
}

// TestSheets makes the contact sheets: every screen in three widths. Where they are not kept it
// makes one of three screens, to see that it can: [TestEverythingFits] and [TestAxe] have the other
// looks.
func TestSheets(t *testing.T) {
	t.Parallel()
	looks := []Look{
		{Theme: "light", Dir: "ltr", Lang: "en"},
		{Theme: "dark", Dir: "ltr", Lang: "en"},
		{Theme: "light", Dir: "rtl", Lang: "ar"},
		{Theme: "dark", Dir: "rtl", Lang: "fa"},
	}
	dir := *sheets
	samples, least := "", int64(50_000) // bytes
	if dir == "" {
		dir, looks, samples, least = t.TempDir(), looks[3:], "&samples=open-exchange,pending,confirmed", 5_000
	}
	base := serve(t)
	for _, look := range looks {
		page := open(t, base+"/sheet"+look.Query()+samples,
			browser.Options{Width: 1280, Height: 800, ReducedMotion: true})
		page.Wait(`body[data-ready="1"]`)
		path := filepath.Join(dir,
			strings.Join([]string{"every-screen", look.Theme, look.Dir}, "-")+".webp")
		page.FullPageScreenshot(path, 0.33)
		page.Close()
		if info, err := os.Stat(path); err != nil || info.Size() < least {
			t.Errorf("%s is missing or empty: %v", path, err)
		}
	}
}

// TestIndex: every screen is one click away, in the look that was chosen, and what the page shows
// is there.
func TestIndex(t *testing.T) {
	handler := fortest.Must(Handler("../../static"))(t)
	get := func(path string) (int, string) {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
		return answer.Code, answer.Body.String()
	}
	_, page := get("/?theme=dark&dir=rtl&lang=ar&sample=pending&width=480")
	for _, s := range Samples() {
		fortest.Has(t, "no link to "+s.Name+" at this width", page,
			"sample="+s.Name+"&amp;width=480")
	}
	frame := regexp.MustCompile(`<iframe src="([^"]+)" width="480"`).FindStringSubmatch(page)
	if frame == nil {
		t.Fatal("the page shows no screen")
	}
	status, screen := get(strings.ReplaceAll(frame[1], "&amp;", "&"))
	if status != http.StatusOK ||
		!strings.Contains(screen, `lang="ar" dir="rtl" class="theme-dark"`) ||
		!strings.Contains(screen, `data-sample="pending"`) {
		t.Errorf("%s: status %d", frame[1], status)
	}
	if status, _ := get("/?sample=nothing"); status != http.StatusNotFound {
		t.Errorf("an unknown screen: status %d; want 404", status)
	}
}
