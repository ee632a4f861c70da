package gallery

import (
	"testing"

	"coinslot/e2e/browser"
)

// accepted are promises about the looks of every screen, each JavaScript that fills found. Other tests
// keep the rest of what the design promises:
//
//   - a payment without scrolling, the network named once: TestPaySeenWithoutScrolling in e2e
//   - two taps, a third for another network, nothing moves, without scripts too: TestTwoTaps in e2e
//   - both codes read off the screen, light and dark, with the coin's mark: TestFullQRCanBeScanned in e2e
//   - the time is said at five, two and one minutes: TestFullAnnouncesChangesOnce in e2e
//   - every control by keyboard, with a ring of 3:1: TestFullKeyboardThroughEveryScreen, TestEdgesAreSeen
//   - the outline is as high as the slip: TestNothingJumps; the receipt is whole: TestReceiptComesOut
//   - texts longer by half, 280 px: TestEverythingFits; axe: TestAxe; system colors: TestForcedColors
//   - any accent, corner and density: TestShopColors, TestPresets
var accepted = []struct {
	promise string
	look    Look
	test    string
}{
	{"at most one filled button", Look{}, `
for (const s of document.querySelectorAll('[data-sample]')) {
  const accent = getComputedStyle(s.appendChild(Object.assign(document.createElement('a'), {className: 'button primary'}))).backgroundColor;
  s.lastChild.remove();
  const filled = [...s.querySelectorAll('a, button')].filter(e => seen(e) && !e.ariaCurrent && getComputedStyle(e).backgroundColor === accent);
  if (filled.length > 1) say(filled[1], 'is the second filled button');
}`},
	{"44 px to the finger", Look{}, `
for (const e of all('a[href], button, summary, select, input:not([type=hidden])').map(e => e.closest('label') ?? e).filter(seen)) {
  const r = e.getBoundingClientRect(), after = getComputedStyle(e, '::after'), more = side => after.position === 'absolute' ? Math.max(-parseFloat(after[side]), 0) : 0;
  const [wide, high] = [r.width + more('left') + more('right'), r.height + more('top') + more('bottom')].map(Math.round);
  if (wide < 44 || high < 44) say(e, 'is ' + wide + ' by ' + high + ' px');
}`},
	{"sums have two decimals, and are copied as they are", Look{}, `
for (const e of all('.order-price, .coin-sum, .network-fee, .receipt-sum, [data-part=pay-amount], [data-part=missing], span[data-part=paid]'))
  for (const sum of e.textContent.replaceAll(',', '').match(/\d+(\.\d+)?/g) ?? []) if (!/\.\d\d/.test(sum)) say(e, 'shows ' + sum);
for (const e of all('[data-part=copy-amount]')) {
  const part = name => e.closest('[data-sample]').querySelector('.slip [data-part=' + name + ']');
  const shown = (part('missing') ?? part('pay-amount')).dataset.value;
  if (e.dataset.copy !== shown) say(e, 'copies ' + e.dataset.copy + ' for ' + shown);
}`},
	{"a title, a sentence and a way on", Look{}, `
for (const e of all('.outcome')) {
  const sentence = e.querySelector('p')?.textContent.trim() ?? '', stage = e.closest('.stage');
  if (!e.querySelector('h1')?.textContent.trim() || sentence.length < 15) say(e, 'has no title or no sentence');
  if (!/nothing left for you to do/.test(sentence) && ![...stage.querySelectorAll('a[href], button')].some(seen)) say(e, 'has no way on');
}`},
	{"amber in the last five minutes only", Look{}, `
for (const e of all('.timer')) {
  const minutes = parseInt(e.textContent), amber = e.matches('.warn');
  if (minutes >= 5 === amber) say(e, amber ? 'is amber' : 'is not amber');
}`},
	{"room for the dialog's close button", Look{}, `
for (const e of all('[data-embed=modal] > .order > .order-price')) if (e.getBoundingClientRect().right > innerWidth - 64) say(e, 'is below the button');`},
	{"no inline style, no font, nothing from elsewhere", Look{}, `
for (const e of all('[style], style, script, iframe, object')) if (!e.matches('.checkout noscript *')) say(e, 'is a style or a script of its own');
for (const e of all('[src]')) if (!/^(\/(?!\/)|data:image)/.test(e.getAttribute('src'))) say(e, 'loads ' + e.src);
const css = [...document.styleSheets].flatMap(s => [...s.cssRules]).map(r => r.cssText).join();
for (const [line] of css.matchAll(/@font-face|@import|url\((?!"data:image\/svg)[^)]*/g)) found.push('all: the styles have ' + line);`},
	{"mirrored from right to left", Look{Dir: "rtl", Lang: "ar"}, `
const left = e => e.getBoundingClientRect().left;
for (const e of all('.steps')) if (left(e.firstElementChild) <= left(e.lastElementChild)) say(e, 'do not fill from the right');
for (const e of all('.coin-head, .network').filter(seen)) if (e.querySelector('input:not(.offscreen)') && left(e.querySelector('input')) > left(e.querySelector('strong'))) say(e, 'has its radio on the right');
for (const e of all('.copyable > .copy:not(.ghost)')) if (left(e) > left(e.parentElement) + 20) say(e, 'is not on the left');
for (const e of all('.facts dd:last-child').filter(seen)) if (left(e) > left(e.parentElement) + 20) say(e, 'does not end the line');
for (const e of all('[data-part=address], .amount-value [data-part]')) if (getComputedStyle(e).direction !== 'ltr') say(e, 'runs from right to left');`},
}

// TestAccepted holds every screen, on a phone, to what the design promises.
func TestAccepted(t *testing.T) {
	t.Parallel()
	base := serve(t)
	page := open(t, base+"/all", browser.Options{Width: 390, Height: 844, ReducedMotion: true})
	for _, a := range accepted {
		t.Run(a.promise, func(t *testing.T) {
			page.SetTest(t)
			replaceDocument(page, base+"/all"+a.look.Query())
			reportFindings(
				t,
				page,
				a.promise,
				expression(`const found = [], say = (e, what) => found.push(name(e) + ' ' + what);`+
					a.test+`return found;`),
			)
		})
	}
	page.SetTest(t)
}
