package gallery

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"coinslot/e2e/browser"
)

// openAll opens all screens on one page, one below the other.
func openAll(t *testing.T, look Look, o browser.Options) *browser.Page {
	t.Helper()
	if o.Width == 0 {
		o.Width, o.Height = 400, 1400
	}
	o.Dark = look.Theme == "dark"
	return open(t, serve(t)+"/all"+look.Query(), o)
}

// reportFindings reports the lines that a JavaScript expression gives, each "screen: what
// is wrong there"; what is wrong on many screens is one report.
func reportFindings(t *testing.T, page *browser.Page, what, expression string) {
	t.Helper()
	found := browser.Eval[[]string](page, expression)
	screens := map[string][]string{}
	for _, line := range found {
		screen, wrong, _ := strings.Cut(line, ": ")
		wrong = strings.TrimPrefix(wrong, screen+": ")
		screens[wrong] = append(screens[wrong], screen)
	}
	for _, wrong := range slices.Sorted(maps.Keys(screens)) {
		t.Errorf("%s: %s (%s)", what, wrong, strings.Join(screens[wrong], ", "))
	}
}

// helpers are for the expressions: name says which screen and which part of it
// something is, seen whether it is shown.
const helpers = `
const name = e => e.closest('[data-sample]').dataset.sample + ': ' + e.tagName.toLowerCase() + '.' + e.className +
  (e.dataset.part ? '[' + e.dataset.part + ']' : '') + ' "' + (e.textContent ?? '').trim().replace(/\s+/g, ' ').slice(0, 50) + '"';
const seen = e => e.checkVisibility({visibilityProperty: true}) && e.getBoundingClientRect().width > 0 && !e.closest('.offscreen, .announce');
const all = css => [...document.querySelectorAll('[data-sample]')].flatMap(s => [...s.querySelectorAll(css)]);
`

// expression makes one of statements that end in return.
func expression(statements string) string { return "(() => {" + helpers + statements + "})()" }

//go:embed findings
var findings embed.FS

// finds is the [expression] of scripts in findings, one after the other.
func finds(names ...string) string {
	var statements []byte
	for _, name := range names {
		text, err := findings.ReadFile("findings/" + name + ".js")
		if err != nil {
			panic(err)
		}
		statements = append(statements, text...)
	}
	return expression(string(statements))
}

// TestReading runs what is measured on one page, which each part leaves 320 px wide.
func TestReading(t *testing.T) {
	t.Parallel()
	base := serve(t)
	page := open(t, base+"/all"+Look{}.Query(),
		browser.Options{Width: 320, Height: 800, ReducedMotion: true})
	for _, part := range []struct {
		name string
		run  func(*testing.T, *browser.Page, string)
	}{
		{"structure", testStructure},
		{"order", testReadingOrder},
		{"targets", testTargets},
		{"zoom", testZoom},
		{"text spacing", testTextSpacing}, // last: its styles stay
	} {
		t.Run(part.name, func(t *testing.T) {
			page.SetTest(t)
			part.run(t, page, base)
		})
	}
	page.SetTest(t)
}

// spacing is the style of WCAG 1.4.12, which readers may impose on any page.
const spacing = `* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important; }
p { margin-bottom: 2em !important; }`

// Wider spaces between letters, words, lines and paragraphs cut nothing off and
// hide nothing (WCAG 1.4.12).
func testTextSpacing(t *testing.T, page *browser.Page, base string) {
	for _, lang := range []string{"en", "de", "ar"} {
		replaceDocument(page, base+"/all"+Look{Lang: lang, Dir: directions[lang]}.Query())
		page.Eval(
			fmt.Sprintf(
				"(s => { s.replaceSync(%q); document.adoptedStyleSheets = [s]; })(new CSSStyleSheet()), 0",
				spacing,
			),
			nil,
		)
		reportFindings(t, page, lang, overflowing)
		reportFindings(t, page, lang, overlapping)
	}
}

