package gallery

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
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

// TestReading runs what is measured on one page, which each part leaves 320 px wide.
func TestReading(t *testing.T) {
	t.Parallel()
	base := serve(t)
	page := open(t, base+"/all"+Look{}.Query(), browser.Options{Width: 320, Height: 800, ReducedMotion: true})
	for _, part := range []struct {
		name string
		run  func(*testing.T, *browser.Page, string)
	}{
		{"structure", testStructure}, {"order", testReadingOrder}, {"targets", testTargets}, {"zoom", testZoom},
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
		page.Eval(fmt.Sprintf("(s => { s.replaceSync(%q); document.adoptedStyleSheets = [s]; })(new CSSStyleSheet()), 0", spacing), nil)
		reportFindings(t, page, lang, overflowing)
		reportFindings(t, page, lang, overlapping)
	}
}

// overlapping is JavaScript for texts that lie on each other.
var overlapping = expression(`
const texts = all('p, h1, h2, dt, dd, legend, summary, label, button, a.button, .value, .coin-symbol, .coin-hint, .network-note').filter(seen);
const found = [];
for (const sample of document.querySelectorAll('[data-sample]')) {
  const own = texts.filter(e => sample.contains(e) && !e.closest('.sandbox')).map(e => [e, e.getBoundingClientRect()]);
  for (const [a, x] of own) for (const [b, y] of own) {
    if (a === b || a.contains(b) || b.contains(a)) continue;
    if (Math.min(x.right, y.right) - Math.max(x.left, y.left) > 2 && Math.min(x.bottom, y.bottom) - Math.max(x.top, y.top) > 2) {
      found.push(name(a) + ' lies on ' + name(b));
    }
  }
}
return found.slice(0, 5);`)

// At 400 % zoom a window of 1280 by 1024 holds 320 by 256 CSS pixels: all of it is read by
// scrolling one way, and nothing sticks that covers half of what is left (WCAG 1.4.10).
func testZoom(t *testing.T, page *browser.Page, base string) {
	page.Resize(320, 256)
	for _, density := range []string{"", "cozy"} {
		replaceDocument(page, base+"/all"+Look{Density: density}.Query())
		reportFindings(t, page, "zoom", overflowing)
		reportFindings(t, page, "zoom", expression(`
const found = [];
if (document.documentElement.scrollWidth > innerWidth) found.push('all: the page scrolls sideways');
for (const e of all('*')) {
  const {position, overflowX, overflowY} = getComputedStyle(e);
  if (!seen(e) || e.closest('.sandbox')) continue; // no buyer sees the sandbox's bar
  if (['auto', 'scroll'].includes(overflowX) && e.scrollWidth > e.clientWidth) found.push(name(e) + ' scrolls sideways');
  if (['auto', 'scroll'].includes(overflowY) && e.scrollHeight > e.clientHeight) found.push(name(e) + ' scrolls by itself');
  if (['fixed', 'sticky'].includes(position) && e.offsetHeight > innerHeight / 4) found.push(name(e) + ' sticks and takes ' + e.offsetHeight + ' px');
}
return found;`))
	}
}

// What is pressed is at least 24 by 24 CSS pixels, or has that much room around
// it; what a payment needs is at least 44 high (WCAG 2.5.8, 2.5.5).
func testTargets(t *testing.T, page *browser.Page, base string) {
	for _, density := range []string{"compact", ""} {
		replaceDocument(page, base+"/all"+Look{Density: density}.Query())
		reportFindings(t, page, density, expression(`
const target = e => e.matches('[type=radio], [type=checkbox]') ? e.closest('label') ?? e : e;
const pressed = all('a[href], button, input:not([type=hidden]), summary, select').map(target).filter(seen);
const inline = e => e.matches('a') && getComputedStyle(e).display === 'inline' &&
  [...e.parentNode.childNodes].some(n => n.nodeType === 3 && n.data.trim());
const box = e => e.getBoundingClientRect();
const middle = r => [r.left + r.width / 2, r.top + r.height / 2];
const found = [];
for (const e of new Set(pressed)) {
  const r = box(e), [x, y] = middle(r);
  const main = e.matches('.primary, .copy, .coin-head, .network, [data-part=recheck], [data-part=cancel], [data-part=change], [data-part=search], [name=email]');
  if (main && r.height < 44) found.push(name(e) + ' is ' + Math.round(r.height) + ' px high; want 44');
  if (r.width >= 24 && r.height >= 24 || inline(e)) continue;
  const sample = e.closest('[data-sample]');
  const near = pressed.filter(o => o !== e && sample.contains(o)).find(o => {
    const s = box(o), dx = Math.max(s.left - x, 0, x - s.right), dy = Math.max(s.top - y, 0, y - s.bottom);
    return Math.hypot(dx, dy) < 12;
  });
  if (near) found.push(name(e) + ' is ' + Math.round(r.width) + ' by ' + Math.round(r.height) + ' px and close to ' + name(near));
}
return [...new Set(found)];`))
	}
}

