package gallery

import (
	"testing"

	"coinslot/e2e/browser"
)

// merchantAccents are accents that merchants write, or will some day: colors that cannot be
// read on any paper, on one of them, or are the paper itself.
var merchantAccents = []string{
	"#a8481f", "white", "#ffff00", "#808080", "#757575", "black", "#39ff14", "#ffffff", "#151b19", "transparent", "rgb(255 255 0 / .3)",
	"light-dark(#fff, #000)", "light-dark(#a8481f, #f0a06e)", "rebeccapurple", "oklch(0.7 0.3 150)", "color(display-p3 0 1 0)", "hsl(210 100% 50%)", "Canvas",
}

// openFramed opens samples in a host page; "" = all.
func openFramed(t *testing.T, theme, samples string) (*browser.Page, *browser.View) {
	t.Helper()
	page := open(t, serve(t)+"/framed"+Look{Theme: theme}.Query()+"&samples="+samples, browser.Options{Height: 1400, ReducedMotion: true, Dark: theme == "dark"})
	page.Wait(`html[data-ready]`)
	return page, page.Frame("checkout")
}

// Whatever the merchant's accent is, everything that bears it can be read: the
// text on it, and what is written and drawn with it, in both themes.
func TestAnyAccentCanBeRead(t *testing.T) {
	t.Parallel()
	for _, theme := range []string{"light", "dark"} {
		t.Run(theme, func(t *testing.T) {
			page, f := openFramed(t, theme, accentSamples)
			for _, accent := range merchantAccents {
				dress(t, page, f, map[string]string{"accent": accent})
				found := browser.Eval[[]string](f, expression(contrast+readable))
				for _, line := range found {
					t.Errorf("%s: %s", accent, line)
				}
			}
		})
	}
}

const readable = `
const found = [];
const want = (e, what, colour, on, least) => { const r = ratio(colour, on); if (!(r >= least)) found.push(name(e) + ': ' + what + ' ' + colour + ' on ' + on + ' has ' + r + ' to 1; want ' + least); };
const root = getComputedStyle(document.documentElement);
for (const name of ['', '-ink']) if (!root.getPropertyValue('--coinslot-accent' + name)) found.push('--coinslot-accent' + name + ' is not set');
for (const e of all('.button.primary').filter(seen)) {
  const s = getComputedStyle(e);
  want(e, 'its text', s.color, s.backgroundColor, 4.5);
  want(e, 'its edge', bytes(s.borderTopColor)[3] > 0 ? s.borderTopColor : s.backgroundColor, under(e), 3);
}
for (const e of all('button.copy').filter(seen)) want(e, 'its text', getComputedStyle(e).color, getComputedStyle(e).backgroundColor, 4.5);
for (const e of all('.coin:has(> .coin-head > :checked)').filter(seen)) {
  const tint = getComputedStyle(e).backgroundColor;
  want(e, 'its radio', getComputedStyle(e.querySelector(':checked')).borderTopColor, tint, 3);
  for (const text of e.querySelectorAll('.coin-head :is(strong, small, span)')) want(text, 'its text', getComputedStyle(text).color, tint, 4.5);
}
return [...new Set(found)].slice(0, 6);`
