package e2e

import (
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
)

// film is where TestFilm leaves its moving picture; empty = it is not made.
var film = flag.String("film", "",
	"file for the film of a payment, for example ../docs/images/payment.webp")

// filmLimit is how large the film may be: README.md shows it.
const filmLimit = 1_000_000

// TestFilm films a payment in the demo shop on a phone, from the press on "buy" to the receipt.
func TestFilm(t *testing.T) {
	if *film == "" {
		t.Skip("not run: it makes a picture and tests nothing else; make film")
	}
	out := startDemo(t)
	address := regexp.MustCompile(`Shop +(http://\S+)[^@]+Sandbox +(http://\S+)`)
	fortest.Until(t, "the demo to print its addresses",
		func() bool { return address.MatchString(out.String()) })
	found := address.FindStringSubmatch(out.String())
	shop, faults := found[1], found[2]+"faults"
	r := &reel{
		t:    t,
		dir:  t.TempDir(),
		args: []string{"-loop", "0", "-lossy", "-q", "82", "-m", "6"},
	}
	r.page = chromium.Open(t, shop+"/", browser.Options{Width: 390, Height: 844, Scale: 1.5})
	p := r.page
	p.WaitJS(`customElements.get('coinslot-checkout') !== undefined`, "the element to be defined")
	p.WaitJS(`[...document.images].every(i => i.complete)`, "the pictures to be there")
	r.shoot(900)
	r.press(p.View, `[data-product="coffee"] coinslot-checkout a`, "body")
	f := p.Frame(frame) // the first in the page: the dialog
	f.Wait(`[data-live="wasm"]`)
	r.shoot(1000)
	r.press(f, `label:has([data-part="currency"][value="USDT"])`, `[data-part="network"]:checked`)
	f.Click(".order-title") // a finger leaves no row under it
	r.play(f, ".networks", 170, 60, 120)
	r.shoot(1300)
	r.press(f, `[data-part="continue"]`, `[data-part="address"]`)
	f.Eval(`document.querySelector(".qr-mark").decode()`, nil)
	r.shoot(2000)
	r.press(f, `[data-part="copy-address"]`, `[data-part="copy-address"].done`)
	r.shoot(1500)
	r.send(http.MethodPost, faults, `{"path": "status", "times": -1, "set": {"status": "pending"}}`)
	r.press(f, `[data-part="simulate"][value="pay"]`, ".mark-wait")
	r.play(f, ".mark-wait", 1100, 110, 110)
	r.send(http.MethodDelete, faults, "")
	f.Wait(".receipt")
	r.play(f, ".mark-done, .receipt", 600, 50, 50)
	r.shoot(3000)
	r.develop(*film)
}

// reel is a film in the making.
type reel struct {
	t    *testing.T
	page *browser.Page
	dir  string   // of the pictures
	args []string // of img2webp: the pictures, and how long each is shown
}

// shoot adds what is on the phone now, for some milliseconds.
func (r *reel) shoot(ms int) {
	r.t.Helper()
	name := filepath.Join(r.dir, strconv.Itoa(len(r.args))+".png")
	r.page.Screenshot(name)
	inPhone(r.t, name)
	r.args = append(r.args, "-d", strconv.Itoa(ms), name)
}

// finger is JavaScript for a soft dot on an element, which is gone at opacity 0.
const finger = `(css => {
	const dot = document.querySelector("#film-finger") ??
		document.documentElement.appendChild(Object.assign(document.createElement("div"), {id: "film-finger"}));
	const r = document.querySelector(css).getBoundingClientRect();
	Object.assign(dot.style, {position: "fixed", zIndex: 99, width: "44px", height: "44px", borderRadius: "50%%", pointerEvents: "none",
		left: r.left + r.width / 2 - 22 + "px", top: r.top + r.height / 2 - 22 + "px", boxSizing: "border-box",
		background: "rgb(10 98 181 / .35)", border: "2px solid rgb(255 255 255 / .9)", boxShadow: "0 2px 10px rgb(0 0 0 / .3)",
		opacity: %v, scale: %v});
})(%q), 0`