// overlapping is JavaScript for texts that lie on each other.
var overlapping = finds("overlaps")

// At 400 % zoom a window of 1280 by 1024 holds 320 by 256 CSS pixels: all of it is read by
// scrolling one way, and nothing sticks that covers half of what is left (WCAG 1.4.10).
func testZoom(t *testing.T, page *browser.Page, base string) {
	page.Resize(320, 256)
	for _, density := range []string{"", "cozy"} {
		replaceDocument(page, base+"/all"+Look{Density: density}.Query())
		reportFindings(t, page, "zoom", overflowing)
		reportFindings(t, page, "zoom", finds("zoom"))
	}
}

// What is pressed is at least 24 by 24 CSS pixels, or has that much room around
// it; what a payment needs is at least 44 high (WCAG 2.5.8, 2.5.5).
func testTargets(t *testing.T, page *browser.Page, base string) {
	for _, density := range []string{"compact", ""} {
		replaceDocument(page, base+"/all"+Look{Density: density}.Query())
		reportFindings(t, page, density, finds("targets"))
	}
}

// With reduced motion nothing moves; without, only what is short or asked for.
func TestReducedMotion(t *testing.T) {
	t.Parallel()
	running := expression(`return document.getAnimations().filter(a => a.playState === 'running').map(a => name(a.effect.target) + ' ' + a.animationName)`)
	reportFindings(t, openAll(t, Look{}, browser.Options{ReducedMotion: true}), "reduced motion",
		running)
	var moving []string
	openAll(t, Look{}, browser.Options{}).Eval(running, &moving)
	if len(moving) == 0 {
		t.Error("nothing moves without the preference either: this test cannot tell")
	}
}

// When colors are the system's, what can be pressed has a border, what is
// chosen is marked, and the focus is seen.
func TestForcedColors(t *testing.T) {
	t.Parallel()
	page := openAll(t, Look{}, browser.Options{ForcedColors: true})
	active := browser.Eval[bool](page, `matchMedia('(forced-colors: active)').matches`)
	if !active {
		t.Fatal("the browser does not force colours")
	}
	reportFindings(t, page, "forced colours", finds("forced-colors"))
}

// A screen is read from top to bottom: one heading of the first rank, no rank
// left out, everything named, one place that speaks for the page.
func testStructure(t *testing.T, page *browser.Page, _ string) {
	reportFindings(t, page, "structure", finds("structure"))
}

// What is read one after the other is also seen so: nothing is moved up by
// styles past what comes before it in the document.
func testReadingOrder(t *testing.T, page *browser.Page, _ string) {
	for _, width := range []int{960, 320} {
		page.Resize(width, 1200)
		reportFindings(t, page, fmt.Sprint(width), finds("reading-order"))
	}
}

// TestNothingJumps: the slip is as high as its outline while the address is made.
func TestNothingJumps(t *testing.T) {
	base := serve(t)
	page := open(t, base+"/pending", browser.Options{})
	for _, width := range []int{280, 320, 390, 600, 760, 1100} {
		page.Resize(width, 800)
		var tops, heights [2]int
		for i, name := range []string{"preparing", "pending"} {
			replaceDocument(page, base+"/"+name)
			page.Eval(`document.documentElement.dataset.js = ""`, nil)
			tops[i] = browser.Eval[int](page,
				`Math.round(document.querySelector('.slip').getBoundingClientRect().top)`)
			heights[i] = browser.Eval[int](page, `document.querySelector('.slip').offsetHeight`)
		}
		if by := heights[1] - heights[0]; by < -8 || by > 8 {
			t.Errorf("%d wide: the outline is %d px high, the slip %d", width, heights[0],
				heights[1])
		}
		if by := tops[1] - tops[0]; width == 390 && (by < -1 || by > 1) {
			t.Errorf("%d wide: the outline begins at %d px, the slip at %d", width, tops[0],
				tops[1])
		}
	}
}