// With reduced motion nothing moves; without, only what is short or asked for.
func TestReducedMotion(t *testing.T) {
	t.Parallel()
	running := expression(`return document.getAnimations().filter(a => a.playState === 'running').map(a => name(a.effect.target) + ' ' + a.animationName)`)
	reportFindings(t, openAll(t, Look{}, browser.Options{ReducedMotion: true}), "reduced motion", running)
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
	if active := browser.Eval[bool](page, `matchMedia('(forced-colors: active)').matches`); !active {
		t.Fatal("the browser does not force colours")
	}
	reportFindings(t, page, "forced colours", expression(`
const found = [];
const edge = e => { const s = getComputedStyle(e); return parseFloat(s.borderTopWidth) >= 1 && s.borderTopStyle !== 'none' && s.borderTopColor !== s.backgroundColor && !s.borderTopColor.startsWith('rgba'); };
for (const e of all('button:not(.link), a.button, input:not([type=radio], [type=hidden]), select')) if (seen(e) && !edge(e)) found.push(name(e) + ' has no border: ' + getComputedStyle(e).borderTopColor);
for (const e of all('.coin:has(> .coin-head > :checked)')) {
  const s = getComputedStyle(e);
  if (parseFloat(s.outlineWidth) < 2 || s.outlineStyle === 'none') found.push(name(e) + ' is chosen and not marked');
}
const look = (e, part) => { const s = getComputedStyle(e, part); return [s.backgroundColor, s.backgroundImage, s.borderTopWidth, s.content].join(); };
for (const list of document.querySelectorAll('.steps')) {
  const looks = [...list.children].map(e => look(e) + look(e, '::before')), kinds = [...list.children].map(e => e.className + e.ariaCurrent);
  if (new Set(looks).size !== new Set(kinds).size) found.push(name(list) + ' has steps that cannot be told apart');
}
const [on, off] = [':checked', ':not(:checked, :disabled)'].map(is => look(all('.coin [type=radio]:not(.offscreen)' + is).find(seen)));
if (on === off) found.push('all: a checked radio looks like any other');
if (new Set(['.button.primary', '.button:not(.primary)'].map(css => look(all(css).find(seen)))).size < 2) found.push('all: the filled button looks like any other');
for (const e of all('a[href], button, summary, select, input:not([type=hidden])')) {
  if (!seen(e) || e.disabled) continue;
  e.focus({focusVisible: true});
  const by = e.matches('[type=radio]') ? e.closest('label') : e, s = getComputedStyle(by);
  if (document.activeElement === e && (parseFloat(s.outlineWidth) < 2 || s.outlineStyle === 'none')) found.push(name(e) + ' has the focus and does not show it');
}
return found.slice(0, 12);`))
}

