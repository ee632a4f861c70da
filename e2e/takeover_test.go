package e2e

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/e2e/browser"

	"github.com/google/go-cmp/cmp"
)

// ticking are the parts whose text is another one a second later.
const ticking = `[...document.querySelectorAll('[data-part="countdown"], [data-part="checked"]')].map(e => {
  const box = (e.closest('.status') ?? e.parentElement).getBoundingClientRect();
  return [box.left, box.top, box.right, box.bottom].map(Math.round);
})`

// The program takes the page over and nothing is to be seen of it: not a pixel
// is another one, but for the clocks, and no box has moved in between. The elements are the server's, but
// for the menu of languages, which is completed before.
func TestFullTakeoverIsInvisible(t *testing.T) {
	h := newHeldStack(t)
	for i, look := range []struct {
		name string
		o    browser.Options
	}{
		{"phone", browser.Options{Width: 390, Height: 900}},
		{"desk, dark", browser.Options{Width: 960, Height: 900, Dark: true}},
	} {
		look.o.ReducedMotion = true // a breathing dot is another one at another time
		p := chromium.Open(t, "", look.o)
		for n, name := range slices.Sorted(maps.Keys(takeovers)) {
			if n%2 != i { // each state in one look: no code of ours takes a theme or width over in another way
				continue
			}
			state := takeovers[name]
			t.Run(look.name+", "+name, func(t *testing.T) {
				h.holdProgram()
				defer h.releaseProgram()
				p.SetTest(t)
				p.Goto(h.base + "/checkout/" +
					h.session(order{"amount_usd": "25.00", "title": "Two tickets"}))
				p.Wait(`[data-live="html"]`)
				state(t, h, p)
				p.Eval(steadyCaret, nil)
				p.Eval(twoFrames, nil)
				p.Eval(
					`document.querySelectorAll("#coinslot, #coinslot *").forEach(e => { e.kept = true })`,
					nil,
				)
				p.Eval(`(() => { window.moved = 0; window.movers = []; new PerformanceObserver(l => l.getEntries().forEach(e => { window.moved += e.value; window.movers.push(...e.sources.map(s => (s.node?.outerHTML ?? String(s.node)).slice(0, 120) + ' from ' + JSON.stringify(s.previousRect) + ' to ' + JSON.stringify(s.currentRect))); })).observe({type: 'layout-shift'});
					window.blank = []; new MutationObserver(() => { window.blank ||= []; window.blank.push(...pictures().filter(i => !i.complete).map(i => i.src)); }).observe(document.body, {childList: true});
					window.pictures = () => [...document.images].filter(i => i.loading !== 'lazy' && i.checkVisibility()); })()`, nil)
				before := screenshot(t, p)
				clocks := [][4]int{}
				p.Eval(ticking, &clocks)
				p.Wait(`[data-live="html"]`) // the program was really held back
				h.releaseProgram()
				p.Wait(`[data-live="wasm"]`)
				p.WaitJS(`pictures().every(i => i.complete && i.naturalWidth > 0)`,
					"the pictures to be there")
				p.Eval(twoFrames, nil)
				if at, ok := firstDifference(before, screenshot(t, p), clocks); ok {
					t.Errorf("the page looks different at %v (pictures in %s)", at,
						savePictures(t, before, screenshot(t, p)))
				}
				made := browser.Eval[[]string](
					p,
					`[...document.querySelectorAll("#coinslot, #coinslot :not(noscript *)")].filter(e => !e.kept && e.localName !== "option").map(e => e.outerHTML)`,
				)
				if len(made) > 0 {
					t.Errorf("elements were made anew: %q", made)
				}
				blank := browser.Eval[[]string](p, `blank`)
				if len(blank) > 0 {
					t.Errorf("pictures were not there in the moment of the takeover: %v", blank)
				}
				moved := 0.0
				p.Eval(`window.moved`, &moved)
				if moved > 0 {
					movers := browser.Eval[[]string](p, `window.movers`)
					t.Errorf("parts have moved: layout shift of %g\n%s", moved,
						strings.Join(movers, "\n"))
				}
				assertCleanConsole(t, p)
			})
		}
		p.SetTest(t)
	}
}

// steadyCaret is JavaScript that keeps a caret from blinking.
const steadyCaret = `(s => { s.replaceSync('* { caret-animation: manual !important }'); document.adoptedStyleSheets.push(s); })(new CSSStyleSheet())`

