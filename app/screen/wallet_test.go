package screen

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"coinslot/app/screen/screentest"
	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"
	"coinslot/bff/fortest"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// walletFake is a browser with wallets: their answers and requests.
type walletFake struct {
	browserFake
	found      func(widget.Wallet)
	discovered int
	connects   error
	pays       error
	connecting func()     // runs while a wallet is asked for its account
	mu         sync.Mutex // guards asked: two wallets may be asked at once
	asked      []string
}

func (w *walletFake) ask(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, what)
}

// into puts the wallets into a browser that is in use already.
func (w *walletFake) into(h *Host) {
	h.Wallets = func(found func(widget.Wallet)) {
		w.found = found
		w.discovered++
	}
	h.Connect = func(id, chain string) (string, error) {
		w.ask("connect " + id + " " + chain)
		if w.connecting != nil {
			w.connecting()
		}
		return "0xfrom", w.connects
	}
	h.Pay = func(id, from string, c wire.Call) error {
		w.ask(strings.Join([]string{"pay", id, from, c.ChainID, c.To, c.Value, c.Data}, " "))
		return w.pays
	}
}

// withWallets mounts a page in a browser whose wallets have announced themselves.
func withWallets(t *testing.T, b *walletFake) (*Checkout, app.Context, app.TestEngine) {
	t.Helper()
	c, ctx, engine := live(t, "pending-uri", &b.browserFake)
	b.into(c.Host)
	c.discover(ctx)
	for _, name := range []string{"Fox", "Bird"} {
		b.found(widget.Wallet{ID: name, Name: name})
	}
	engine.ConsumeAll()
	return c, ctx, engine
}

// clicked is the payment that a click on the first wallet's button asks for now.
func clicked(c *Checkout) payment {
	a := c.Page.View.Attempt
	return payment{Wallet: c.Page.Wallets[0], Number: a.Number, Call: *a.Call}
}

func TestPayByWallet(t *testing.T) {
	const connected, sent = "connect Fox 0x1",
		"pay Fox 0xfrom 0x1 0x52908400098527886E0F7030069857D2E4169EE7 0x206991fb9b2200 0x"
	other := errors.New("broken")
	for name, c := range map[string]struct {
		connects, pays error
		asked          []string
		phase          walletPhase
		says           string
	}{
		"accepted": {nil, nil, []string{connected, sent}, walletSent,
			"Fox has sent it. It can take a few minutes to arrive."},
		"account refused": {ErrWalletRefused, nil, []string{connected}, walletRefused,
			"You declined in Fox. Nothing was sent."},
		"network unknown": {ErrWalletNetwork, nil, []string{connected}, walletNetwork,
			"Fox doesn’t know Ethereum. Add the network there, or pay by address."},
		"fails before": {other, nil, []string{connected}, walletFailed,
			"We can’t tell whether Fox sent it. Check there before you try again."},
		"transaction refused": {nil, ErrWalletRefused, []string{connected, sent},
			walletRefused, "You declined in Fox. Nothing was sent."},
		"changes chain": {nil, ErrWalletNetwork, []string{connected, sent},
			walletNetwork, "Fox doesn’t know Ethereum. Add the network there, or pay by address."},
		"does not say what it does": {nil, other, []string{connected, sent}, walletFailed,
			"We can’t tell whether Fox sent it. Check there before you try again."},
	} {
		t.Run(name, func(t *testing.T) {
			b := &walletFake{connects: c.connects, pays: c.pays}
			root, ctx, engine := withWallets(t, b)
			root.payByWallet(ctx, clicked(root))
			fortest.Equal(t, root.announcement, "Confirm in Fox.", "said while the wallet is asked")
			engine.ConsumeAll()
			fortest.Equal(t, strings.Join(b.asked, "; "), strings.Join(c.asked, "; "), "asked")
			if root.wallet.Phase != c.phase || root.announcement != c.says {
				t.Errorf("phase %d, said %q; want %d, %q", root.wallet.Phase, root.announcement, c.phase,
					c.says)
			}
			page := node.HTML(root)
			fortest.Has(t, "the words are not on the page", page, c.says)
			fortest.Equal(t, len(part(page, "wallet")) == 0, c.phase == walletSent,
				"buttons of wallets")
		})
	}
}

// One payment, whatever is clicked. A wallet that does not answer who it is keeps
// no shopper from trying another one.
func TestOneWalletRequestAtATime(t *testing.T) {
	b := &walletFake{}
	c, ctx, engine := withWallets(t, b)
	first := clicked(c)
	second := first
	second.Wallet = c.Page.Wallets[1]
	c.payByWallet(ctx, first)
	c.payByWallet(ctx, first)
	c.payByWallet(ctx, second)
	fortest.Equal(t, strings.Count(node.HTML(c), `aria-disabled="true"`), 1,
		"the button of the wallet that is asked can be pressed, or no other one")
	c.wallet.Sending = true
	fortest.Equal(t, strings.Count(node.HTML(c), `aria-disabled="true"`), 2,
		"the buttons of wallets can be pressed while one sends")
	c.wallet.Sending = false
	engine.ConsumeAll()
	pays := slices.DeleteFunc(slices.Clone(b.asked), func(s string) bool {
		return !strings.HasPrefix(s, "pay ")
	})
	if len(b.asked) != 3 || len(pays) != 1 || !strings.HasPrefix(pays[0], "pay Bird ") {
		t.Errorf("asked %q; want one payment, by the one that was clicked last", b.asked)
	}
}