// A screen is read from top to bottom: one heading of the first rank, no rank
// left out, everything named, one place that speaks for the page.
func testStructure(t *testing.T, page *browser.Page, _ string) {
	reportFindings(t, page, "structure", expression(`
const found = [];
for (const sample of document.querySelectorAll('[data-sample]')) {
  const say = text => found.push(sample.dataset.sample + ': ' + text), each = css => [...sample.querySelectorAll(css)];
  const ranks = each('h1, h2, h3, h4, h5, h6').map(h => Number(h.tagName[1]));
  if (ranks.filter(r => r === 1).length !== 1) say(ranks.filter(r => r === 1).length + ' headings of the first rank; want 1');
  ranks.forEach((r, i) => { if (r > (ranks[i - 1] ?? 0) + 1) say('a heading of rank ' + r + ' follows one of ' + (ranks[i - 1] ?? 0)); });
  if (each('h1')[0]?.tabIndex !== -1 || !each('h1')[0].hasAttribute('tabindex')) say('its heading cannot be given the focus');
  const live = each('[aria-live]:not([aria-live=off]), [role=status], [role=log]');
  const page = live.filter(e => !e.matches('[data-part=estimate], [data-part=check-result], .choose .offscreen')); // these answer what is typed and picked beside them
  if (page.length !== 1) say(page.length + ' live regions for the whole page; want 1: ' + page.map(name));
  for (const e of each('[tabindex]')) if (e.tabIndex > 0) say(name(e) + ' jumps the queue');
  for (const e of each('img')) if (!e.alt && e.getAttribute('aria-hidden') !== 'true' && e.getAttribute('role') !== 'presentation' && !e.hasAttribute('alt')) say(name(e) + ' has no text');
  for (const e of each('input:not([type=hidden]), select, textarea')) {
    const labelled = [e.closest('label'), e.id && sample.querySelector('label[for=' + e.id + ']')].some(l => l?.textContent?.trim()) || e.ariaLabel || e.getAttribute('aria-labelledby');
    if (!labelled) say(name(e) + ' ' + e.name + ' has no name');
  }
  for (const e of each('button, a[href], summary')) if (!e.textContent.trim() && !e.ariaLabel) say(name(e) + ' has no name');
  for (const e of each('[name=lang] > option')) if (e.lang !== e.value) say('the language ' + e.value + ' is not marked as one');
  for (const attribute of ['aria-labelledby', 'aria-describedby', 'aria-controls', 'for'])
    for (const e of each('[' + attribute + ']')) for (const id of e.getAttribute(attribute).split(' '))
      if (!sample.querySelector('#' + CSS.escape(id))) say(name(e) + ' refers to ' + id + ', which is not there');
  const ids = each('[id]').map(e => e.id);
  ids.filter((id, i) => ids.indexOf(id) !== i).forEach(id => say('the id ' + id + ' is there twice'));
}
return found;`))
}

// What is read one after the other is also seen so: nothing is moved up by
// styles past what comes before it in the document.
func testReadingOrder(t *testing.T, page *browser.Page, _ string) {
	for _, width := range []int{960, 320} {
		page.Resize(width, 1200)
		reportFindings(t, page, fmt.Sprint(width), expression(`
const found = [];
for (const sample of document.querySelectorAll('[data-sample]')) {
  const parts = [...sample.querySelectorAll('h1, h2, p, dt, a.button, button, summary, .slip > *, .coin, .network')].filter(seen).filter(e => !e.closest('.sandbox, .bar, .order-price')); // these stick, and the price heads its panel
  parts.forEach((e, i) => {
    const before = parts[i - 1];
    if (!before || before.contains(e)) return;
    const [mine, theirs] = [e.getBoundingClientRect(), before.getBoundingClientRect()];
    const column = mine.left < theirs.right && theirs.left < mine.right; // what stands beside is another column
    if (column && mine.bottom <= theirs.top + 1) found.push(name(e) + ' is read after ' + name(before) + ' and stands above it');
  });
}
return found.slice(0, 8);`))
	}
}

// TestForcedColorsPictures makes pictures with the system's colors, to be looked at.
func TestForcedColorsPictures(t *testing.T) {
	dir := *sheets
	if dir == "" {
		dir = t.TempDir()
	}
	base := serve(t)
	names := []string{"open-chosen", "pending"}
	if *sheets == "" {
		names = names[:1] // one shows that they can be made
	}
	for _, name := range names {
		page := open(t, base+"/"+name+(Look{}).Query(), browser.Options{Width: 400, Height: 1200, ForcedColors: true})
		path := filepath.Join(dir, "forced-colors-"+name+".png")
		page.FullPageScreenshot(path, 1)
		page.Close()
		if info, err := os.Stat(path); err != nil || info.Size() < 5_000 {
			t.Errorf("%s is missing or empty: %v", path, err)
		}
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
			tops[i] = browser.Eval[int](page, `Math.round(document.querySelector('.slip').getBoundingClientRect().top)`)
			heights[i] = browser.Eval[int](page, `document.querySelector('.slip').offsetHeight`)
		}
		if by := heights[1] - heights[0]; by < -8 || by > 8 {
			t.Errorf("%d wide: the outline is %d px high, the slip %d", width, heights[0], heights[1])
		}
		if by := tops[1] - tops[0]; width == 390 && (by < -1 || by > 1) {
			t.Errorf("%d wide: the outline begins at %d px, the slip at %d", width, tops[0], tops[1])
		}
	}
}
