package e2e

import (
	"encoding/json"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"

	qrcode "github.com/piglig/go-qr"
)

// fonts are the metrics of the fonts that system-ui is on phones and desks, in parts of the font's
// size: ascent, descent, and how wide English is in regular and in bold. Verdana stands for all that
// are wide. The machine needs none of them: the test gives a font that it has these metrics.
//
// Source: @capsizecss/metrics 4.3.0 (ascent, descent and xWidthAvg of regular and 700). It has no bold
// San Francisco; bold is 7 % wider there, as in Segoe UI.
var fonts = []struct {
	Name                           string
	Ascent, Descent, Regular, Bold float64
}{
	{"San Francisco", 1980. / 2048, 432. / 2048, 853. / 2048, 914. / 2048},
	{"Segoe UI", 2210. / 2048, 514. / 2048, 908. / 2048, 973. / 2048},
	{"Roboto", 1900. / 2048, 500. / 2048, 911. / 2048, 926. / 2048},
	{"Liberation Sans, Arial", 1854. / 2048, 434. / 2048, 913. / 2048, 983. / 2048},
	{"Noto Sans", 1.069, .293, .474, .503},
	{"Verdana", 2059. / 2048, 430. / 2048, 1049. / 2048, 1170. / 2048},
	// Measured as useFont does, of DejaVu 2.37.
	{"DejaVu Sans", 1901. / 2048, 483. / 2048, .531, .597},
}

// useFont is JavaScript that sets the page in the metrics of one of fonts.
const useFont = `(async font => {
	const local = style => ["DejaVu Sans", "Liberation Sans", "Noto Sans", "Roboto", "Arial"]
		.map(family => 'local("' + family + style + '")').join();
	const percent = part => 100 * part + "%%";
	const text = "the shop takes your payment in the coin and on the network that you have chosen " +
		"and sends what you need";
	const load = async (...face) => document.fonts.add(await new FontFace(...face).load());
	for (const [weight, style, width] of [["400", "", font.Regular], ["700", " Bold", font.Bold]]) {
		await load("Measured", local(style), { weight });
		const canvas = document.createElement("canvas").getContext("2d");
		canvas.font = weight + " 100px Measured";
		const sizeAdjust = width / (canvas.measureText(text).width / text.length / 100);
		await load("Like " + font.Name, local(style), {
			weight, sizeAdjust: percent(sizeAdjust), lineGapOverride: "0%%",
			ascentOverride: percent(font.Ascent / sizeAdjust),
			descentOverride: percent(font.Descent / sizeAdjust),
		});
	}
	const sheet = new CSSStyleSheet();
	sheet.replaceSync('body, .amount-value, .net-name { font-family: "Like ' + font.Name + '"; }');
	document.adoptedStyleSheets = [sheet];
})(%s)`

// TestPaySeenWithoutScrolling: all that a payment needs is in sight on phones and desks in any font,
// nothing scrolls sideways on the narrowest, and the network is named once.
func TestPaySeenWithoutScrolling(t *testing.T) {
	runParallel(t)
	s := newStack(t)
	id := s.session(order{
		"amount_usd": "18.50",
		"title":      "House blend, 500 g",
		"order_ref":  "1001",
	})
	p := chromium.Open(t, s.base+"/checkout/"+id, browser.Options{Width: 390, Height: 844})
	p.Wait(`[data-live="wasm"]`)
	s.choose(p.View, "USDT", "trc20")
	assertPaySeen(t, p, "the machine's font")
	for _, font := range fonts {
		metrics := fortest.Must(json.Marshal(font))(t)
		p.Eval(fmt.Sprintf(useFont, metrics), nil)
		assertPaySeen(t, p, font.Name)
	}
	assertCleanConsole(t, p)
}

// assertPaySeen asserts what TestPaySeenWithoutScrolling does, of the font that the page has.
func assertPaySeen(t *testing.T, p *browser.Page, font string) {
	t.Helper()
	for _, c := range []struct{ width, height, end int }{
		{390, 844, 639}, {360, 740, 636}, {320, 700, 700}, {280, 700, 740}, {1100, 800, 440},
	} {
		p.Resize(c.width, c.height)
		var got struct {
			End, Wide, High int
			Text            string
		}
		p.Eval(`({
			end: Math.ceil(Math.max(...["time-left", "pay-amount", "copy-amount", "network-name", "qr", "address", "copy-address"]
				.map(part => document.querySelector('[data-part="' + part + '"]').getBoundingClientRect().bottom))),
			wide: document.documentElement.scrollWidth, high: document.documentElement.scrollHeight,
			text: document.querySelector("main").innerText,
		})`, &got)
		if got.End > c.end || got.Wide > c.width || c.width > 720 && got.High > c.height {
			t.Errorf("%s, %d by %d: what is needed ends at %d px, want %d; the page has %d by %d",
				font, c.width, c.height, got.End, c.end, got.Wide, got.High)
		}
		if n := strings.Count(got.Text, "TRON"); n != 1 {
			t.Errorf("%d wide: the network is named %d times:\n%s", c.width, n, got.Text)
		}
	}
}

