package gallery

import (
	"testing"

	"coinslot/e2e/browser"
)

// contrast is for expressions: ratio is the WCAG contrast of two colors, each
// laid on white, and under the color of the nearest painted box around e.
const contrast = `
const known = globalThis.known ??= new Map(); // a probe in a page of every sample costs a look at all of it
const bytes = css => {
  if (!known.has(css)) known.set(css, probed(css));
  return known.get(css);
};
const probed = css => {
  const probe = document.createElement('i');
  probe.style.color = 'color-mix(in srgb, ' + css + ', ' + css + ')';
  document.body.append(probe);
  const [r, g, b, a = 1] = getComputedStyle(probe).color.replaceAll('none', '0').match(/-?[\d.]+(e-?\d+)?/g).map(Number);
  probe.remove();
  return [r, g, b, a];
};
const light = ([r, g, b]) => {
  const [x, y, z] = [r, g, b].map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
};
const ratio = (a, b) => {
  const [low, high] = [light(bytes(a)), light(bytes(b))].sort((x, y) => x - y);
  return Math.round(100 * (high + 0.05) / (low + 0.05)) / 100;
};
const under = e => { // the colour behind a box
  for (let p = e.parentElement; p; p = p.parentElement) {
    const colour = getComputedStyle(p).backgroundColor;
    if (bytes(colour)[3] > 0) return colour;
  }
  return 'Canvas';
};
`

// What has to be seen besides text has three times the light of what it lies on: the borders of
// fields and buttons, the mark of what is chosen, and the focus (WCAG 1.4.11).
func TestEdgesAreSeen(t *testing.T) {
	t.Parallel()
	for _, theme := range []string{"light", "dark"} {
		t.Run(theme, func(t *testing.T) {
			page := openAll(t, Look{Theme: theme}, browser.Options{ReducedMotion: true})
			reportFindings(t, page, theme, expression(contrast+`
const found = [];
const want = (e, what, colour, on) => { const r = ratio(colour, on); if (r < 3) found.push(name(e) + ': ' + what + ' ' + colour + ' on ' + on + ' has ' + r + ' to 1'); };
for (const e of all('input:not([type=radio], [type=hidden]), select, .button:not(.quiet)').filter(seen)) {
  const s = getComputedStyle(e), edge = bytes(s.borderTopColor)[3] > 0 ? s.borderTopColor : s.backgroundColor;
  want(e, 'its edge', edge, under(e));
}
for (const e of all('.coin:has(> .coin-head > :checked)')) {
  want(e, 'its radio', getComputedStyle(e.querySelector(':checked')).borderTopColor, getComputedStyle(e).backgroundColor);
}
for (const e of all('a[href], button, summary, select, input:not([type=hidden])').filter(seen)) {
  if (e.disabled) continue;
  e.focus({focusVisible: true});
  const by = e.matches('[type=radio]') ? e.closest('label') : e, s = getComputedStyle(by);
  if (parseFloat(s.outlineWidth) < 2) found.push(name(e) + ': a focus ring of ' + s.outlineWidth);
  want(e, 'its focus ring', s.outlineColor, under(by));
}
for (const e of all('[data-network]')) {
  const s = getComputedStyle(e);
  if (parseFloat(s.borderInlineStartWidth) > 2) want(e, 'its band', s.borderInlineStartColor, s.backgroundColor);
}
return [...new Set(found)].slice(0, 12);`))
		})
	}
}
