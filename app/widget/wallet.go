package widget

import (
	"errors"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"coinslot/app/widget/node"
	"coinslot/app/wire"
)

// Wallets in the browser (EIP-6963, EIP-1193). They are asked by this page
// only. In a frame that no wallet looks into, the shopper is given a link to the
// same page in a tab of its own. The transaction is never handed to the host
// page to be sent from there: any script of the host page could change its
// recipient or sum, and to keep them out of reach is what the frame is for.

// Wallet is one that has announced itself in this browser. Its words come from
// a stranger.
type Wallet struct {
	ID   string // of the announcement, unique in the page
	Name string // plain text of at most 40 characters
	Icon string // data: URL of a picture; empty if there is none
	RDNS string // reversed domain name of its maker, as it says; may be empty
}

const (
	walletsLimit    = 12      // more would be a flood
	walletNameLimit = 40      // characters
	walletIconLimit = 100_000 // bytes
)

// Errors of Host.Connect and Host.Pay that have sentences of their own. Any
// other error means that it is not known whether something was sent.
var (
	ErrWalletRefused = errors.New("paying by a wallet: declined in the wallet")
	ErrWalletNetwork = errors.New("paying by a wallet: the wallet does not know the network")
)

// tidy returns w as it may be shown; ok is false if there is nothing to show.
func (w Wallet) tidy() (tidied Wallet, ok bool) {
	w.Name, w.RDNS = plain(w.Name), plain(w.RDNS)
	if w.Name == "" {
		w.Name = w.RDNS
	}
	if !strings.HasPrefix(w.Icon, "data:image/") || len(w.Icon) > walletIconLimit {
		w.Icon = ""
	}
	return w, w.ID != "" && w.Name != ""
}

// plain returns one line of text, without invisible characters and cut to what
// fits on a button.
func plain(s string) string {
	if len(s) > pastedLimit {
		s = s[:pastedLimit]
	}
	s = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unseen(r) && r != '\t' && r != '\n' && r != '\r' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))), " ")
	if runes := []rune(s); len(runes) > walletNameLimit {
		s = strings.TrimSpace(string(runes[:walletNameLimit-1])) + "…"
	}
	return s
}

// walletPhase is how far a request to a wallet has come.
type walletPhase int

const (
	walletIdle    walletPhase = iota
	walletAsking              // the shopper has to look into the wallet
	walletSent                // the wallet says that it has sent it
	walletRefused             // declined: nothing was sent
	walletNetwork             // the wallet does not know the network: nothing was sent
	walletFailed              // not known whether it was sent
)

// payment is what one click on a wallet's button asks for.
type payment struct {
	Wallet Wallet
	Number int // of the attempt
	Call   wire.Call
}

// walletRequest is the latest payment by a wallet and how far it has come.
type walletRequest struct {
	payment
	Phase   walletPhase
	Sending bool // the wallet has been asked to send, not just who it is
}

// busy reports whether m has to wait for r. A wallet that does not answer who it
// is keeps nobody from trying another one.
func (r walletRequest) busy(m payment) bool {
	return r.Phase == walletAsking && (r.Sending || r.Wallet.ID == m.Wallet.ID)
}

// about returns r if it is about what the page shows now, else an idle one: what
// was said of another attempt, or of another sum, does not count any more.
func (r walletRequest) about(p Page) walletRequest {
	if !r.onScreen(p) {
		return walletRequest{}
	}
	return r
}

// onScreen reports whether p shows the attempt and the sum that was clicked.
func (m payment) onScreen(p Page) bool {
	a := p.View.Attempt
	return screenOf(p) == "pay" && a != nil && a.Call != nil && !p.Exchange &&
		a.Number == m.Number && *a.Call == m.Call
}

// discover asks for wallets, once there is something that they can send.
func (c *Checkout) discover(ctx app.Context) {
	a := c.Page.View.Attempt
	if c.discovering || a == nil || a.Call == nil || c.Page.Exchange || c.Host.Wallets == nil {
		return
	}
	c.discovering = true
	c.Host.Wallets(func(w Wallet) { ctx.Dispatch(func(app.Context) { c.announced(w) }) })
}

// announced takes a wallet into the list. The first of an id stays, so that a
// later one cannot take over its button.
func (c *Checkout) announced(w Wallet) {
	w, ok := w.tidy()
	if !ok || len(c.Page.Wallets) >= walletsLimit {
		return
	}
	for _, have := range c.Page.Wallets {
		if have.ID == w.ID {
			return
		}
	}
	c.Page.Wallets = append(c.Page.Wallets, w)
}

// pay asks a wallet to pay: first for the account and the network, then, if what
// was clicked is still on screen, for the transaction. While one request is on
// its way no second one is begun.
func (c *Checkout) pay(ctx app.Context, m payment) {
	if !m.onScreen(c.Page) || c.wallet.about(c.Page).busy(m) {
		return
	}
	c.wallet = walletRequest{payment: m, Phase: walletAsking}
	c.said = c.Page.walletSays(c.wallet)
	ctx.Async(func() {
		from, err := c.Host.Connect(m.Wallet.ID, m.Call.ChainID)
		ctx.Dispatch(func(ctx app.Context) { c.connected(ctx, m, from, err) })
	})
}

