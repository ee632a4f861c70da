package screen

import (
	"strings"

	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"
)

// walletsInSight is how many links of wallets are in sight; the others are folded.
const walletsInSight = 3

// walletNote says what to do if a wallet has not opened, which a page cannot see. static/program.js
// fills it when the shopper is back.
func walletNote(p widget.Page) node.Node {
	return node.If(p.LeadsToWallets(), func() node.Node {
		return node.El("div").Class("note warn").Attr("role", "status").
			Attr("data-part", "wallet-back").Attr("data-help", p.T("pay.apps.help"))
	})
}

// walletLinks are the links that open wallets on a phone, as a list like that of the coins.
func walletLinks(p widget.Page, a wire.Attempt) node.Node {
	if !p.LeadsToWallets() {
		return node.Text("")
	}
	rows := make([]node.Node, 0, len(a.Wallets))
	for _, w := range p.WalletLinks() {
		rows = append(rows, walletLink(p, w))
	}
	inSight := min(walletsInSight, len(rows))
	folded := append(rows[inSight:], otherWallets(p, a)...)
	return node.El("section").Class("apps").Attr("aria-labelledby", "coinslot-apps").Body(
		node.El("h2").ID("coinslot-apps").Text(p.T("pay.apps")),
		node.El("div").Class("coins").Body(
			node.El("ul").Attr("data-part", "wallets").Body(rows[:inSight]...),
			node.If(len(folded) > 0, func() node.Node { return moreWallets(p, folded) }),
		),
		node.El("p").Class("small center no-script").Text(p.T("pay.apps.short")),
	)
}

// moreWallets are the folded rows.
func moreWallets(p widget.Page, rows []node.Node) node.Node {
	return widget.Details("more", p.Opened == "apps").Body(
		node.El("summary").Text(p.T("pay.apps.more")),
		widget.NoScriptLink(p, "apps", p.T("pay.apps.more")),
		node.El("ul").Class("more").Body(rows...),
	)
}

// walletLink is the row of a wallet.
func walletLink(p widget.Page, w wire.WalletLink) node.Node {
	note := "pay.apps.page"
	if w.Fills {
		note = "pay.apps.fills"
	}
	link := node.El("a").Attr("data-part", "wallet").Attr("data-value", w.ID).Attr("href", w.Link).
		Attr("data-asks", p.T("pay.apps.asks", "wallet", w.Name))
	if p.Embed != "" || strings.HasPrefix(w.Link, "https:") {
		inNewTab(link) // a frame cannot open an app by its scheme
	}
	name := node.El("bdi").Attr("translate", "no").Text(w.Name)
	return walletRow(link, w.Mark, name, p.T(note))
}

// otherWallets are the last rows: the standard link, which any wallet may claim, and in a frame the
// page in a tab of its own, where wallets of the browser can access it.
func otherWallets(p widget.Page, a wire.Attempt) []node.Node {
	var rows []node.Node
	if a.URI != "" {
		link := node.El("a").Attr("data-part", "open-wallet").Attr("href", a.URI)
		rows = append(rows, walletRow(link, "…", node.Text(p.T("pay.apps.other")), ""))
	}
	if offersTab(p, a) {
		link := inNewTab(node.El("a").Class("needs-script").Attr("data-part", "browser-tab").
			Attr("href", p.Standalone().Link("")))
		name := node.Text(p.T("pay.browser.tab"))
		rows = append(rows, walletRow(link, "…", name, p.T("pay.browser.tab.why")))
	}
	return rows
}

func inNewTab(link *node.Element) *node.Element {
	return link.Attr("target", "_blank").Attr("rel", "noopener")
}

// walletRow is a link as a row: a mark of letters in place of a logo, a name, and what the link
// does, if that is not "".
func walletRow(link *node.Element, mark string, name node.Node, note string) node.Node {
	return node.El("li").Class("coin").Body(link.Class("coin-head").Body(widget.WithSpaces(
		node.El("span").Class("coin-icon app-mark").Attr("aria-hidden", "true").Text(mark),
		node.El("span").Class("coin-name").Body(
			node.El("strong").Body(name), node.Text(" "),
			node.If(note != "", func() node.Node { return node.El("small").Text(note) })),
	)...))
}
