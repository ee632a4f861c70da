package e2e

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"coinslot/app/widget"
	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/e2e/browser"

	"github.com/shopspring/decimal"
)

// pay opens a session's own page on its pay screen.
func (s *stack) pay(
	t *testing.T, symbol, network string, o browser.Options,
) (*browser.Page, sandbox.Transaction) {
	t.Helper()
	p := s.openPage(t, s.session(order{"amount_usd": "125.00"}), o)
	if !o.NoJS && o.BlockURLs == nil {
		p.Wait(`[data-live="wasm"]`)
	}
	choose(p.View, symbol, network)
	p.Wait(pending)
	tx := s.matches(p.View)
	if !o.NoJS && o.BlockURLs == nil {
		p.Wait(`[data-live="wasm"]`)
	}
	return p, tx
}

// download reads a path of the checkout.
func (s *stack) download(path string) string {
	s.t.Helper()
	resp := fortest.Must(http.Get(s.base + path))(s.t)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		s.t.Fatalf("GET %s = %d, %v", path, resp.StatusCode, err)
	}
	return string(body)
}

// driven is the pay screen of an order, in one of the three ways in which it works.
type driven struct {
	*stack
	*browser.Page
	by      string // one of modes
	session string
	tx      sandbox.Transaction // what is to be paid now
}

// TestPayScreen does on one page what shoppers do with an address before they pay, in each way in
// which the screen works: they compare it with what their wallet shows, go on on another device,
// take another coin, switch the QR code, and pay in two parts.
func TestPayScreen(t *testing.T) {
	runParallel(t)
	for _, by := range []string{"wasm", "no javascript"} {
		t.Run(by, func(t *testing.T) { paysOnScreen(t, by) })
	}
}

func TestFullPayScreenWithoutWasm(t *testing.T) { paysOnScreen(t, "no wasm") }

// paysOnScreen is TestPayScreen in one of modes.
func paysOnScreen(t *testing.T, by string) {
	d := &driven{stack: newStack(t), by: by}
	d.session = d.stack.session(order{"amount_usd": "125.00"})
	o := modes[by]
	o.Height = 2400
	d.Page = chromium.Open(t, d.base+"/checkout/"+d.session+"?theme=dark&lang=en", o)
	d.choose("USDT", "trc20")
	t.Run("address", d.checksTheAddress)
	t.Run("device", d.goesOnElsewhere)
	d.SetTest(t)

	d.Click(`[data-part="change"]`)
	d.choose("ETH", "eth")
	t.Run("QR code", d.switchesQR)
	t.Run("rest", d.paysTheRest)
	d.SetTest(t)
}

// choose goes to the pay screen and waits until it is driven as it will be.
func (d *driven) choose(symbol, network string) {
	d.t.Helper()
	awaitWasm := func() {
		if d.by == "wasm" {
			d.Wait(`[data-live="wasm"]`)
		}
	}
	awaitWasm()
	choose(d.View, symbol, network)
	d.Wait(`[data-part="address"]:not([data-value="` + d.tx.WalletAddress + `"])`)
	d.tx = d.matches(d.View)
	awaitWasm()
}