// twoFrames is JavaScript that waits until what was done is on the screen.
const twoFrames = `new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(() => drawn(0))))`

// takeovers are the states in which a page is taken over.
var takeovers = map[string]func(*testing.T, *heldStack, *browser.Page){
	"choosing": func(_ *testing.T, _ *heldStack, p *browser.Page) {
		p.Click(`label:has([data-part="currency"][value="USDC"])`)
		p.Click(`label:has([data-part="network"][value="USDC:polygon"])`)
	},
	"searching": func(_ *testing.T, _ *heldStack, p *browser.Page) {
		p.Click(`.more > summary`)
		p.Click(`[data-part="search"]`)
	},
	"paying": func(_ *testing.T, h *heldStack, p *browser.Page) {
		choose(p.View, "USDT", "trc20")
		p.Wait(pending)
	},
	"paying, scrolled, help open": func(_ *testing.T, h *heldStack, p *browser.Page) {
		choose(p.View, "USDT", "trc20")
		p.Wait(pending)
		p.Eval(
			`document.querySelectorAll('details').forEach((d, i) => { d.open = i % 2 === 0; }); scrollTo(0, 140)`,
			nil,
		)
	},
	"confirmed": func(t *testing.T, h *heldStack, p *browser.Page) { h.ended(p, "pay", paid) },
	"expired": func(t *testing.T, h *heldStack, p *browser.Page) {
		h.ended(p, "expire", `[data-status="expired"]`)
	},
}

// ended chooses a coin and waits for what a kind of payment leads to.
func (h *heldStack) ended(p *browser.Page, kind sandbox.Kind, want string) {
	h.simulate(h.choose(p.View, "USDT", "trc20"), kind)
	p.Wait(want)
}

func TestFullTakeoverKeepsSelection(t *testing.T) {
	h := newHeldStack(t)
	p := h.openPage(t, h.session(order{"amount_usd": "25.00"}), browser.Options{})
	p.Wait(`[data-live="html"]`)
	tx := h.choose(p.View, "USDT", "trc20")
	p.Eval(`getSelection().selectAllChildren(document.querySelector('[data-part="address"]'))`, nil)
	h.releaseProgram()
	p.Wait(`[data-live="wasm"]`)
	selected := browser.Eval[string](p, `getSelection().toString()`)
	fortest.Equal(t, selected, tx.WalletAddress, "selected")
}

// A press under way continues to its release, and only then the page is taken over: a browser makes
// no click of a press and a release on two elements.
func TestFullTakeoverWaitsForRelease(t *testing.T) {
	h := newHeldStack(t)
	const usdc = `[data-part="currency"][value="USDC"]`
	for name, press := range map[string]func(*browser.Page) (release func()){
		"mouse": func(p *browser.Page) func() { return p.Hold(`label:has(` + usdc + `)`) },
		"key": func(p *browser.Page) func() {
			p.Eval(`document.querySelector('`+usdc+`').focus()`, nil)
			return p.HoldKey("Space")
		},
	} {
		t.Run(name, func(t *testing.T) {
			h.holdProgram()
			p := h.openPage(t, h.session(order{"amount_usd": "25.00"}), browser.Options{})
			p.Wait(`[data-live="html"]`)
			release := press(p)
			h.releaseProgram()
			p.WaitJS(programReady, "the program to be ready")
			release()
			p.Wait(usdc + `:checked`)
			p.Wait(`[data-live="wasm"]`)
			p.Wait(usdc + `:checked`)
		})
	}
	h.holdProgram() // a press whose release is never reported does not hold it up forever
	p := h.openPage(t, h.session(order{"amount_usd": "25.00"}), browser.Options{})
	p.Wait(`[data-live="html"]`)
	p.Hold(`label:has(` + usdc + `)`)
	h.releaseProgram()
	p.Wait(`[data-live="wasm"]`)
}

