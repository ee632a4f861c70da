package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/e2e/built"
	_ "coinslot/static" // is compiled before TestMain changes the files that it embeds
)

// BenchmarkSize reports what a shopper's browser loads, in bytes, and what a server
// needs. Nothing is timed.
func BenchmarkSize(b *testing.B) {
	sizes := builtSizes(b)
	for _, name := range []string{"checkout.js", "frame.js", "checkout.css", "app.wasm"} {
		b.Run(name, func(b *testing.B) {
			b.ReportMetric(sizes[name].Size, "raw-B")
			b.ReportMetric(sizes[name].Brotli, "brotli-B")
			b.ReportMetric(0, "ns/op")
		})
	}
	b.Run("page", func(b *testing.B) {
		largest := 0
		for _, p := range pagesOf(b) {
			b.Logf("%s: %v", p.name, p.parts)
			largest = max(largest, p.sum())
		}
		b.ReportMetric(float64(largest), "brotli-B")
		b.ReportMetric(0, "ns/op")
	})
	b.Run("goapp", func(b *testing.B) {
		b.ReportMetric(float64(buildGoapp(b)), "brotli-B")
		b.ReportMetric(0, "ns/op")
	})
	b.Run("coinslot", func(b *testing.B) {
		info := fortest.Must(os.Stat(built.Program(b)))(b)
		b.ReportMetric(float64(info.Size()), "raw-B")
		b.ReportMetric(0, "ns/op")
	})
}

// pageLimit is the promise to shoppers: bytes on the wire of a page with all that
// a frame loads before WebAssembly. 14,000 became 14,100 with the mark of Gram (150 bytes), which
// stands beside that of its network.
const pageLimit = 14_100

// phoneLimit is that of a phone's pay screen. It has no QR code (1,100 bytes), but the links of
// wallets twice, as markup and as data, and their styles.
const phoneLimit = 14_700

func TestFullPageSize(t *testing.T) {
	for _, p := range pagesOf(t) {
		limit := pageLimit
		if strings.HasSuffix(p.name, "phone") {
			limit = phoneLimit
		}
		if p.sum() > limit || len(p.parts) < 3 {
			t.Errorf("%s: %d bytes in %d parts; want at most %d: %v", p.name, p.sum(), len(p.parts),
				limit, p.parts)
		}
	}
}

// builtSizes is what tools/assets says of the files it has built, in bytes.
func builtSizes(tb testing.TB) map[string]struct{ Size, Brotli float64 } {
	tb.Helper()
	// Not the embedded one: it was there before TestMain has built.
	raw := fortest.Must(os.ReadFile("../static/dist/manifest.json"))(tb)
	var manifest struct {
		Files map[string]struct{ Size, Brotli float64 }
	}
	fortest.OK(tb, json.Unmarshal(raw, &manifest))
	return manifest.Files
}

// loaded is a page and what a browser loads with it before WebAssembly.
type loaded struct {
	name  string
	parts map[string]int // bytes of the bodies, as they were sent, by path
}

func (l loaded) sum() (n int) {
	for _, size := range l.parts {
		n += size
	}
	return n
}

// pagesOf loads the pages on which a shopper chooses and pays as a browser does
// that understands brotli.
func pagesOf(tb testing.TB) []loaded {
	tb.Helper()
	s := newStack(tb)
	order := order{"amount_usd": "25.00", "title": "Two tickets, Saturday", "order_ref": "1001",
		"currencies": []string{
			"USDT", "USDC", "ETH", "BNB", "TON",
		}} // more are folded, and their icons lazy
	choosing, paying := "/checkout/"+s.session(order), ""
	order["order_ref"] = "1002"
	paying = "/checkout/" + s.session(order)
	s.begin(tb, paying)
	framed := "?embed=inline&origin=" + url.QueryEscape(s.shop.URL)
	return []loaded{
		s.load(tb, "open", choosing, ""), s.load(tb, "pending", paying, ""),
		s.load(tb, "open, framed", choosing+framed, ""),
		s.load(tb, "pending, framed", paying+framed, ""),
		s.load(tb, "pending, framed, phone", paying+framed, phoneAgent),
	}
}

// begin opens the first payment of a session and waits for its address.
func (s *stack) begin(tb testing.TB, path string) {
	tb.Helper()
	var view struct{ Status string }
	s.call(http.MethodPost, path+"/attempts",
		[]byte(`{"currency_symbol":"USDT","network_code":"trc20"}`), &view)
	fortest.Until(tb, "the address", func() bool {
		s.call(http.MethodGet, path+"/view", nil, &view)
		return view.Status == "pending"
	})
}

// subresources are what a page in a frame loads by itself: scripts, stylesheets,
// and pictures that are in sight at once. A frame shows no icon of a tab.
var subresources = regexp.MustCompile(`<(?:script|img) [^>]*?src="([^"]+)"[^>]*>|<link rel="stylesheet" href="([^"]+)"`)

// unscripted is what a browser with scripts does not read.
var unscripted = regexp.MustCompile(`(?s)<noscript>.*?</noscript>`)

// load fetches a page with everything that a browser of the name agent loads before WebAssembly.
func (s *stack) load(tb testing.TB, name, path, agent string) loaded {
	tb.Helper()
	l := loaded{name, map[string]int{}}
	page := s.fetch(tb, path, "identity", agent)
	l.parts[path] = len(s.fetch(tb, path, "br, gzip", agent))
	for _, found := range subresources.FindAllStringSubmatch(
		unscripted.ReplaceAllString(string(page), ""),
		-1,
	) {
		if strings.Contains(found[0], `loading="lazy"`) &&
			!strings.Contains(found[0], `class="coin-icon"`) {
			continue
		}
		url, _, _ := strings.Cut(strings.ReplaceAll(found[1]+found[2], "&amp;", "&"), "#")
		l.parts[url] = len(s.fetch(tb, url, "br, gzip", agent))
	}
	return l
}

// fetch returns the body of an answer as it was sent.
func (s *stack) fetch(tb testing.TB, path, accept, agent string) []byte {
	tb.Helper()
	r := fortest.Must(http.NewRequest(http.MethodGet, s.base+path, nil))(tb)
	r.Header.Set("User-Agent", agent)
	r.Header.Set("Accept-Encoding", accept)
	r.Header.Set("Accept", "text/html")
	answer := fortest.Must(http.DefaultTransport.RoundTrip(r))(tb)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		tb.Fatalf("%s: %d, %v", path, answer.StatusCode, err)
	}
	return body
}
