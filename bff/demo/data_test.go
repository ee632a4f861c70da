package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"coinslot/bff/fortest"
)

// runningDemo is a running demo.
type runningDemo struct {
	checkout, shop string
	stop           func()
}

var shopLine, checkoutLine = regexp.MustCompile(`Shop +(http\S+)`), regexp.MustCompile(`Checkout +(http\S+)`)

// start runs a demo until stop is called.
func start(t *testing.T, c Config) runningDemo {
	t.Helper()
	out := &fortest.Log{}
	c.Out = out
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, c) }()
	stop := sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the demo ended: %v", err)
		}
	})
	t.Cleanup(stop)
	fortest.Until(t, "the demo starts", func() bool { return strings.Contains(out.String(), "Ctrl-C") })
	return runningDemo{checkoutLine.FindStringSubmatch(out.String())[1], shopLine.FindStringSubmatch(out.String())[1], stop}
}

// TestPriceInEuros: the shop sells in dollars and in euros, at its own rate.
func TestPriceInEuros(t *testing.T) {
	d := start(t, freeAddresses(t))
	page := fetch(t, http.MethodGet, d.shop, "")
	fortest.Has(t, "the shop", page, "$18.50", "$25.00", "€32.00")

	sessions := regexp.MustCompile(`session="(cs_[a-z0-9]+)"`).FindAllStringSubmatch(page, -1)
	fortest.Equal(t, len(sessions), 3, "sessions of the shop")
	view := fetch(t, http.MethodGet, d.checkout+"/checkout/"+sessions[2][1]+"/view", "")
	fortest.Has(t, "the view", view, // 32 / 0.9157 = 34.945…
		`"amount":"32.00","currency":"EUR","amount_usd":"34.95"`, "the shop’s own rate")
}

func fetch(t *testing.T, method, url, body string) string {
	t.Helper()
	req := fortest.Must(http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body)))(t)
	req.Header.Set("Accept", "application/json, text/html")
	req.Header.Set("Content-Type", "application/json")
	resp := fortest.Must(http.DefaultClient.Do(req))(t)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		t.Fatalf("%s %s: status %d, %v: %s", method, url, resp.StatusCode, err, text)
	}
	return string(text)
}

// freeAddresses is a demo on ports that are free now.
func freeAddresses(t *testing.T) (c Config) {
	t.Helper()
	for _, address := range []*string{&c.Listen, &c.Shop, &c.Gateway} {
		l := fortest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
		defer l.Close()
		*address = l.Addr().String()
	}
	return c
}

// payment is what a view says of one.
type payment struct {
	Status  string
	Attempt struct{ Address string }
}

func (s runningDemo) view(t *testing.T, session string) (p payment) {
	t.Helper()
	fortest.OK(t, json.Unmarshal([]byte(fetch(t, http.MethodGet, s.checkout+"/checkout/"+session+"/view", "")), &p))
	return p
}

// A payment of one run can be paid in the next with the same data folder: database, keys and
// gateway state persist.
func TestDataSurvives(t *testing.T) {
	c := freeAddresses(t)
	c.Data = filepath.Join(t.TempDir(), "data")
	first := start(t, c)
	page := fetch(t, http.MethodGet, first.shop+"/?cart=abcdefgh", "")
	session := regexp.MustCompile(`session="(cs_[^"]+)"`).FindStringSubmatch(page)
	if session == nil {
		t.Fatalf("the shop shows no session: %s", page)
	}
	fetch(t, http.MethodPost, first.checkout+"/checkout/"+session[1]+"/attempts", `{"currency_symbol":"USDT","network_code":"trc20"}`)
	before := first.view(t, session[1])
	first.stop()

	second := start(t, c)
	fortest.Has(t, "the shop with the same cart",
		fetch(t, http.MethodGet, second.shop+"/?cart=abcdefgh", ""), session[1])
	if now := second.view(t, session[1]); now != before || now.Status != "pending" || now.Attempt.Address == "" {
		t.Errorf("the payment is %+v; it was %+v", now, before)
	}
	fetch(t, http.MethodPost, second.checkout+"/checkout/"+session[1]+"/simulate", `{"kind":"pay"}`)
	fortest.Until(t, "the payment is confirmed", func() bool { return second.view(t, session[1]).Status == "confirmed" })
}

// TestStaticFromDisk: with a folder of files, pages are made of it and reload by themselves.
func TestStaticFromDisk(t *testing.T) {
	folder := t.TempDir()
	fortest.OK(t, os.CopyFS(folder, os.DirFS(filepath.Join("..", "..", "static"))))
	page := filepath.Join(folder, "shop", "index.html")
	text := fortest.Must(os.ReadFile(page))(t)
	fortest.OK(t, os.WriteFile(page, bytes.Replace(text, []byte("<h1"), []byte("<p>from disk</p><h1"), 1), 0o644))
	c := freeAddresses(t)
	c.Static = folder
	d := start(t, c)
	shop := fetch(t, http.MethodGet, d.shop+"/?cart=abcdefgh", "")
	fortest.Has(t, "the shop's page", shop, "from disk", "/dev/reload.js")
	fortest.Has(t, "the checkout's reload script",
		fetch(t, http.MethodGet, d.checkout+"/dev/reload.js", ""), "EventSource")
	plain := start(t, freeAddresses(t))
	if shop := fetch(t, http.MethodGet, plain.shop+"/?cart=abcdefgh", ""); strings.Contains(shop, "/dev/") {
		t.Error("the demo of a release reloads pages")
	}
}

// TestBrokenData: what cannot be read is said, with the file and the way on.
func TestBrokenData(t *testing.T) {
	folder := t.TempDir()
	fortest.OK(t, os.WriteFile(stateFile(folder), []byte("{"), 0o600))
	c := freeAddresses(t)
	c.Data, c.Out = folder, io.Discard
	err := Run(t.Context(), c)
	if err == nil || !strings.Contains(err.Error(), stateFile(folder)) || !strings.Contains(err.Error(), "start over") {
		t.Errorf("error %v; want one that names the file and the way on", err)
	}
}

// A data folder is bound to the checkout's address: with another one, all its payments would go to
// review.
func TestDataRefusesAnotherAddress(t *testing.T) {
	taken := fortest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer taken.Close()
	c := freeAddresses(t)
	c.Data, c.Listen, c.Out = t.TempDir(), taken.Addr().String(), io.Discard
	if err := Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), "belong to this address") {
		t.Errorf("error %v", err)
	}
}