// What was clicked is not sent any more when the page has moved on while the
// wallet asked its owner.
func TestStaleWalletRequest(t *testing.T) {
	for name, change := range map[string]func(*wire.View){
		"another attempt": func(v *wire.View) { v.Attempt.Number = 2 },
		"another sum": func(v *wire.View) {
			v.Attempt.Call = &wire.Call{ChainID: "0x1", To: "0x1", Value: "0x2", Data: "0x"}
		},
		"paid":          func(v *wire.View) { v.Status = wire.Confirmed },
		"expired":       func(v *wire.View) { v.Status = wire.Expired },
		"no more calls": func(v *wire.View) { v.Attempt.Call = nil },
	} {
		t.Run(name, func(t *testing.T) {
			b := &walletFake{}
			c, ctx, engine := withWallets(t, b)
			v := c.Page.View
			a := *v.Attempt
			v.Attempt = &a
			v.Version++
			change(&v)
			b.connecting = func() { ctx.Dispatch(func(ctx app.Context) { c.show(ctx, v) }) }
			c.payByWallet(ctx, clicked(c))
			engine.ConsumeAll()
			if len(b.asked) != 1 {
				t.Errorf("asked %q; want nothing after the account", b.asked)
			}
			fortest.Lacks(t, "the page speaks of what was not sent", node.HTML(c),
				"Fox has sent", "Confirm in")
		})
	}
}

// A click that comes after the page has moved on does nothing.
func TestStaleWalletButton(t *testing.T) {
	b := &walletFake{}
	c, ctx, engine := withWallets(t, b)
	m := clicked(c)
	m.Call.Value = "0x1"
	c.payByWallet(ctx, m)
	engine.ConsumeAll()
	if len(b.asked) != 0 || c.wallet.Phase != walletIdle {
		t.Errorf("asked %q", b.asked)
	}
}

func TestDiscover(t *testing.T) {
	for name, c := range map[string]struct {
		sample string
		change func(*widget.Page)
		want   int
	}{
		"something to send":     {"pending-uri", func(*widget.Page) {}, 1},
		"no call for this coin": {"pending", func(*widget.Page) {}, 0},
		"nothing chosen":        {"open", func(*widget.Page) {}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := &walletFake{}
			root, ctx, _ := live(t, c.sample, &b.browserFake)
			b.into(root.Host)
			root.discover(ctx)
			root.discover(ctx)
			fortest.Equal(t, b.discovered, c.want, "asked for wallets times")
		})
	}
}

// Wallets say what they like of themselves.
func TestAddWallet(t *testing.T) {
	c := &Checkout{}
	for _, w := range []widget.Wallet{
		{ID: "a", Name: "Fox\u202e\n  Wal\x00let\u200b", Icon: "data:image/png;base64,AA"},
		{ID: "a", Name: "Thief"},
		{ID: "b", Name: strings.Repeat("ä", 50), Icon: "https://evil.example/pixel.png"},
		{ID: "c", Name: " \u200b", RDNS: "io.bird"},
		{ID: "d"},
		{Name: "without an id"},
		{
			ID:   "e",
			Name: "Big",
			Icon: "data:image/png;base64," +
				strings.Repeat("A", widget.MaxWalletIcon),
		},
		{ID: "f", Name: "<b>{wallet}</b>", Icon: "data:text/html,x"},
	} {
		c.addWallet(w)
	}
	want := []widget.Wallet{
		{ID: "a", Name: "Fox Wallet", Icon: "data:image/png;base64,AA"},
		{ID: "b", Name: strings.Repeat("ä", 39) + "…"},
		{ID: "c", Name: "io.bird", RDNS: "io.bird"},
		{ID: "e", Name: "Big"},
		{ID: "f", Name: "<b>{wallet}</b>"},
	}
	if len(c.Page.Wallets) != len(want) {
		t.Fatalf("wallets %+v; want %+v", c.Page.Wallets, want)
	}
	for i, w := range want {
		if c.Page.Wallets[i] != w {
			t.Errorf("wallet %d = %+v; want %+v", i, c.Page.Wallets[i], w)
		}
	}
	for i := range 30 {
		c.addWallet(widget.Wallet{ID: "flood" + string(rune('a'+i)), Name: "Flood"})
	}
	fortest.Equal(t, len(c.Page.Wallets), widget.MaxWallets, "wallets")
}

// A frame without wallets offers the page in a new tab; with a wallet
// there, and outside a frame, it does not.
func TestWalletTab(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*widget.Page)
		want   string
	}{
		"frame": {func(p *widget.Page) {
			p.Embed = "inline"
			p.Origin = "https://shop.example"
		}, `href="/checkout/cs_gallery?lang=de"`},
		"frame, wallets": {func(p *widget.Page) {
			p.Embed = "inline"
			p.Origin = "https://shop.example"
			p.Wallets = []widget.Wallet{{ID: "a", Name: "A"}}
		}, ""},
		"alone": {func(*widget.Page) {}, ""},
		"no call": {func(p *widget.Page) {
			p.Embed = "inline"
			p.Origin = "https://shop.example"
			p.View.Attempt.Call = nil
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := screentest.NewSample("", wire.Pending, screentest.Attempt(screentest.Ether)).Page
			p.Text = english(t)
			p.Carry = []widget.Field{{Name: "embed", Value: "inline"}, {Name: "origin", Value: "https://shop.example"},
				{Name: "theme", Value: "dark"}, {Name: "lang", Value: "de"}, {Name: "qr", Value: "uri"}}
			c.change(&p)
			got := strings.Join(part(node.HTML(&Checkout{Page: p}), "browser-tab"), "")
			if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("link %q; want one with %s", got, c.want)
			}
			if got != "" &&
				(!strings.Contains(got, `rel="noopener"`) ||
					!strings.Contains(got, `target="_blank"`)) {
				t.Errorf("link %s", got)
			}
		})
	}
}