// connected goes on to the transaction, unless things have moved on.
func (c *Checkout) connected(ctx app.Context, m payment, from string, err error) {
	switch {
	case c.wallet.payment != m:
		return // another one has been asked for since
	case !m.onScreen(c.Page):
		if c.said == c.Page.walletSays(c.wallet) {
			c.said = "" // nobody is to confirm it any more
		}
		c.wallet = walletRequest{}
		return
	case err != nil:
		c.paid(m, err)
		return
	}
	c.wallet.Sending = true
	ctx.Async(func() {
		err := c.Host.Pay(m.Wallet.ID, from, m.Call)
		ctx.Dispatch(func(app.Context) { c.paid(m, err) })
	})
}

// paid takes a wallet's answer.
func (c *Checkout) paid(m payment, err error) {
	if err == nil {
		c.look()
	}
	if c.wallet.payment != m {
		return
	}
	c.wallet.Phase = phaseOf(err)
	if m.onScreen(c.Page) {
		c.said = c.Page.walletSays(c.wallet)
	}
}

func phaseOf(err error) walletPhase {
	switch {
	case err == nil:
		return walletSent
	case errors.Is(err, ErrWalletRefused):
		return walletRefused
	case errors.Is(err, ErrWalletNetwork):
		return walletNetwork
	}
	return walletFailed
}

// walletSays is the sentence about a request; empty if there is none.
func (p Page) walletSays(r walletRequest) string {
	name := r.Wallet.Name
	switch r.Phase {
	case walletAsking:
		return p.say("pay.browser.asking", "wallet", name)
	case walletSent:
		return p.say("pay.browser.sent", "wallet", name)
	case walletRefused:
		return p.say("pay.browser.refused", "wallet", name)
	case walletNetwork:
		return p.say("pay.browser.network", "wallet", name, "network", p.View.Attempt.NetworkName)
	case walletFailed:
		return p.say("pay.browser.failed", "wallet", name)
	case walletIdle:
	}
	return ""
}

// wallets are the buttons of the wallets in this browser and what the last one
// had to say. A frame that no wallet looks into offers the page on its own.
func wallets(p Page, a wire.Attempt, r walletRequest) node.Node {
	if a.Call == nil || p.Exchange {
		return node.Text("")
	}
	if len(p.Wallets) == 0 {
		return node.If(p.Embed != "" && a.Address != "", func() node.Node { return walletTab(p) })
	}
	list := make([]node.Node, 0, len(p.Wallets))
	for _, w := range p.Wallets {
		list = append(list, walletButton(p, payment{Wallet: w, Number: a.Number, Call: *a.Call}, r))
	}
	return el("section").Class("wallets").Attr("aria-labelledby", "coinslot-wallets").Body(
		el("h2").ID("coinslot-wallets").Class("wallets-title").Text(p.say("pay.browser")),
		node.If(r.Phase != walletSent, func() node.Node {
			return el("div").Class("wallets-list").Body(list...)
		}),
		node.If(r.Phase != walletIdle, func() node.Node {
			class := "note"
			if r.Phase >= walletRefused {
				class = "note warn"
			}
			return el("p").Class(class).Text(p.walletSays(r))
		}),
	)
}

func walletButton(p Page, m payment, r walletRequest) node.Node {
	return el("button").Attr("type", "button").Class("button wallet").Attr("data-part", "wallet").
		Attr("data-value", m.Wallet.RDNS).
		Bool("aria-disabled", r.busy(m)).
		Body(
			node.If(m.Wallet.Icon != "", func() node.Node {
				return void("img").Class("wallet-icon").Attr("src", m.Wallet.Icon).
					Attr("role", "presentation").Attr("aria-hidden", "true").Attr("width", "24").
					Attr("height", "24")
			}),
			el("span").Text(p.say("pay.browser.with", "wallet", m.Wallet.Name)),
		).
		On("click", func(ctx app.Context, _ app.Event) { ctx.NewActionWithValue(actionPay, m) },
			m.Wallet.ID, strconv.Itoa(m.Number), m.Call.ChainID, m.Call.To, m.Call.Value,
			m.Call.Data)
}

// walletTab opens this page on its own, where wallets can see it.
func walletTab(p Page) node.Node {
	return el("p").Class("wallets-tab needs-script").Body(
		el("a").Class("button").Attr("data-part", "browser-tab").Attr("href", p.Bare().Link("")).
			Attr("target", "_blank").Attr("rel", "noopener").
			Attr("aria-describedby", "coinslot-tab-why").Text(p.say("pay.browser.tab")),
		el("small").ID("coinslot-tab-why").Text(p.say("pay.browser.tab.why")),
	)
}