// TestPhonePaySeenWithoutScrolling: on a phone, everything down to "I've sent it" is in sight in any
// font, with three wallets, and the QR code is neither seen nor loaded.
func TestPhonePaySeenWithoutScrolling(t *testing.T) {
	runParallel(t)
	s := newStack(t)
	id := s.session(order{
		"amount_usd": "18.50",
		"title":      "House blend, 500 g",
		"order_ref":  "1001",
	})
	s.begin(t, "/checkout/"+id)
	p := chromium.Open(t, s.base+"/checkout/"+id,
		browser.Options{Width: 390, Height: 844, UserAgent: phoneAgent})
	p.Wait(`[data-live="wasm"]`)
	assertPhonePaySeen(t, p, "the machine's font")
	for _, font := range fonts {
		metrics := fortest.Must(json.Marshal(font))(t)
		p.Eval(fmt.Sprintf(useFont, metrics), nil)
		assertPhonePaySeen(t, p, font.Name)
	}
	for _, url := range p.Requests() {
		fortest.Lacks(t, "a phone loads its QR code", url, "qr.svg")
	}
	assertCleanConsole(t, p)
}

// assertPhonePaySeen asserts what TestPhonePaySeenWithoutScrolling does, of the font that the page has.
func assertPhonePaySeen(t *testing.T, p *browser.Page, font string) {
	t.Helper()
	var got struct{ Wallets, End, Wide int }
	p.Eval(`({
		wallets: document.querySelectorAll('[data-part="wallets"] > li').length,
		end: Math.ceil(document.querySelector('[data-part="recheck"]').getBoundingClientRect().bottom),
		wide: document.documentElement.scrollWidth,
	})`, &got)
	if got.Wallets != 3 || got.End > 844 || got.Wide > 390 {
		t.Errorf("%s: %d wallets, the button ends at %d px, the page is %d wide", font, got.Wallets,
			got.End, got.Wide)
	}
}

// TestFullQRCanBeScanned reads the codes off the screen, with the coin's mark on them.
func TestFullQRCanBeScanned(t *testing.T) {
	runParallel(t)
	s := newStack(t)
	for name, dark := range map[string]bool{"light": false, "dark": true} {
		p, tx := s.pay(t, "ETH", "eth", browser.Options{Dark: dark, Width: 390, Height: 844})
		fortest.Equal(t, scanScreen(t, p), tx.WalletAddress, "%s: the code holds", name)
		p.Click(`[data-part="qr-kind"]`)
		p.Wait(`[data-part="qr"][src*="kind=uri"]`)
		p.WaitJS(`document.querySelector('[data-part="qr"]').complete`, "the code to be there")
		if got, want := scanScreen(t, p), p.Attr(`[data-part="open-wallet"]`, "href"); got != want {
			t.Errorf("%s: the code holds %q; want %q", name, got, want)
		}
	}
}

// scanScreen decodes the QR code on the screen.
func scanScreen(t *testing.T, p *browser.Page) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "code.png")
	p.Eval(`document.querySelector(".qr-mark").decode()`, nil)
	p.Screenshot(path)
	file := fortest.Must(os.Open(path))(t)
	defer file.Close()
	screen := fortest.Must(png.Decode(file))(t)
	var box struct{ X, Y, Width, Height, Ratio float64 }
	p.Eval(`(b => ({x: b.x, y: b.y, width: b.width, height: b.height, ratio: devicePixelRatio}))
		(document.querySelector('[data-part="qr"]').getBoundingClientRect())`, &box)
	at := func(x, y float64) image.Point { return image.Pt(int(x*box.Ratio), int(y*box.Ratio)) }
	code := image.NewGray(image.Rectangle{at(0, 0), at(box.Width, box.Height)})
	draw.Draw(code, code.Bounds(), screen, at(box.X, box.Y), draw.Src)
	text, err := qrcode.Decode(code)
	if err != nil {
		return fmt.Sprint(err)
	}
	return text
}
