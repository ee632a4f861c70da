package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/e2e/need"

	qrcode "github.com/piglig/go-qr"
)

// picture is the SVG of a code: a white square, and one path with a line for each dark run.
var picture = regexp.MustCompile(`^<svg [^>]*viewBox="0 0 (\d+) (\d+)" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h\d+v\d+H0z"/><path stroke="#000" d="([Mmh0-9. ]+)"/></svg>$`)

// decoder reads the code in a picture.
type decoder func(t *testing.T, shown image.Image) string

// byGo is a decoder in Go.
func byGo(t *testing.T, shown image.Image) string {
	t.Helper()
	text, err := qrcode.Decode(shown)
	if err != nil {
		t.Fatalf("the code cannot be read: %v", err)
	}
	return text
}

// byZbar is the program zbarimg, which exists apart from all that draws codes here.
func byZbar(t *testing.T, shown image.Image) string {
	t.Helper()
	program := need.Command(t, "zbarimg")
	file := filepath.Join(t.TempDir(), "code.png")
	var picture bytes.Buffer
	fortest.OK(t, png.Encode(&picture, shown))
	fortest.OK(t, os.WriteFile(file, picture.Bytes(), 0o600))
	command := exec.CommandContext(
		t.Context(), program, "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", file,
	)
	out, err := command.Output()
	if err != nil {
		t.Fatalf("zbar cannot read the code: %v", err)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// render draws an SVG, four pixels to a module, with the coin's mark that the page lays over its
// middle: 30 of 216 px, in a white ring that ends at 36. It fails without the quiet zone of four
// modules.
func render(t *testing.T, svg string) image.Image {
	t.Helper()
	m := picture.FindStringSubmatch(svg)
	if m == nil || m[1] != m[2] {
		t.Fatalf("not a code: %.200s", svg)
	}
	size := fortest.Must(strconv.Atoi(m[1]))(t)
	dark := fill(t, m[3], size)
	const scale, quiet = 4, 4
	img := image.NewGray(image.Rect(0, 0, size*scale, size*scale))
	for i := range img.Pix {
		x, y := i%(size*scale)/scale, i/(size*scale)/scale
		img.Pix[i] = 0xff
		fromMiddleX, fromMiddleY := i%(size*scale)*2-size*scale, i/(size*scale)*2-size*scale
		fromMiddle := fromMiddleX*fromMiddleX + fromMiddleY*fromMiddleY
		isWithin := func(pixels int) bool {
			return 216*216*fromMiddle < pixels*pixels*size*scale*size*scale
		}
		if isWithin(30) {
			img.Pix[i] = 0x80
		} else if dark[y][x] && !isWithin(36) {
			img.Pix[i] = 0
			if min(x, y, size-1-x, size-1-y) < quiet {
				t.Fatalf("module %d, %d of %d is dark: the quiet zone is too narrow", x, y, size)
			}
		}
	}
	return img
}

// fill returns which modules the path's lines cover.
func fill(t *testing.T, path string, size int) [][]bool {
	t.Helper()
	dark := make([][]bool, size)
	for y := range dark {
		dark[y] = make([]bool, size)
	}
	var x, y, length int
	for _, step := range regexp.MustCompile(`M\d+ \d+\.5|m\d+ 0|h\d+`).FindAllString(path, -1) {
		if n, _ := fmt.Sscanf(step, "M%d %d.5", &x, &y); n == 2 {
			continue
		}
		if _, err := fmt.Sscan(step[1:], &length); err != nil {
			t.Fatalf("step %q: %v", step, err)
		}
		for i := range length {
			dark[y][x+i] = step[0] == 'h'
		}
		x += length
	}
	return dark
}

// qrSource is the picture of the code on the page.
var qrSource = regexp.MustCompile(`data-part="qr"[^>]* src="([^"]*)"`)

// Each kind of code holds what it says, at any size of it. The page shows the kind that scans, and
// the other one on request.
func TestQRKinds(t *testing.T) { testQRKinds(t, byGo) }

// Another scanner reads the same.
func TestFullQRKinds(t *testing.T) { testQRKinds(t, byZbar) }

func testQRKinds(t *testing.T, decode decoder) {
	r := newRig(t)
	scan := func(w *httptest.ResponseRecorder) string {
		return decode(t, render(t, w.Body.String()))
	}
	id := r.Open(`{"amount_usd":"500.00"}`)
	path := "/checkout/" + id + "/qr.svg"
	page := "http://localhost:8080/checkout/" + id
	for query, want := range map[string]string{
		"?kind=page":                       page,
		"?kind=page&lang=pt-BR":            page + "?lang=pt-BR",
		"?kind=page&theme=dark&lang=x%22y": page,
		"?kind=page&lang=de&a=7&order=x":   page + "?lang=de",
	} {
		fortest.Equal(t, scan(r.Do("GET", path+query, "")), want, "%s holds", query)
	}
	for _, coin := range []struct{ symbol, network, link, first string }{
		{"USDT", "trc20", "", ""},
		{"USDT", "erc20", "ethereum:0xdAC17F958D2ee523a2206206994597C13D831ec7@1/transfer?", ""},
		{"USDT", "ton", "ton://transfer/", ""},
		{"ETH", "arbitrum", "ethereum:", ""},
		{"GRAM", "ton", "ton://transfer/", "uri"},
		{"BTC", "bitcoin", "bitcoin:", "uri"},
		{"LTC", "litecoin", "litecoin:", "uri"},
		{"DOGE", "dogecoin", "dogecoin:", "uri"},
		{"SOL", "solana", "solana:", ""},
		{"TRX", "tron", "", ""},
	} {
		w := r.Do("POST", "/checkout/"+id+"/attempts",
			`{"currency_symbol":"`+coin.symbol+`","network_code":"`+coin.network+`"}`, isJSON)
		r.Await(id, "pending")
		var v wire.View
		err := json.Unmarshal(r.Do("GET", "/checkout/"+id+"/view", "").Body.Bytes(), &v)
		if err != nil || v.Attempt == nil || v.Attempt.NetworkCode != coin.network {
			t.Fatalf("%s on %s: %d, view %+v, %v", coin.symbol, coin.network, w.Code, v.Attempt,
				err)
		}
		for _, query := range []string{"", "?kind=address"} {
			fortest.Equal(t, scan(r.Do("GET", path+query, "")), v.Attempt.Address,
				"%s on %s, %s holds", coin.symbol, coin.network, query)
		}
		number := v.Attempt.Number
		now := r.Do("GET", fmt.Sprintf("%s?a=%d", path, number), "")
		before := r.Do("GET", fmt.Sprintf("%s?a=%d", path, number-1), "")
		if now.Code != 200 || before.Code != 404 {
			t.Errorf("codes of this attempt and of the one before = %d, %d; want 200, 404",
				now.Code, before.Code)
		}
		answer := r.Do("GET", path+"?kind=uri", "")
		if coin.link == "" {
			fortest.Equal(t, answer.Code, 404, "a link for %s on %s", coin.symbol, coin.network)
			continue
		}
		got := scan(answer)
		if got != v.Attempt.URI || !strings.HasPrefix(got, coin.link) {
			t.Errorf("%s on %s, link %q; want %q", coin.symbol, coin.network, got, v.Attempt.URI)
		}
		fortest.Equal(t, v.Attempt.QR, coin.first, "%s on %s: the code that scans", coin.symbol,
			coin.network)
		for query, wantLink := range map[string]bool{
			"": coin.first == "uri", "?qr=uri": true, "?qr=address": false, "?qr=x": coin.first == "uri",
		} {
			shown := qrSource.FindStringSubmatch(r.Do("GET", "/checkout/"+id+query, "").Body.String())
			if len(shown) != 2 || strings.Contains(shown[1], "kind=uri") != wantLink {
				t.Errorf("%s on %s, the page%s shows the code %q; want the link: %t", coin.symbol,
					coin.network, query, shown, wantLink)
			}
		}
		if n := answer.Body.Len(); n > 9000 {
			t.Errorf("%s on %s: the picture has %d bytes; want at most 9000", coin.symbol,
				coin.network, n)
		}
	}
	fortest.Equal(t, r.Do("GET", path+"?kind=x", "").Code, 404, "an unknown kind")
}
