package screen

import (
	"context"
	"reflect"
	"time"

	"coinslot/app/feed"
	"coinslot/app/json"
	"coinslot/app/widget"
	"coinslot/app/wire"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// takeOver makes the page live: it handles the actions of parts, restores what was typed, and keeps
// the view current from now on.
func (c *Checkout) takeOver(ctx app.Context) {
	if c.Host == nil {
		return
	}
	c.isExtension(c.Page.View)
	ctx.Handle(widget.ActionSend, func(ctx app.Context, a app.Action) {
		c.send(ctx, a.Value.(widget.Request))
	})
	ctx.Handle(widget.ActionChange, func(ctx app.Context, a app.Action) {
		c.showChooser(ctx, a.Value.(bool))
	})
	ctx.Handle(widget.ActionAnnounce,
		func(_ app.Context, a app.Action) { c.announcement = a.Value.(string) })
	ctx.Handle(widget.ActionFail, func(ctx app.Context, a app.Action) {
		c.fail(ctx, &wire.Error{Detail: a.Value.(string)})
	})
	ctx.Handle(widget.ActionCopy, func(ctx app.Context, a app.Action) {
		c.copy(ctx, a.Value.(widget.CopyRequest))
	})
	ctx.Handle(widget.ActionRefresh, func(app.Context, app.Action) { c.refresh() })
	ctx.Handle(widget.ActionQR, func(_ app.Context, a app.Action) { c.setQR(a.Value.(string)) })
	ctx.Handle(widget.ActionPrice, func(ctx app.Context, a app.Action) {
		c.fetchPrice(ctx, a.Value.(offerInput))
	})
	ctx.Handle(widget.ActionPay, func(ctx app.Context, a app.Action) {
		c.payByWallet(ctx, a.Value.(payment))
	})
	c.Host.WatchNetwork(func() { ctx.NewAction(widget.ActionNetwork) })
	c.startFeed(ctx)
	c.discover(ctx)
}

// setQR changes what the QR code holds, also for a reload.
func (c *Checkout) setQR(kind string) {
	c.Page = c.Page.WithQR(kind)
	c.Host.ReplaceURL(c.Page.Link(""))
}

// startFeed keeps the view of the session current until stopFeed. While nothing is stored, there is
// nothing to fetch.
func (c *Checkout) startFeed(ctx app.Context) {
	c.stopFeed()
	if c.Page.View.Session == "" {
		return
	}
	running, cancel := context.WithCancel(context.Background())
	base, lang := c.Page.Base, "?lang="+c.Page.Lang // the feed reads them while the page changes
	c.stopFeeding = cancel
	c.feed = feed.New(feed.Config{
		Fetch: func(ctx context.Context) (wire.View, error) {
			return c.Host.view(ctx, base+"/view"+lang)
		},
		Dial: func(ctx context.Context) (feed.Socket, error) {
			return c.Host.Dial(ctx, base+"/live"+lang)
		},
		OnView:    func(v wire.View) { ctx.Dispatch(func(ctx app.Context) { c.receive(ctx, v) }) },
		OnOffline: func(is bool) { ctx.Dispatch(func(app.Context) { c.offline = is }) },
		Version:   c.Page.View.Version,
	})
	f := c.feed
	if c.Page.Embed == "modal" && c.Page.View.Status == wire.Open {
		f.Pause() // a prewarmed frame connects when it is shown
	}
	c.Host.WatchTab(f.Resume, f.Pause)
	go f.Run(running)
}

// refresh fetches the view now.
func (c *Checkout) refresh() {
	if c.feed != nil {
		c.feed.Resume()
	}
}

func (c *Checkout) stopFeed() {
	if c.stopFeeding != nil {
		c.stopFeeding()
		c.stopFeeding = nil
	}
}

// receive takes a view of the feed. If only times differ, it redraws only these.
func (c *Checkout) receive(ctx app.Context, v wire.View) {
	if c.offline || !reflect.DeepEqual(c.Page.View.Timeless(), v.Timeless()) {
		c.show(ctx, v)
		return
	}
	c.Page.View = v
	c.at = time.Now()
	ctx.NewActionWithValue(widget.ActionViewTime, widget.ViewTime{View: v, At: c.at})
	ctx.PreventUpdate()
}

// show shows a view, unless it is older than the one on screen.
func (c *Checkout) show(ctx app.Context, v wire.View) {
	old := c.Page.View
	if v.Session == old.Session && v.Version < old.Version {
		return
	}
	c.Page.View = v
	c.at = time.Now()
	c.offline = false
	if old.Session == "" && v.Session != "" {
		c.Page = c.Page.WithSession(v.Session)
		c.Host.ReplaceURL(c.Page.Link(""))
		c.startFeed(ctx)
	}
	a := v.LatestAttempt()
	isNew := a.Number != old.LatestAttempt().Number
	if isNew && c.Host.LastWallet != nil {
		c.Page.LastWallet = c.Host.LastWallet() // not before: rows do not move under a finger
	}
	if isNew && v.Attempt != nil {
		c.Page.Chosen = a.CurrencySymbol
		c.Page.ChosenNetwork = widget.NetworkKey(a.CurrencySymbol, a.NetworkCode)
	}
	c.discover(ctx)
	isExtension := c.isExtension(v)
	if isNew || old.Status != v.Status {
		c.problem, c.busy, c.slow = nil, false, false // what is pressed on this screen is a new request
		c.announceScreen(ctx)
		if isExtension {
			c.announcement = c.Page.T("said.extended")
		}
	} else if partial(v) && !partial(old) || widget.Arrived(v) && !widget.Arrived(old) {
		c.announceScreen(ctx)
	}
}

// announceScreen announces a new screen and focuses its heading.
func (c *Checkout) announceScreen(ctx app.Context) {
	c.Page.Changing = false
	c.Search = ""
	c.note = ""
	c.announcement = c.Page.T("said." + announcementKey(c.Page.View))
	ctx.Defer(func(app.Context) { c.Host.Focus("#" + widget.HeadingID) })
}

// isExtension reports whether v is the result of wire.Extend: a new attempt with the same coin and
// network, and the payment has not ended in between.
func (c *Checkout) isExtension(v wire.View) bool {
	switch {
	case v.Status == wire.Preparing:
		return false
	case v.Status != wire.Pending || v.Attempt == nil:
		c.lastPayable = wire.Attempt{}
		return false
	}
	was := c.lastPayable
	is := *v.Attempt
	c.lastPayable = is
	return was.Number != 0 && is.Number > was.Number &&
		is.CurrencySymbol == was.CurrencySymbol && is.NetworkCode == was.NetworkCode
}

// announcementKey is the last part of the key of a view's announcement.
func announcementKey(v wire.View) string {
	switch {
	case partial(v) && v.Status == wire.Pending:
		return "partial"
	case widget.Arrived(v):
		return "seen"
	}
	return string(v.Status.Shown())
}

func partial(v wire.View) bool {
	a := v.LatestAttempt()
	return a.PaidAmount != "" && a.MissingAmount != ""
}

// showChooser shows or hides the chooser.
func (c *Checkout) showChooser(ctx app.Context, show bool) {
	c.Page.Changing = show
	c.Search = ""
	c.problem = nil
	ctx.Defer(func(app.Context) { c.Host.Focus("#" + widget.HeadingID) })
}

// copy puts a value on the clipboard, off the UI goroutine because the browser may ask the shopper
// first. If that fails it selects the text, for the shopper's Ctrl+C.
func (c *Checkout) copy(ctx app.Context, r widget.CopyRequest) {
	ctx.Async(func() {
		err := c.Host.Copy(r.Value)
		if err != nil && c.Host.Select != nil {
			c.Host.Select(`[data-part="` + r.Part + `"]`)
		}
		r.Done(err)
	})
}

// send makes one request of the shopper, unless another one of this screen is under way.
func (c *Checkout) send(ctx app.Context, r widget.Request) {
	if c.busy {
		return
	}
	c.busy = true
	c.problem = nil
	c.asked = r.Sub
	c.note = ""
	c.sent++
	number := c.sent
	target := c.address(r.Sub)
	body := c.body(r)
	ctx.After(slowAfter, func(app.Context) { c.explainWait(number) })
	ctx.Async(func() {
		status, answer, err := c.Host.Send(context.Background(), "POST", target, body)
		ctx.Dispatch(func(ctx app.Context) { c.handleAnswer(ctx, number, status, answer, err) })
	})
}

// address is the URL of a request. Its query has what a form would send in hidden fields, such as
// the language of the answer.
func (c *Checkout) address(sub string) string {
	p := c.Page.WithSession(c.Page.View.Session)
	p.Base = c.Page.Target(sub)
	return p.Link("")
}

// body is a request's JSON. While nothing is stored, it names the order.
func (c *Checkout) body(r widget.Request) []byte {
	members := map[string]any{}
	for _, f := range c.Page.Carry {
		if f.NamesOrder() {
			members[f.Name] = f.Value
		}
	}
	for name, value := range r.Body {
		members[name] = value
	}
	body, err := json.Marshal(members)
	if err != nil {
		panic("encoding a request: " + err.Error())
	}
	return body
}

// handleAnswer shows the answer to the request with that number: the new view, or why it failed.
// The feed may have shown the new screen already; then only a newer view matters.
func (c *Checkout) handleAnswer(ctx app.Context, number, status int, answer []byte, err error) {
	isLatest := c.busy && number == c.sent
	if isLatest {
		c.busy = false
		c.slow = false
	}
	view, problem := decodeAnswer(status, answer)
	switch {
	case !isLatest && (err != nil || problem != nil):
		return
	case err != nil:
		c.fail(ctx, &wire.Error{Detail: c.Page.T("error.offline")})
		return
	case problem != nil:
		c.fail(ctx, c.localize(problem))
		return
	}
	view.WillUpdate = c.feed != nil && c.feed.WillUpdate()
	if c.asked == "/recheck" && screenOf(c.Page) == "pay" && samePaid(c.Page.View, view) {
		c.note = c.Page.T("pay.recheck.none")
		c.announcement = c.note
		ctx.After(noteFor, func(app.Context) { c.note = "" })
	}
	c.show(ctx, view)
	c.Page.Changing = false
}

// slowAfter is how long a request takes before the page says that the server is still trying.
const slowAfter = 4 * time.Second

// explainWait says that the server waits for the gateway, if the request with that number still has
// no answer.
func (c *Checkout) explainWait(number int) {
	if c.busy && number == c.sent {
		c.slow = true
		c.announcement = c.Page.T("error.busy")
	}
}

// noteFor is how long the result of a recheck is shown.
const noteFor = 10 * time.Second

// samePaid reports whether nothing has arrived between two views.
func samePaid(a, b wire.View) bool {
	return a.Status == b.Status && a.LatestAttempt().PaidAmount == b.LatestAttempt().PaidAmount
}

// fail shows an error, which is at the top of the page: the pressed button may be far below.
func (c *Checkout) fail(ctx app.Context, problem *wire.Error) {
	c.problem = problem
	ctx.Defer(func(app.Context) { c.Host.ScrollTo(".error") })
}

// localize replaces an error's text, which is for developers, by one for shoppers.
func (c *Checkout) localize(problem *wire.Error) *wire.Error {
	key := "problem." + string(problem.Code)
	if _, ok := c.Page.Text[key]; !ok {
		key = "error.unknown"
	}
	problem.Detail = c.Page.T(key)
	return problem
}

// decodeAnswer decodes an answer: a view with status 2xx, else an error.
func decodeAnswer(status int, answer []byte) (wire.View, *wire.Error) {
	if status < 200 || status > 299 {
		problem := &wire.Error{Status: status}
		if json.Unmarshal(answer, problem) != nil {
			problem = &wire.Error{Status: status}
		}
		return wire.View{}, problem
	}
	view, err := wire.ParseView(answer)
	if err != nil {
		return wire.View{}, &wire.Error{Status: status}
	}
	return view, nil
}

// view fetches the view at path.
func (h *Host) view(ctx context.Context, path string) (wire.View, error) {
	status, answer, err := h.Send(ctx, "GET", path, nil)
	if err != nil {
		return wire.View{}, err
	}
	view, problem := decodeAnswer(status, answer)
	if problem != nil {
		return wire.View{}, problem
	}
	return view, nil
}
