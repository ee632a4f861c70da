package e2e

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/e2e/browser"
	"coinslot/e2e/child"
	"coinslot/e2e/need"
)

const (
	examples = "../docs/examples"
	inPages  = "http://localhost:8080" // the checkout, as the pages of examples call it
)

// example is a shop of docs/examples with a server of its own. Its commands run in the shell, in a
// copy of its folder, or in place if it is a package of this module.
type example struct {
	name    string
	needs   string // fails where its runtime is missing
	inPlace bool
	build   string
	run     string // as docs/examples/README.md has it, where HOST and PORT are 127.0.0.1 and 3000

	dir, listen, url string // once prepare has run
	program          string // what prepare compiled, which starts instead of go run; "" = nothing
	process          *exec.Cmd
	log              *fortest.Log
}

var shops = []example{
	{name: "go", needs: "go version", inPlace: true, run: "go run ."},
	{
		name:  "express",
		needs: "ls $npm_config_cache/express-*",
		build: "npm install",
		run:   "npm start",
	},
	{name: "flask", needs: "/usr/bin/python3 -c 'import flask, requests'",
		run: "/usr/bin/python3 -m flask --app shop run --host $HOST --port $PORT"},
	{
		name: "laravel",
		needs: `php -r 'require "Illuminate/autoload.php"; require "GuzzleHttp/autoload.php";' &&
		php -r 'new PDO("sqlite::memory:");'`, run: "php -S $HOST:$PORT -t public public/index.php"},
	{name: "sinatra", needs: "/usr/bin/ruby -rsinatra/base -rwebrick -e ''",
		run: "/usr/bin/ruby shop.rb -o $HOST -p $PORT"},
}

// keys are the settings that a shop of the stack's needs.
func (s *stack) keys() []string {
	return []string{
		"COINSLOT_URL=" + s.base, "COINSLOT_SECRET_KEY=" + secretKey,
		"COINSLOT_WEBHOOK_SECRET=whsec_" + hookKey,
	}
}

// prepare copies and builds the example, and decides where it will listen.
func (e *example) prepare(t *testing.T, env []string) {
	t.Helper()
	needs := exec.Command("sh", "-c", e.needs)
	needs.Env = append(os.Environ(), env...)
	if needs.Run() != nil {
		need.Tool(t, need.Missing("what docs/examples/"+e.name+" runs with", "install-all"))
	}
	port := fortest.FreePort(t)
	e.dir, e.listen, e.url = t.TempDir(), "127.0.0.1:"+port, "http://127.0.0.1:"+port
	folder := filepath.Join(examples, e.name)
	if e.inPlace {
		e.dir, e.program = folder, filepath.Join(e.dir, "shop")
		runIn(t, folder, env, "go", "build", "-o", e.program, ".")
		return
	}
	fortest.OK(t, os.CopyFS(e.dir, os.DirFS(folder)))
	runIn(t, e.dir, env, "sh", "-ec", e.build)
}