// press shows a finger that comes, presses and goes, and waits for what the press leads to. The
// browser gives a click that follows a picture to the page around a frame now and then: then the
// keyboard presses.
func (r *reel) press(v *browser.View, css, effect string) {
	r.t.Helper()
	v.Wait(css)
	for _, step := range []struct {
		opacity, scale float64
		ms             int
	}{{.4, 1.5, 80}, {1, 1.1, 260}, {1, .8, 160}, {0, 1, 0}} {
		v.Eval(fmt.Sprintf(finger, step.opacity, step.scale, css), nil)
		if step.ms > 0 {
			r.shoot(step.ms)
		}
	}
	v.Click(css)
	for range 5 {
		if there := browser.Eval[bool](v, fmt.Sprintf(appears, effect)); there {
			return
		}
		v.Eval(fmt.Sprintf(`(e => (e.control ?? e).focus())(document.querySelector(%q)), 0`, css),
			nil)
		v.Press("Space")
		v.Eval(`document.activeElement.blur(), 0`, nil) // the ring is the keyboard's
	}
	v.Wait(effect)
}

// appears is JavaScript for whether an element is there within 3 s.
const appears = `(async css => {
	for (let i = 0; i < 60; i++) {
		if (document.querySelector(css)) return true;
		await new Promise(done => setTimeout(done, 50));
	}
	return false;
})(%q)`

// play shows the animations of some elements from their beginning, by steps of so many
// milliseconds, each for a while.
func (r *reel) play(v *browser.View, css string, length, step, ms int) {
	r.t.Helper()
	const seek = `(moving => {
		for (const e of moving) { e.style.animation = "none"; e.offsetWidth; e.style.animation = ""; }
		for (const a of moving.flatMap(e => e.getAnimations({subtree: true}))) { a.pause(); a.currentTime = %d; }
	})([...document.querySelectorAll(%q)]), 0`
	for at := 0; at < length; at += step {
		v.Eval(fmt.Sprintf(seek, at, css), nil)
		r.shoot(ms)
	}
	v.Eval(`document.getAnimations().forEach(a => a.playState === "paused" && a.play())`, nil)
	v.Eval(fmt.Sprintf(seek, 9_999, css), nil)
}

// send asks the sandbox for a fault, or for none.
func (r *reel) send(method, address, body string) {
	r.t.Helper()
	req := fortest.Must(http.NewRequestWithContext(r.t.Context(), method, address,
		strings.NewReader(body)))(r.t)
	req.Header.Set("Content-Type", "application/json")
	resp := fortest.Must(http.DefaultClient.Do(req))(r.t)
	if resp.Body.Close(); resp.StatusCode >= http.StatusBadRequest {
		r.t.Fatalf("%s %s = %d", method, address, resp.StatusCode)
	}
}

// develop makes the film of the pictures.
func (r *reel) develop(path string) {
	r.t.Helper()
	said, err := exec.Command("img2webp", append(r.args, "-o", path)...).CombinedOutput()
	if err != nil {
		r.t.Fatalf("img2webp, of Debian's package webp: %v\n%s", err, said)
	}
	info := fortest.Must(os.Stat(path))(r.t)
	if info.Size() > filmLimit {
		r.t.Errorf("%s has %d bytes; want at most %d: show fewer or smaller pictures", path,
			info.Size(), filmLimit)
	}
}

// inPhone puts a picture into the frame of a phone.
func inPhone(t *testing.T, path string) {
	t.Helper()
	file := fortest.Must(os.Open(path))(t)
	shown, err := png.Decode(file)
	if file.Close(); err != nil {
		t.Fatal(err)
	}
	const edge, round = 12, 54 // pixels
	screen := shown.Bounds().Add(image.Pt(edge, edge))
	phone := image.NewNRGBA(screen.Inset(-edge))
	for _, part := range []struct {
		at    image.Rectangle
		what  image.Image
		round float64
	}{
		{phone.Rect, image.NewUniform(color.Gray{0x70}), round + edge},
		{phone.Rect.Inset(1), image.NewUniform(color.Gray{0x12}), round + edge - 1},
		{screen, shown, round},
	} {
		mask := image.NewAlpha(part.at)
		for i := range mask.Pix {
			x, y := float64(i%mask.Stride)+.5, float64(i/mask.Stride)+.5
			w, h := float64(part.at.Dx()), float64(part.at.Dy())
			away := math.Hypot(max(part.round-min(x, w-x), 0),
				max(part.round-min(y, h-y), 0)) - part.round
			mask.Pix[i] = uint8(255 * min(max(.5-away, 0), 1))
		}
		draw.DrawMask(phone, part.at, part.what, image.Point{}, mask, part.at.Min, draw.Over)
	}
	if file, err = os.Create(path); err != nil {
		t.Fatal(err)
	}
	fortest.OK(t, png.Encode(file, phone))
	fortest.OK(t, file.Close())
}
