package server_test

import (
	"encoding/json"
	"fmt"
	"image"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"coinslot/app/wire"
	"coinslot/bff/fortest"

	qrcode "github.com/piglig/go-qr"
)

// picture is the SVG of a code: a white square, and one path with a line for each dark run.
var picture = regexp.MustCompile(`^<svg [^>]*viewBox="0 0 (\d+) (\d+)" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h\d+v\d+H0z"/><path stroke="#000" d="([Mmh0-9. ]+)"/></svg>$`)

// scan renders an SVG, four pixels to a module, with the disk that the page lays over its middle
// for the coin (36 of 216 px), and decodes it. It fails without the quiet zone of four modules.
func scan(t *testing.T, svg string) string {
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
		isMark := 36*(fromMiddleX*fromMiddleX+fromMiddleY*fromMiddleY) < size*scale*size*scale
		if isMark {
			img.Pix[i] = 0x80
		} else if dark[y][x] {
			img.Pix[i] = 0
			if min(x, y, size-1-x, size-1-y) < quiet {
				t.Fatalf("module %d, %d of %d is dark: the quiet zone is too narrow", x, y, size)
			}
		}
	}
	text, err := qrcode.Decode(img)
	if err != nil {
		t.Fatalf("the code cannot be read: %v", err)
	}
	return text
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

// Each kind of code holds what it says, at any size of it.
func TestQRKinds(t *testing.T) {
	r := newRig(t)
	id := r.Open(`{"amount_usd":"500.00"}`)
	path := "/checkout/" + id + "/qr.svg"
	page := "http://localhost:8080/checkout/" + id
	for query, want := range map[string]string{
		"?kind=page":                       page,
		"?kind=page&lang=pt-BR":            page + "?lang=pt-BR",
		"?kind=page&theme=dark&lang=x%22y": page,
		"?kind=page&lang=de&a=7&order=x":   page + "?lang=de",
	} {
		fortest.Equal(t, scan(t, r.Do("GET", path+query, "").Body.String()), want,
			"%s holds", query)
	}
	for _, coin := range []struct{ symbol, network, link string }{
		{"USDT", "trc20", ""},
		{"USDT", "erc20", "ethereum:0xdAC17F958D2ee523a2206206994597C13D831ec7@1/transfer?"},
		{"USDT", "ton", "ton://transfer/"},
		{"ETH", "arbitrum", "ethereum:"},
		{"TON", "ton", "ton://transfer/"},
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
			fortest.Equal(t, scan(t, r.Do("GET", path+query, "").Body.String()), v.Attempt.Address,
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
		got := scan(t, answer.Body.String())
		if got != v.Attempt.URI || !strings.HasPrefix(got, coin.link) {
			t.Errorf("%s on %s, link %q; want %q", coin.symbol, coin.network, got, v.Attempt.URI)
		}
		if n := answer.Body.Len(); n > 9000 {
			t.Errorf("%s on %s: the picture has %d bytes; want at most 9000", coin.symbol,
				coin.network, n)
		}
	}
	fortest.Equal(t, r.Do("GET", path+"?kind=x", "").Code, 404, "an unknown kind")
}