// start runs the example until it answers.
func (e *example) start(t *testing.T, keys []string) {
	t.Helper()
	host, port, _ := strings.Cut(e.listen, ":")
	e.log = &fortest.Log{}
	e.process = exec.Command("sh", "-c", "exec env "+cmp.Or(e.program, e.run))
	e.process.Dir = e.dir
	e.process.Env = slices.Concat(os.Environ(), keys, []string{
		"SHOP_LISTEN=" + e.listen, "SHOP_URL=" + e.url, "HOST=" + host, "PORT=" + port,
		"SHOP_STATE=" + t.TempDir(),
	})
	e.process.Stdout, e.process.Stderr = e.log, e.log
	child.Tie(e.process)
	fortest.OK(t, e.process.Start())
	t.Cleanup(func() {
		child.End(e.process)
		for _, key := range keys[1:] {
			name, value, _ := strings.Cut(key, "=")
			if name != "SHOP_TEST" && strings.Contains(e.log.String(), value) {
				t.Errorf("the example prints %s", name)
			}
		}
		if t.Failed() {
			t.Logf("the example said:\n%s", e.log.String())
		}
	})
	fortest.Until(t, "the example to answer", func() bool {
		resp, err := http.Get(e.url)
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

// The example in Go sells: from its cart to a payment, and to a page that says so because a webhook
// did.
func TestExampleShop(t *testing.T) {
	testShops(t, shops[:1], nil)
}

// So do the examples in all other languages.
func TestFullExampleShops(t *testing.T) {
	testShops(t, shops[1:], npmSettings(t, "npm_config_offline=true"))
}

func testShops(t *testing.T, shops []example, env []string) {
	runParallel(t)
	for _, shop := range shops {
		t.Run(shop.name, func(t *testing.T) {
			t.Parallel()
			shop.prepare(t, env)
			hook := "COINSLOT_WEBHOOK_URL=" + shop.url + "/hooks/coinslot"
			s := newStack(t, "COINSLOT_ORIGINS="+shop.url, hook)
			t.Run("for money", func(t *testing.T) {
				shop.start(t, s.keys())
				t.Run("sells", func(t *testing.T) { shop.sells(t, s) })
				t.Run("orders once", func(t *testing.T) { shop.ordersOnce(t, s) })
				t.Run("believes only webhooks", func(t *testing.T) { shop.verifiesWebhooks(t) })
			})
			t.Run("in test mode", func(t *testing.T) { shop.takesPlayMoney(t) })
		})
	}
}

// sells buys two notebooks and a set of postcards in the browser.
func (e *example) sells(t *testing.T, s *stack) {
	p := chromium.Open(t, e.url, browser.Options{Height: 2400})
	p.Type(`input[name="notebook"]`, "2")
	p.Type(`input[name="postcards"]`, "1")
	p.Click("button")
	p.Wait(`.state[data-state="open"]`)
	if got := p.Text(".total"); got != "$32.20" { // by the server's prices
		t.Errorf("the order's total is %s; want $32.20", got)
	}
	liar := chromium.Open(t, p.URL()+"/thanks?status=confirmed&session=cs_1", browser.Options{})
	liar.WaitText("h1", "One moment")
	f := p.Frame(frame)
	f.Wait(`[data-live="wasm"]`)
	s.simulate(s.choose(f, "USDT", "trc20"), "pay")
	p.WaitText("h1", "Thank you")
	p.Wait(`.state[data-state="paid"]`)
	fortest.Has(t, "the widget has led to", p.URL(), "/thanks?", "status=confirmed")
	liar.WaitText("h1", "Thank you") // it has looked again
	assertCleanConsole(t, p)
}

// post posts a cart as a form of the shop's own page.
func (e *example) post(t *testing.T, form url.Values) *http.Response {
	t.Helper()
	body := strings.NewReader(form.Encode())
	req := fortest.Must(http.NewRequest(http.MethodPost, e.url+"/orders", body))(t)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", e.url)
	resp := fortest.Must(http.DefaultTransport.RoundTrip(req))(t) // follows no redirects
	resp.Body.Close()
	return resp
}

// order posts a cart and returns the number of the order.
func (e *example) order(t *testing.T, form url.Values) string {
	t.Helper()
	resp := e.post(t, form)
	to := fortest.Must(resp.Location())(t)
	id, found := strings.CutPrefix(to.Path, "/orders/")
	if resp.StatusCode != http.StatusSeeOther || !found {
		t.Fatalf("POST /orders = %d to %q; want 303 to the order", resp.StatusCode, to)
	}
	return id
}

// fresh is the form of the page with the cart, with an unused number.
func (e *example) fresh(t *testing.T) url.Values {
	t.Helper()
	number := regexp.MustCompile(`name="order" value="(\w+)"`).FindStringSubmatch(e.get(t, "/"))
	if number == nil {
		t.Fatal("the page with the cart has no order number")
	}
	return url.Values{
		"order":         {number[1]},
		"pencils":       {"1"},
		"price":         {"0.01"},
		"pencils_price": {"0.01"},
	}
}

func (e *example) get(t *testing.T, path string) string {
	t.Helper()
	resp := fortest.Must(http.Get(e.url + path))(t)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("GET %s = %d, %v", path, resp.StatusCode, err)
	}
	return string(body)
}

// A form sent twice is one order and one session at the server's own price;
// another cart under its number is another order.
func (e *example) ordersOnce(t *testing.T, s *stack) {
	form := e.fresh(t)
	first, second := e.order(t, form), e.order(t, form)
	if first != second {
		t.Errorf("one form made the orders %s and %s", first, second)
	}
	var list struct {
		Data []struct {
			AmountUSD string `json:"amount_usd"`
		}
	}
	s.call(http.MethodGet, "/v1/sessions?order_ref="+first, nil, &list)
	if len(list.Data) != 1 || list.Data[0].AmountUSD != "9.50" {
		t.Errorf("the checkout's sessions of the order are %v; want one of 9.50", list.Data)
	}
	form.Set("pencils", "2")
	if other := e.order(t, form); other == first {
		t.Error("another cart is the same order")
	}
}

// paymentWebhook is a payment of an order as the checkout sends it, signed a while ago.
func paymentWebhook(key, id, ref, amount string, ago time.Duration) (http.Header, string) {
	body := fmt.Sprintf(
		`{"type":"checkout.confirmed","data":{"order_ref":%q,"amount_usd":%q,"status":"confirmed","test":false}}`,
		ref,
		amount,
	)
	return webhookHeaders(key, id, body, ago), body
}

// playMoneyWebhook is one of play money.
func playMoneyWebhook(id, ref, amount string) (http.Header, string) {
	_, body := paymentWebhook(hookKey, id, ref, amount, 0)
	body = strings.Replace(body, `"test":false`, `"test":true`, 1)
	return webhookHeaders(hookKey, id, body, 0), body
}

func webhookHeaders(key, id, body string, ago time.Duration) http.Header {
	raw, _ := base64.StdEncoding.DecodeString(key)
	stamp := strconv.FormatInt(time.Now().Add(-ago).Unix(), 10)
	mac := hmac.New(sha256.New, raw)
	fmt.Fprintf(mac, "%s.%s.%s", id, stamp, body)
	h := http.Header{}
	h.Set("webhook-id", id)
	h.Set("webhook-timestamp", stamp)
	h.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return h
}

// postWebhook posts an event to the example and returns the status of its answer.
func (e *example) postWebhook(t *testing.T, h http.Header, body string) int {
	t.Helper()
	req := fortest.Must(http.NewRequest(http.MethodPost, e.url+"/hooks/coinslot",
		strings.NewReader(body)))(t)
	req.Header.Set("Content-Type", "application/json")
	maps.Copy(req.Header, h)
	resp := fortest.Must(http.DefaultClient.Do(req))(t)
	resp.Body.Close()
	return resp.StatusCode
}

// Forged and old webhooks are refused, money that fits no order is logged, and a
// good webhook counts once.
func (e *example) verifiesWebhooks(t *testing.T) {
	ref := e.order(t, e.fresh(t))
	state := func() bool { return strings.Contains(e.get(t, "/orders/"+ref), `data-state="paid"`) }
	otherKey := base64.StdEncoding.EncodeToString(make([]byte, 32))
	for name, forge := range map[string]func() (http.Header, string){
		"another key": func() (http.Header, string) {
			return paymentWebhook(otherKey, "evt_1", ref, "9.50", 0)
		},
		"old": func() (http.Header, string) {
			return paymentWebhook(hookKey, "evt_1", ref, "9.50", 6*time.Minute)
		},
		"to come": func() (http.Header, string) {
			return paymentWebhook(hookKey, "evt_1", ref, "9.50", -6*time.Minute)
		},
		"changed": func() (http.Header, string) {
			h, body := paymentWebhook(hookKey, "evt_1", "another", "9.50", 0)
			return h, strings.Replace(body, "another", ref, 1)
		},
		"unsigned": func() (http.Header, string) {
			_, body := paymentWebhook(hookKey, "evt_1", ref, "9.50", 0)
			return nil, body
		},
	} {
		h, body := forge()
		if status := e.postWebhook(t, h, body); status != http.StatusUnauthorized || state() {
			t.Errorf("%s: the webhook is answered %d, and paid is %v; want 401 and not paid", name,
				status, state())
		}
	}
	for name, c := range map[string]struct {
		ref, amount, said string
		status            int
	}{
		"another amount": {ref, "0.01", "needs review", http.StatusNoContent},
		"unknown order": {
			"NoSuchOrder",
			"9.50",
			"needs review",
			http.StatusServiceUnavailable,
		}, // sent again
		"no order":   {"", "4.20", "needs review", http.StatusNoContent},
		"play money": {ref, "9.50", "play money", http.StatusNoContent},
	} {
		h, body := paymentWebhook(hookKey, "evt_2", c.ref, c.amount, 0)
		if name == "play money" {
			h, body = playMoneyWebhook("evt_2", c.ref, c.amount)
		}
		if status := e.postWebhook(t, h, body); status != c.status || state() {
			t.Errorf("%s: the webhook is answered %d, and paid is %v; want %d and not paid", name,
				status, state(), c.status)
		}
		said := regexp.MustCompile(`order "` + c.ref + `", amount "` + regexp.QuoteMeta(c.amount) +
			`": .*` + c.said)
		fortest.Until(t, "the shop to log "+said.String(),
			func() bool { return said.MatchString(e.log.String()) })
	}
	before := e.log.String()
	test := `{"type":"checkout.test","timestamp":"2026-11-22T08:00:00Z","data":{"object":"test","test":true,"message":"…"}}`
	if status := e.postWebhook(t, webhookHeaders(hookKey, "evt_test", test, 0),
		test); status != http.StatusNoContent || state() {
		t.Errorf("a test is answered %d, and paid is %v; want 204 and not paid", status, state())
	}
	fortest.Lacks(t, "of a test the shop", strings.TrimPrefix(e.log.String(), before), "shop: ")
	h, body := paymentWebhook(hookKey, "evt_3", ref, "9.50", 0)
	h.Set("webhook-signature", "v1,"+otherKey+" v2,new "+h.Get("webhook-signature"))
	for range 2 {
		if status := e.postWebhook(t, h, body); status != http.StatusNoContent || !state() {
			t.Errorf(
				"one of several signatures: the webhook is answered %d, and paid is %v; want 204 and paid",
				status,
				state(),
			)
		}
	}

	// What the shop prints comes by a pipe, later than its answers. Once a last line is here,
	// those before it are.
	h, body = paymentWebhook(hookKey, "evt_4", ref, "0.02", 0)
	e.postWebhook(t, h, body)
	fortest.Until(t, "the shop to log its last webhook", func() bool {
		return strings.Contains(e.log.String(), `amount "0.02"`)
	})
	fortest.Equal(t, strings.Count(e.log.String(), ref+" is paid: ship it"), 1,
		"the goods are sent off times")
}

// A shop that tries out takes play money. Its key goes to the checkout and to
// nowhere that an answer leads.
func (e *example) takesPlayMoney(t *testing.T) {
	var moved atomic.Bool
	checkout := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if moved.Load() && r.URL.Path == "/v1/sessions" {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"id":"cs_1"}`)
	}))
	t.Cleanup(checkout.Close)
	e.start(t, append((&stack{base: checkout.URL}).keys(), "SHOP_TEST=1"))
	form := e.fresh(t)
	moved.Store(true)
	if resp := e.post(t, form); resp.StatusCode != http.StatusBadGateway {
		t.Errorf("POST /orders = %d with a checkout that leads elsewhere; want 502",
			resp.StatusCode)
	}
	moved.Store(false)
	ref := e.order(t, form)
	h, body := playMoneyWebhook("evt_1", ref, "9.50")
	status, page := e.postWebhook(t, h, body), e.get(t, "/orders/"+ref)
	if status != http.StatusNoContent || !strings.Contains(page, `data-state="paid"`) {
		t.Errorf("play money is answered %d, or does not count with SHOP_TEST=1", status)
	}
}

// The demo serves a shop of one's own, with the settings that it prints.
func TestFullDemoForAnExample(t *testing.T) {
	runParallel(t)
	shop := shops[0]
	shop.prepare(t, nil)
	out := startDemo(t, "-own-shop", shop.url, "-catalog", examples+"/static/catalog.yaml")
	export := regexp.MustCompile(`(COINSLOT|SHOP)_\w+=\S+\n`)
	fortest.Until(t, "the demo to print five settings",
		func() bool { return len(export.FindAllString(out.String(), -1)) == 5 })
	keys := strings.Fields(strings.Join(export.FindAllString(out.String(), -1), ""))
	shop.start(t, keys)
	p := chromium.Open(t, shop.url, browser.Options{Height: 2400})
	p.Type(`input[name="pencils"]`, "1")
	p.Click("button")
	f := p.Frame(frame)
	f.Wait(`[data-live="wasm"]`)
	choose(f, "USDT", "trc20")
	f.Click(`[data-part="simulate"][value="pay"]`)
	p.WaitText("h1", "Thank you")
	_, base, _ := strings.Cut(keys[0], "=")
	p.Goto(base + "/checkout?item=pencils")
	p.WaitText("body", "Six, in a tin")
}

// pages serves a folder of docs/examples; base is where its checkout is.
func pages(folder string, base *string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := filepath.Base(r.URL.Path)
		if r.URL.Path == "/" {
			name = "index.html"
		}
		text, err := os.ReadFile(filepath.Join(examples, folder, name))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, name, time.Time{},
			strings.NewReader(strings.ReplaceAll(string(text), inPages, *base)))
	})
}

// The pages without a server sell what the catalog beside them offers.
func TestFullExamplePages(t *testing.T) {
	var base string
	static := httptest.NewServer(pages("static", &base))
	html := httptest.NewServer(pages("html", &base))
	t.Cleanup(static.Close)
	t.Cleanup(html.Close)
	s := newStack(t, "COINSLOT_ORIGINS="+static.URL+","+html.URL,
		"COINSLOT_CATALOG="+examples+"/static/catalog.yaml")
	base = s.base
	p := chromium.Open(t, "", browser.Options{Height: 2400})
	for name, c := range map[string]struct{ url, click, field, value, title, amount string }{
		"fixed": {
			static.URL, `coinslot-checkout[item="notebook"] a`, "", "", "Notebook", "14.00",
		},
		"quantity": {
			static.URL, `coinslot-checkout[item="pencils"] a`, "offer-quantity", "3",
			"3 × Pencils", "28.50",
		},
		"given": {
			static.URL, `coinslot-checkout[amount="20"] a`, "", "", "A tip for the birds", "20.00",
		},
		"open": {
			static.URL, `coinslot-checkout[item="tip"]:not([amount]) a`, "offer-amount", "12.50",
			"A tip for the birds", "12.50",
		},
		"inline": {html.URL, "", "", "", "Notebook", "14.00"},
	} {
		t.Run(name, func(t *testing.T) {
			p.SetTest(t)
			p.Goto(c.url)
			if c.click != "" {
				p.WaitJS(`customElements.get('coinslot-checkout') !== undefined`,
					"the element to be defined")
				p.Click(c.click)
			}
			f := p.Frame(frame)
			f.Wait(`[data-live="wasm"]`)
			if c.field != "" {
				f.Type(`[data-part="`+c.field+`"]`, c.value)
			}
			s.choose(f, "USDT", "trc20")
			if got := s.newest(); got.Title != c.title || got.AmountUSD != c.amount {
				t.Errorf("%s was sold for %s; want %s for %s", got.Title, got.AmountUSD, c.title,
					c.amount)
			}
			assertCleanConsole(t, p)
		})
	}
	t.Run("without JavaScript", func(t *testing.T) {
		p := chromium.Open(t, html.URL, browser.Options{NoJS: true, Height: 2400})
		s.choose(p.Frame(frame), "USDT", "trc20")
	})
}

// sale is what was sold last, as the merchant's API returns it.
type sale struct {
	Title     string
	AmountUSD string `json:"amount_usd"`
}

func (s *stack) newest() sale {
	s.t.Helper()
	var list struct{ Data []sale }
	status := s.call(http.MethodGet, "/v1/sessions?limit=1", nil, &list)
	if status != http.StatusOK || len(list.Data) != 1 {
		s.t.Fatalf("GET /v1/sessions = %d with %d sessions; want 200 with one", status,
			len(list.Data))
	}
	return list.Data[0]
}

// docs/examples/README.md says how long each shop is, what it was tested with, and how to start it
// as the tests do.
func TestExampleTable(t *testing.T) {
	text := string(fortest.Must(os.ReadFile(examples + "/README.md"))(t))
	notCode := regexp.MustCompile(`^\s*(//|# |"""|$)`)
	framework := regexp.MustCompile(`\.css$|\.json$|config\.js$|app\.html$|index\.php$`)
	version := regexp.MustCompile(`"(?:express|next|@sveltejs/kit)": "(.+?)"`)
	readers := strings.NewReplacer("$HOST", "127.0.0.1", "$PORT", "3000", "/usr/bin/", "",
		"$SHOP_URL", "http://127.0.0.1:3000")
	for _, shop := range slices.Concat(shops, frameworkShops) {
		lines, want := 0, []string{"`" + readers.Replace(shop.run) + "` |"}
		folder := filepath.Join(examples, shop.name)
		fortest.OK(t, filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := os.ReadFile(path)
			if of := version.FindSubmatch(content); of != nil {
				want = append(want, " "+string(of[1])+", ")
			}
			for line := range strings.Lines(string(content)) {
				if !framework.MatchString(path) && !notCode.MatchString(line) {
					lines++
				}
			}
			return err
		}))
		row := regexp.MustCompile(`(?m)^\| \[[^]]+\]\(` + shop.name + `/\) .*$`).FindString(text)
		for _, part := range append(want, fmt.Sprintf("| %d |", lines)) {
			if !strings.Contains(row, part) {
				t.Errorf("the row of %s is %q; want %s in it", shop.name, row, part)
			}
		}
	}
}

// Each example is a folder to be copied, so each has the look; it is one look.
func TestExamplesShareStylesheet(t *testing.T) {
	looks := map[string]string{}
	fortest.OK(t, filepath.WalkDir(examples, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.Name() != "shop.css" {
			return err
		}
		css, err := os.ReadFile(path)
		looks[string(css)] = path
		return err
	}))
	fortest.Equal(t, len(looks), 1, "different shop.css in all folders")
}