// switchesQR: the QR code holds the plain address, or the payment link when the shopper wants that:
// at once, or by a link that stays chosen when the page loads itself again.
func (d *driven) switchesQR(t *testing.T) {
	d.SetTest(t)
	plain := d.download(d.Attr(`[data-part="qr"]`, "src"))
	const toLink, toAddress = "Use the code with the amount", "Try the plain code"
	d.WaitText(`[data-part="qr-kind"]`, toLink)
	d.Click(`[data-part="qr-kind"]`)
	d.WaitText(`[data-part="qr-kind"]`, toAddress)
	src := d.Attr(`[data-part="qr"]`, "src")
	link := d.download(src)
	if !strings.Contains(src, "kind=uri") || link == plain ||
		link != d.download(strings.Split(src, "?")[0]+"?kind=uri") {
		t.Errorf("the picture %s is not that of the payment link", src)
	}
	fortest.Has(t, "the picture is called", d.Attr(`[data-part="qr"]`, "alt"),
		"QR code to pay "+d.Attr(`[data-part="pay-amount"]`, "data-value"))
	d.WaitJS(`document.querySelector('[data-part="qr"]').naturalWidth > 0`,
		"the picture to be drawn")
	if d.by == "no javascript" {
		refresh := d.Attr(`noscript meta[http-equiv="refresh"]`, "content")
		fortest.Has(t, "the page loads itself again at", refresh, "qr=uri")
	}
	d.Reload()
	d.WaitText(`[data-part="qr-kind"]`, toAddress)
	d.Click(`[data-part="qr-kind"]`)
	d.WaitText(`[data-part="qr-kind"]`, toLink)
	fortest.Equal(t, d.download(d.Attr(`[data-part="qr"]`, "src")), plain,
		"the picture is not that of the address any more")
}

// paysTheRest: after a part has come, amount, QR code and link are of the rest.
func (d *driven) paysTheRest(t *testing.T) {
	d.SetTest(t)
	before := d.download(strings.Split(d.Attr(`[data-part="qr"]`, "src"), "?")[0] + "?kind=uri")
	d.simulate(d.tx, "half")
	d.Wait(`[data-part="missing"]`)
	d.WaitText("h1",
		"Send the missing amount "+widget.Padded(d.Attr(`[data-part="missing"]`, "data-value")))
	d.WaitText(`[data-part="status"]`, "Part of it has arrived")
	fortest.Equal(t, d.Attr(`[data-part="copy-amount"]`, "data-copy"),
		d.Attr(`[data-part="missing"]`, "data-value"), "the amount to copy")
	d.Click(`[data-part="qr-kind"]`)
	d.Wait(`[data-part="qr"][src*="kind=uri"]`)
	src := d.Attr(`[data-part="qr"]`, "src")
	if !strings.Contains(src, "due="+d.Attr(`[data-part="missing"]`, "data-value")) ||
		d.download(src) == before {
		t.Errorf("the QR code %s is not of the rest", src)
	}
	units := smallest(t, d.Attr(`[data-part="missing"]`, "data-value"), 18)
	fortest.Equal(t, d.Attr(`[data-part="open-wallet"]`, "href"),
		"ethereum:"+d.tx.WalletAddress+"@1?value="+units.String(), "the link for wallets")
}