// The program's calls into the browser are what a takeover costs: one of them makes all nodes of
// its tree. The program starts in a task of its own. Between the check whether something is pressed
// and the takeover there is no task in which a press could begin.
func TestFullTakeoverIsOneBatch(t *testing.T) {
	s := newStack(t)
	p := s.openPage(t, s.session(order{"amount_usd": "25.00"}),
		browser.Options{Script: countedBatches + ";" + notedDrivers})
	p.WaitJS(`said.length > 2`, "WebAssembly to take over")
	var made struct {
		Batches, Elements int
		Said              []string
	}
	p.Eval(`({batches, elements, said})`, &made)
	fortest.Equal(t, made.Batches, 1, "the tree was created in calls")
	if n := made.Elements; n > 0 {
		t.Errorf("the program has made %d elements by themselves", n)
	}
	diff := cmp.Diff([]string{"html at the start", "html at the check", "wasm one task later"},
		made.Said)
	if diff != "" {
		t.Errorf("the page was driven by (-want +got):\n%s", diff)
	}
	assertCleanConsole(t, p)
}

// notedDrivers is JavaScript that notes who drives the page when the task ends in which the program
// starts, when nothing is pressed any more, and one task later.
const notedDrivers = `window.said = [];
const note = when => said.push(document.getElementById("coinslot").dataset.live + when);
let go, turn;
Object.defineProperty(window, "Go", {get: () => go, set(loaded) {
	go = loaded;
	const run = go.prototype.run;
	go.prototype.run = function(program) {
		const running = run.call(this, program);
		note(" at the start");
		return running;
	};
}});
Object.defineProperty(window, "coinslotTurn", {set(f) { turn = f }, get: () => () => turn().then(() => {
	const { port1, port2 } = new MessageChannel();
	port1.onmessage = () => note(" one task later");
	port2.postMessage(0);
	note(" at the check");
})});`

// countedBatches is JavaScript that counts calls of coinslotCreateNodes, and elements
// that are made outside of them.
const countedBatches = `window.batches = window.elements = 0;
let create;
Object.defineProperty(window, "coinslotCreateNodes", {set(f) { create = f }, get: () => text => {
	window.batches++;
	const before = window.elements, nodes = create(text);
	window.elements = before;
	return nodes;
}});
for (const name of ["createElement", "createElementNS"]) {
	const make = Document.prototype[name];
	Document.prototype[name] = function(...args) { window.elements++; return make.apply(this, args) };
}`

// programReady is whether the program could begin.
const programReady = `performance.getEntriesByName('coinslot:program').length > 0`

func screenshot(t *testing.T, p *browser.Page) *image.RGBA {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shot.png")
	p.Screenshot(path)
	raw := fortest.Must(os.ReadFile(path))(t)
	picture := fortest.Must(png.Decode(bytes.NewReader(raw)))(t)
	plain := image.NewRGBA(picture.Bounds())
	draw.Draw(plain, plain.Bounds(), picture, image.Point{}, draw.Src)
	return plain
}

// firstDifference returns the first point outside the boxes at which two pictures are not alike.
func firstDifference(a, b *image.RGBA, except [][4]int) (image.Point, bool) {
	if a.Bounds() != b.Bounds() {
		return b.Bounds().Max, true
	}
	for y := range a.Bounds().Max.Y {
		row := y * a.Stride
		if bytes.Equal(a.Pix[row:row+a.Stride], b.Pix[row:row+a.Stride]) {
			continue
		}
		for x := range a.Bounds().Max.X {
			if visiblyDifferent(a.At(x, y), b.At(x, y)) && !within(x, y, except) {
				return image.Pt(x, y), true
			}
		}
	}
	return image.Point{}, false
}

// visiblyDifferent reports whether a person could see that two colors are not the same;
// the edge of a letter is smoothed a little otherwise in another layer.
func visiblyDifferent(a, b color.Color) bool {
	r, g, bl, _ := a.RGBA()
	r2, g2, bl2, _ := b.RGBA()
	return max(r, r2)-min(r, r2)+max(g, g2)-min(g, g2)+max(bl, bl2)-min(bl, bl2) > 0x6000
}

func within(x, y int, boxes [][4]int) bool {
	for _, b := range boxes {
		if x >= b[0]-1 && x <= b[2]+1 && y >= b[1]-1 && y <= b[3]+1 {
			return true
		}
	}
	return false
}

// savePictures writes two pictures where they outlive the test.
func savePictures(t *testing.T, pictures ...*image.RGBA) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "takeover") //nolint:usetesting // t.TempDir goes with the test
	fortest.OK(t, err)
	for i, picture := range pictures {
		file, err := os.Create(filepath.Join(dir, []string{"before.png", "after.png"}[i]))
		fortest.OK(t, err)
		fortest.OK(t, png.Encode(file, picture))
		file.Close()
	}
	return dir
}
