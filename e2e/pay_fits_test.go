package e2e

import (
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

// phoneFont is JavaScript that sets texts about as wide as phones do: DejaVu Sans, which the test
// machine has instead of their fonts, is a tenth wider.
const phoneFont = `(s => { s.replaceSync('body, .amount-value, .net-name { font-family: "DejaVu Sans Condensed"; }');
	document.adoptedStyleSheets = [s]; })(new CSSStyleSheet()), 0`

// TestPaySeenWithoutScrolling: all that a payment needs is in sight on phones and desks, nothing
// scrolls sideways on the narrowest, and the network is named once.
func TestPaySeenWithoutScrolling(t *testing.T) {
	runParallel(t)
	s := newStack(t)
	id := s.session(order{"amount_usd": "18.50", "title": "House blend, 500 g", "order_ref": "1001"})
	p := chromium.Open(t, s.base+"/checkout/"+id, browser.Options{Width: 390, Height: 844})
	p.Wait(`[data-live="wasm"]`)
	s.choose(p.View, "USDT", "trc20")
	p.Eval(phoneFont, nil)
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
			t.Errorf("%d by %d: what is needed ends at %d px, want %d; the page has %d by %d", c.width, c.height, got.End,
				c.end, got.Wide, got.High)
		}
		if n := strings.Count(got.Text, "TRON"); n != 1 {
			t.Errorf("%d wide: the network is named %d times:\n%s", c.width, n, got.Text)
		}
	}
	assertCleanConsole(t, p)
}

// TestQRCanBeScanned reads the codes off the screen, with the coin's mark on them.
func TestQRCanBeScanned(t *testing.T) {
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