// checksTheAddress: what a wallet shows is compared with what is to be paid.
func (d *driven) checksTheAddress(t *testing.T) {
	d.SetTest(t)
	d.Click(`details.check > summary`)
	if d.by == "no javascript" {
		d.Click(`details.check noscript a`)
		if d.Exists(`noscript meta[http-equiv="refresh"]`) {
			t.Error("the page loads itself again while an address is typed")
		}
	}
	right, wrong := d.tx.WalletAddress, "y"
	if right[20] == 'y' {
		wrong = "z"
	}
	for _, c := range []struct{ pasted, result, words string }{
		{right, "same", "It’s the right address."},
		{right[:20] + wrong + right[21:], "differs", "1 character is different. Don’t send"},
		{"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "other", "This is a different address. Don’t send"},
		{
			"0x52908400098527886E0F7030069857D2E4169EE7",
			"network",
			"is on another network (Ethereum",
		},
		{"tron:" + right[:17] + " " + right[17:] + "?amount=1", "same", "It’s the right address."},
	} {
		if d.by == "no javascript" && c.result != "differs" && c.pasted != right {
			continue // the same form as html's
		}
		d.Type(`[data-part="check-address"]`, c.pasted)
		if d.by != "wasm" {
			d.Press("Enter")
		}
		d.WaitText(`[data-part="check-result"]`, c.words)
		d.Wait(`[role="status"][data-part="check-result"][data-value="` + c.result + `"]`)
		if c.result == "differs" {
			if got, want := d.Text(`details.check mark`), wrong+right[21:24]; got != want {
				t.Errorf("marked %q; want %q", got, want)
			}
		}
	}
	d.Wait(pending)
	if d.by == "wasm" {
		assertCleanConsole(t, d.Page)
	}
}

// goesOnElsewhere: a payment continues on another device, by its link and the link's picture.
func (d *driven) goesOnElsewhere(t *testing.T) {
	d.SetTest(t)
	d.Click(`[data-part="device"] > summary`)
	got := d.Attr(`[data-part="page-link"]`, "data-value")
	if strings.Split(got, "?")[0] != d.base+"/checkout/"+d.session ||
		strings.Contains(got, "theme") {
		t.Errorf("the link is %q; want that of the session, without its looks", got)
	}
	if d.by == "no javascript" {
		d.Click(`[data-part="device"] noscript a`)
		refresh := d.Attr(`noscript meta[http-equiv="refresh"]`, "content")
		fortest.Has(t, "the page loads itself again at", refresh, "open=device")
	}
	d.WaitJS(`document.querySelector('[data-part="device"] img').naturalWidth > 0`,
		"the link's picture to be drawn")
	fortest.Equal(t, plainly(t, got, lynx).part("address").attrs["data-value"], d.tx.WalletAddress,
		"the link shows another address")
}

// smallest is an amount in the smallest unit of its coin.
func smallest(t *testing.T, amount string, decimals int32) *big.Int {
	t.Helper()
	return fortest.Must(decimal.NewFromString(amount))(t).Shift(decimals).BigInt()
}

// wallet is a browser's wallet as EIP-6963 and EIP-1193 describe it, in the mood
// that window.mood names, at first "accepts". It writes down what it is asked.
//
//go:embed testdata/wallet.js
var wallet string

// Wallets in the browser are asked for exactly the payment that is on screen, and the page shows what
// they answer: a payment of ETH is declined, then sent, and one of a token is sent.
func TestPaysByWallet(t *testing.T) {
	responses := walletResponses()
	last := len(responses) - 1
	paysByWallet(t, ether, []walletResponse{responses[0], responses[last]})
	paysByWallet(t, token, responses[last:])
}

// TestFullWalletResponses: all that a wallet may answer.
func TestFullWalletResponses(t *testing.T) { paysByWallet(t, ether, walletResponses()) }

var (
	ether = walletCoin{"ETH", "eth", "0x1", "", 18}
	token = walletCoin{"USDC", "polygon", "0x89", "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", 6}
)

// walletResponses are what a wallet may answer. No two in a row show the same text, so that the page
// cannot pass with an old one.
func walletResponses() []walletResponse {
	connect := `["eth_requestAccounts"]`
	chain := `["eth_chainId"]`
	change := `["wallet_switchEthereumChain",{"chainId":"CHAIN"}]`
	ready := []string{connect, chain, change, chain, chain}
	return []walletResponse{
		{"refuses", ready, true, "You declined in Fox Wallet. Nothing was sent."},
		{
			"unknown",
			ready[:3],
			false,
			"Fox Wallet doesn’t know NETWORK. Add the network there, or pay by address.",
		},
		{"locked", ready[:1], false, "You declined in Fox Wallet. Nothing was sent."},
		{"wrapped", ready[:3], false, "Fox Wallet doesn’t know NETWORK."},
		{
			"throws",
			ready,
			true,
			"We can’t tell whether Fox Wallet sent it. Check there before you try again.",
		},
		{"stays", ready[:4], false, "Fox Wallet doesn’t know NETWORK."},
		{"fails", ready, true, "We can’t tell whether Fox Wallet sent it."},
		{"moves", ready, false, "Fox Wallet doesn’t know NETWORK."},
		{"nothing", ready, true, "We can’t tell whether Fox Wallet sent it."},
		{"numbers", ready, true, "Fox Wallet has sent it."},
		{"twice", ready, true, "Fox Wallet has sent it."},
		{"accepts", ready, true, "Fox Wallet has sent it. It can take a few minutes to arrive."},
	}
}

// paysByWallet asks a wallet for a payment again and again. A page from which nothing was sent can
// ask again, so only those that have sent are loaded anew.
func paysByWallet(t *testing.T, coin walletCoin, responses []walletResponse) {
	p, tx := newStack(t).pay(t, coin.symbol, coin.network, browser.Options{Script: wallet})
	for i, m := range responses {
		if i > 0 && strings.Contains(responses[i-1].text, "has sent") {
			p.Reload()
		}
		t.Run(m.name+"/"+coin.symbol, func(t *testing.T) {
			p.SetTest(t)
			m.check(t, p, coin, tx)
		})
		p.SetTest(t)
	}
	assertCleanConsole(t, p)
	external := func(url string) bool { return strings.Contains(url, "evil.example") }
	if slices.ContainsFunc(p.Requests(), external) {
		t.Error("a wallet's picture was asked of its own server")
	}
}

// walletResponse is how a wallet answers, and what comes of it.
type walletResponse struct {
	name  string
	asked []string // before the transaction
	sends bool
	text  string
}

// check presses the wallet's button on the pay screen.
func (m walletResponse) check(
	t *testing.T, p *browser.Page, coin walletCoin, tx sandbox.Transaction,
) {
	t.Helper()
	p.Wait(`[data-live="wasm"]`)
	p.WaitText(`[data-part="wallet"]`, "Pay with Fox Wallet")
	fortest.Equal(t, p.Count(`[data-part="wallet"]`), 2, "wallets")
	if text := p.Text(`[data-part="wallet"][data-value="example.long"]`); len([]rune(text)) > len("Pay with ")+
		40 {
		t.Errorf("a name of %d characters is on the button", len(text))
	}
	p.Eval(`resetWallet("`+m.name+`")`, nil)
	p.Click(`[data-part="wallet"]`)
	p.WaitText(`.wallets .note`,
		strings.Replace(m.text, "NETWORK", p.Attr(`[data-part="network-name"]`, "data-value"), 1))
	asked := browser.Eval[[]string](p, `window.asked`)
	want := slices.Clone(m.asked)
	if m.sends {
		want = append(want,
			coin.transaction(t, tx.WalletAddress, p.Attr(`[data-part="pay-amount"]`, "data-value")))
	}
	for i := range want {
		want[i] = canonical(t, strings.Replace(want[i], "CHAIN", coin.chain, 1))
	}
	for i := range asked {
		asked[i] = canonical(t, asked[i])
	}
	fortest.Diff(t, asked, want, "the wallet was asked")
	if sent := strings.Contains(m.text, "has sent"); sent == p.Exists(`[data-part="wallet"]`) {
		t.Errorf("buttons of wallets are there: %t", !sent)
	}
	p.Wait(`[data-live="wasm"]`)
}

// walletCoin is a coin that wallets in the browser can send.
type walletCoin struct {
	symbol, network, chain, contract string
	decimals                         int32
}

// transaction is what the wallet has to be asked to send.
func (c walletCoin) transaction(t *testing.T, address, amount string) string {
	t.Helper()
	units := smallest(t, amount, c.decimals)
	call := map[string]string{
		"from":    "0x00000000000000000000000000000000000000AA",
		"chainId": c.chain,
		"to":      address,
		"value":   fmt.Sprintf("%#x", units),
		"data":    "0x",
	}
	if c.contract != "" { // transfer(address,uint256)
		call["to"], call["value"] = c.contract, "0x0"
		call["data"] = fmt.Sprintf("0xa9059cbb%064s%064x", strings.ToLower(address[2:]), units)
	}
	return string(fortest.Must(json.Marshal([]any{"eth_sendTransaction", call}))(t))
}

// canonical writes JSON with its members in order.
func canonical(t *testing.T, text string) string {
	t.Helper()
	var v any
	fortest.OK(t, json.Unmarshal([]byte(text), &v))
	return string(fortest.Must(json.Marshal(v))(t))
}

// A frame that wallets do not look into offers the page in a tab of its own; one that they look
// into pays in place.
func TestFullWalletsInAFrame(t *testing.T) {
	s := newStack(t)
	id := s.session(order{"amount_usd": "125.00"})
	_, f := s.open(t, id, "inline", browser.Options{})
	f.Wait(`[data-live="wasm"]`)
	choose(f, "ETH", "eth")
	f.Wait(pending)
	link := f.Attr(`[data-part="browser-tab"]`, "href")
	target, err := url.Parse(link)
	if err != nil || target.Path != "/checkout/"+id || target.Query().Has("embed") ||
		target.Query().Has("origin") {
		t.Errorf("the link leads to %s, %v; want the page on its own", link, err)
	}
	if f.Attr(`[data-part="browser-tab"]`, "target") != "_blank" ||
		f.Attr(`[data-part="browser-tab"]`, "rel") != "noopener" {
		t.Error("the link does not leave the frame")
	}
	p := chromium.Open(t, s.base+link, browser.Options{Script: wallet, Height: 1400})
	p.Click(`[data-part="wallet"]`)
	p.WaitText(`.wallets .note`, "has sent it")

	_, f = s.open(t, id, "inline", browser.Options{Script: wallet})
	f.Wait(`[data-part="wallet"]`)
	if f.Exists(`[data-part="browser-tab"]`) {
		t.Error("a frame that wallets look into has the link too")
	}
}

// In a frame that may not use the clipboard the old way copies; where that is
// refused too, the words say so and Ctrl+C takes what has been selected, whole.
func TestFullCopiesWithoutPermission(t *testing.T) {
	runParallel(t)
	refused := `Document.prototype.execCommand = () => false;`
	for name, c := range map[string]struct {
		live, script, says string
		blocked            []string
	}{
		"wasm":          {"wasm", "", "Copied. Send it on TRON (TRC20) only.", nil},
		"wasm, refused": {"wasm", refused, "Copying is blocked", nil},
		"html":          {"html", "", "Copied. Send it on TRON (TRC20) only.", []string{"*.wasm"}},
		"html, refused": {"html", refused, "Copying is blocked", []string{"*.wasm"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, host := newShop(t, "")
			id := s.session(order{"amount_usd": "25.00"})
			host.body = `<iframe name="bare" width="600" height="1300" src="$BASE/checkout/` + id +
				`?embed=inline&origin=` + url.QueryEscape(host.server.URL) + `"></iframe>`
			p := chromium.Open(t, host.server.URL,
				browser.Options{Height: 1500, Script: c.script, BlockURLs: c.blocked})
			f := p.Frame("bare")
			f.Wait(`[data-live="` + c.live + `"]`)
			choose(f, "USDT", "trc20")
			f.Wait(pending)
			f.Wait(`[data-live="` + c.live + `"]`)
			tx := s.matches(f)
			f.Eval(
				`void document.addEventListener("copy", () => { window.given = getSelection().toString() || document.activeElement.value })`,
				nil,
			)
			f.Click(`[data-part="copy-address"]`)
			f.WaitText(`.address .label`, c.says)
			f.WaitText(`.announce`, c.says)
			if c.script != "" {
				f.WaitJS(`getSelection().toString() === "`+tx.WalletAddress+`"`,
					"the address to be selected, without spaces")
				f.Eval(`void (window.given = "")`, nil)
				f.Press("Control+c")
			}
			if c.script == "" {
				return // copied from a field that is gone
			}
			f.WaitJS(`window.given === "`+tx.WalletAddress+`"`,
				"the whole address to be given to the clipboard")
		})
	}
}
