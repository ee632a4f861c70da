package screen

import (
	"errors"
	"slices"
	"strconv"

	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Errors of Host.Connect and Host.Pay with texts of their own. With any other error it is unknown
// whether something was sent.
var (
	ErrWalletRefused = errors.New("paying by wallet: declined by the shopper")
	ErrWalletNetwork = errors.New("paying by wallet: unknown network")
)

// walletPhase is the state of a request to a wallet.
type walletPhase int

const (
	walletIdle    walletPhase = iota
	walletAsking              // the shopper has to confirm in the wallet
	walletSent                // says the wallet
	walletRefused             // declined: nothing was sent
	walletNetwork             // unknown to the wallet: nothing was sent
	walletFailed              // unknown whether it was sent
)

// payment is what a click on a wallet's button requests.
type payment struct {
	Wallet widget.Wallet
	Number int // of the attempt
	Call   wire.Call
}

// walletRequest is a payment by a wallet with its state.
type walletRequest struct {
	payment
	Phase   walletPhase
	Sending bool // the wallet was asked to send, not only to connect
}

// busy reports whether m has to wait for r. While a wallet only connects, another one may be tried.
func (r walletRequest) busy(m payment) bool {
	return r.Phase == walletAsking && (r.Sending || r.Wallet.ID == m.Wallet.ID)
}

// about returns r if it is about the attempt and amount on the page, else an idle request.
func (r walletRequest) about(p widget.Page) walletRequest {
	if !r.onScreen(p) {
		return walletRequest{}
	}
	return r
}

// onScreen reports whether p shows the attempt and amount that were clicked.
func (pm payment) onScreen(p widget.Page) bool {
	a := p.View.Attempt
	return screenOf(p) == "pay" && a != nil && a.Call != nil &&
		a.Number == pm.Number && *a.Call == pm.Call
}

// discover looks for wallets, once there is something that they can send.
func (c *Checkout) discover(ctx app.Context) {
	a := c.Page.View.Attempt
	if c.discovering || a == nil || a.Call == nil || c.Host.Wallets == nil {
		return
	}
	c.discovering = true
	c.Host.Wallets(func(w widget.Wallet) { ctx.Dispatch(func(app.Context) { c.addWallet(w) }) })
}

// addWallet adds a wallet to the list, unless its id is taken: a later wallet must not take over a
// button.
func (c *Checkout) addWallet(w widget.Wallet) {
	w, ok := w.Sanitize()
	if !ok || len(c.Page.Wallets) >= widget.MaxWallets {
		return
	}
	if !slices.ContainsFunc(c.Page.Wallets, func(o widget.Wallet) bool { return o.ID == w.ID }) {
		c.Page.Wallets = append(c.Page.Wallets, w)
	}
}

// payByWallet asks a wallet to connect and then, if what was clicked is still on screen, to send
// the transaction. There is one request at a time.
func (c *Checkout) payByWallet(ctx app.Context, m payment) {
	if !m.onScreen(c.Page) || c.wallet.about(c.Page).busy(m) {
		return
	}
	c.wallet = walletRequest{payment: m, Phase: walletAsking}
	c.announcement = walletMessage(c.Page, c.wallet)
	ctx.Async(func() {
		from, err := c.Host.Connect(m.Wallet.ID, m.Call.ChainID)
		ctx.Dispatch(func(ctx app.Context) { c.sendByWallet(ctx, m, from, err) })
	})
}

// sendByWallet asks a connected wallet to send, unless the page has changed since.
func (c *Checkout) sendByWallet(ctx app.Context, m payment, from string, err error) {
	switch {
	case c.wallet.payment != m:
		return // the shopper has clicked another one since
	case !m.onScreen(c.Page):
		if c.announcement == walletMessage(c.Page, c.wallet) {
			c.announcement = "" // there is nothing to confirm any more
		}
		c.wallet = walletRequest{}
		return
	case err != nil:
		c.walletAnswered(m, err)
		return
	}
	c.wallet.Sending = true
	ctx.Async(func() {
		err := c.Host.Pay(m.Wallet.ID, from, m.Call)
		ctx.Dispatch(func(app.Context) { c.walletAnswered(m, err) })
	})
}

// walletAnswered handles a wallet's answer.
func (c *Checkout) walletAnswered(m payment, err error) {
	if err == nil {
		c.refresh()
	}
	if c.wallet.payment != m {
		return
	}
	c.wallet.Phase = phaseOf(err)
	if m.onScreen(c.Page) {
		c.announcement = walletMessage(c.Page, c.wallet)
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

// walletMessage is the text about a request; empty if it is idle.
func walletMessage(p widget.Page, r walletRequest) string {
	name := r.Wallet.Name
	switch r.Phase {
	case walletAsking:
		return p.T("pay.browser.asking", "wallet", name)
	case walletSent:
		return p.T("pay.browser.sent", "wallet", name)
	case walletRefused:
		return p.T("pay.browser.refused", "wallet", name)
	case walletNetwork:
		return p.T("pay.browser.network", "wallet", name, "network", p.View.Attempt.NetworkName)
	case walletFailed:
		return p.T("pay.browser.failed", "wallet", name)
	case walletIdle:
	}
	return ""
}

// wallets are the buttons of the browser's wallets and the result of the latest request. A frame
// without wallets offers the page in a new tab.
func wallets(p widget.Page, a wire.Attempt, r walletRequest) node.Node {
	if a.Call == nil {
		return node.Text("")
	}
	if len(p.Wallets) == 0 {
		isButton := offersTab(p, a) && !p.LeadsToWallets()
		return node.If(isButton, func() node.Node { return walletTabLink(p) })
	}
	list := make([]node.Node, 0, len(p.Wallets))
	for _, w := range p.Wallets {
		list = append(list, walletButton(p, payment{Wallet: w, Number: a.Number, Call: *a.Call}, r))
	}
	return node.El("section").Class("actions wallets").Attr("aria-label", p.T("pay.browser")).Body(
		node.If(r.Phase != walletSent, func() node.Node {
			return node.El("div").Class("actions").Body(list...)
		}),
		node.If(r.Phase != walletIdle, func() node.Node {
			return node.El("p").Class("note" + widget.TextIf(r.Phase >= walletRefused, " warn")).
				Text(walletMessage(p, r))
		}),
	)
}

func walletButton(p widget.Page, m payment, r walletRequest) node.Node {
	return node.El("button").Attr("type", "button").Class("button wallet").
		Attr("data-part", "wallet").Attr("data-value", m.Wallet.RDNS).
		Bool("aria-disabled", r.busy(m)).
		Body(
			node.If(m.Wallet.Icon != "", func() node.Node {
				return node.Void("img").Class("wallet-icon").Attr("src", m.Wallet.Icon).
					Attr("aria-hidden", "true").Attr("width", "24").Attr("height", "24")
			}),
			node.El("span").Text(p.T("pay.browser.with", "wallet", m.Wallet.Name)),
		).
		On("click",
			func(ctx app.Context, _ app.Event) { ctx.NewActionWithValue(widget.ActionPay, m) },
			m.Wallet.ID, strconv.Itoa(m.Number), m.Call.ChainID, m.Call.To, m.Call.Value,
			m.Call.Data)
}

// offersTab reports whether the page leads to itself in a new tab: it is framed, and has found no
// wallet that can send.
func offersTab(p widget.Page, a wire.Attempt) bool {
	return p.Embed != "" && a.Address != "" && a.Call != nil && len(p.Wallets) == 0
}

// walletTabLink opens this page in a new tab, which wallets can access.
func walletTabLink(p widget.Page) node.Node {
	return node.El("p").Class("actions needs-script").Body(
		node.El("a").Class("button").Attr("data-part", "browser-tab").
			Attr("href", p.Standalone().Link("")).Attr("target", "_blank").Attr("rel", "noopener").
			Attr("aria-describedby", "coinslot-tab-why").Text(p.T("pay.browser.tab")),
		node.El("small").Class("center").ID("coinslot-tab-why").Text(p.T("pay.browser.tab.why")),
	)
}
