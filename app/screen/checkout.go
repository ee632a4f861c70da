package screen

import (
	"context"
	"strconv"
	"time"

	"coinslot/app/feed"
	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Checkout is the root of the page: it holds the view, chooses the screen by status, and keeps the
// view current in a browser.
type Checkout struct {
	app.Compo

	Page widget.Page
	// Host is the browser; nil on the server, which only renders.
	Host *Host
	// Search is what was typed into the search field before the takeover.
	Search string

	busy          bool         // a request of the shopper is under way
	slow          bool         // it takes long
	sent          int          // number of the latest request
	asked         string       // its Sub
	note          string       // what it found, for a while; empty = nothing to say
	priceRequests int          // how many were sent; only the last answer counts
	offline       bool         // the last requests had no answer
	problem       *wire.Error  // why the last request failed; nil if it did not
	announcement  string       // for screen readers
	at            time.Time    // arrival of the view
	lastPayable   wire.Attempt // until the payment ends; zero for none
	feed          *feed.Feed   // nil while nothing is stored
	stopFeeding   context.CancelFunc

	discovering bool          // wallets were asked to announce themselves
	wallet      walletRequest // the latest one
}

// OnInit notes when the view came, before the first rendering.
func (c *Checkout) OnInit() { c.at = time.Now() }

// OnMount makes the page live. It is rendered as such already.
func (c *Checkout) OnMount(ctx app.Context) {
	c.takeOver(ctx)
	ctx.PreventUpdate()
}

// OnDismount ends what takeOver has started.
func (c *Checkout) OnDismount() { c.stopFeed() }

// Draw draws order, steps, announcements, the screen with its error, foot and sandbox.
func (c *Checkout) Draw() *node.Element {
	p := c.Page
	return node.El("main").ID("coinslot").Class("checkout"+widget.TextIf(p.Embed == "", " page")+
		widget.TextIf(p.View.Order.AmountUSD != "", " wide")+
		widget.TextIf(p.Lang == "ko", " spaced")).
		Attr("data-status", string(p.View.Status)).Attr("data-live", c.driver()).
		Attr("data-session", p.View.Session).
		Attr("data-version", strconv.FormatInt(p.View.Version, 10)).Attr("data-base", p.Base).
		Attr("data-embed", p.Embed).Attr("data-title", p.Title()).Attr("data-icon", p.Icon()).
		Attr("data-receipt", p.View.Receipt).
		Body(widget.OrderHead(p),
			widget.Steps(p),
			node.El("p").Class("announce").Attr("role", "status").Attr("aria-live", "polite").
				Text(c.announcement),
			node.El("section").Class("stage").Attr("aria-labelledby", widget.HeadingID).
				Body(c.errorNote(), c.screen()),
			widget.OrderFoot(p),
			widget.SimulateBar(p))
}

// driver is the value of data-live: "wasm" once WebAssembly has taken over, else "html".
func (c *Checkout) driver() string {
	if c.Host != nil {
		return "wasm"
	}
	return "html"
}

// paidZone is the browser's time zone when the payment arrived; UTC on the server.
func (c *Checkout) paidZone() widget.Zone {
	if c.Host == nil || c.Host.Zone == nil {
		return widget.Zone{}
	}
	return c.Host.Zone(c.Page.View.LatestAttempt().PaidAt, c.Page.Lang)
}

// errorNote shows why the last request failed, or else the view's notice. A notice without a code
// is information, not an error.
func (c *Checkout) errorNote() node.Node {
	notice := c.Page.View.Notice
	switch {
	case c.slow:
		return node.El("p").Class("note").Attr("data-part", "slow").Text(c.Page.T("error.busy"))
	case screenOf(c.Page) == "choose":
		return node.Text("") // the chooser has a better place for it
	case c.problem != nil:
		return errorText(c.problem.Code, c.problem.Detail).Class("note")
	case notice == nil || tellsNotice(c.Page):
		return node.Text("")
	case notice.Code == "":
		return node.El("p").Class("note").Text(notice.Message)
	}
	return errorText(notice.Code, notice.Message).Class("note")
}

// errorText shows an error. frame.js reports its code to the host page.
func errorText(code wire.Code, text string) *node.Element {
	return node.El("p").Class("error").Attr("data-part", "error").Attr("data-code", string(code)).
		Attr("data-fix", fixes[code]).
		Attr("role", "alert").Text(text)
}

// screen draws the screen of the status.
func (c *Checkout) screen() node.Node {
	p := c.Page
	switch screenOf(p) {
	case "refused":
		return &refused{Page: p}
	case "closed":
		return &closed{Page: p}
	case "choose":
		return &chooser{
			Page: p, Search: c.Search, Busy: c.busy, Problem: c.problem, Wrong: c.invalidField(),
		}
	case "pay":
		return &pay{Page: p, At: c.at, Offline: c.offline, Busy: c.busy, Note: c.note,
			Looking: c.busy && c.asked == "/recheck", Wallet: c.wallet.about(p)}
	case "seen":
		return &seen{Page: p, At: c.at, Offline: c.offline}
	case "confirmed":
		return &confirmed{Page: p, Zone: c.paidZone()}
	case "expired", "cancelled":
		return &ended{Page: p, Busy: c.busy}
	case "review":
		return &review{Page: p, At: c.at, Offline: c.offline, Busy: c.busy}
	}
	return &preparing{Page: p, At: c.at, Offline: c.offline, Busy: c.busy}
}

// IsFirst reports whether a page shows no more than the first ones of an order, which need the
// least styles.
func IsFirst(p widget.Page) bool {
	switch screenOf(p) {
	case "choose", "pay":
		return p.Offer == nil && len(p.Simulate) == 0 && p.Pasted == "" &&
			p.View.LatestAttempt().PaidAmount == ""
	}
	return false
}

// screenOf names the screen of a page. An unknown status is shown as "preparing".
func screenOf(p widget.Page) string {
	if p.Embed != "" && p.Origin == "" {
		return "refused"
	}
	switch p.View.Status {
	case wire.Open:
		if len(p.View.Currencies) == 0 {
			return "closed"
		}
		return "choose"
	case wire.Pending:
		if widget.Arrived(p.View) {
			return "seen"
		}
		if p.Changing && p.View.Can(wire.Change) {
			return "choose"
		}
		return "pay"
	case wire.Expired, wire.Cancelled:
		if p.Changing && p.View.Can(wire.Retry) {
			return "choose"
		}
		return string(p.View.Status)
	case wire.Confirmed, wire.Review, wire.Preparing:
	}
	return string(p.View.Status.Shown())
}
