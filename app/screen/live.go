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

// takeOver makes the page live: what was typed is put back, the parts' wishes
// are heard, and the view is kept current from here on.
func (c *Checkout) takeOver(ctx app.Context) {
	if c.Host == nil {
		return
	}
	c.live, c.at = true, time.Now()
	c.isExtension(c.Page.View)
	ctx.Handle(
		widget.ActionSend,
		func(ctx app.Context, a app.Action) { c.send(ctx, a.Value.(widget.Request)) },
	)
	ctx.Handle(
		widget.ActionChange, func(ctx app.Context, a app.Action) { c.showChooser(ctx, a.Value.(bool)) },
	)
	ctx.Handle(widget.ActionExchange, func(_ app.Context, a app.Action) { c.setExchange(a.Value.(bool)) })
	ctx.Handle(widget.ActionAnnounce, func(_ app.Context, a app.Action) { c.announcement = a.Value.(string) })
	ctx.Handle(widget.ActionFail, func(ctx app.Context, a app.Action) {
		c.fail(ctx, &wire.Error{Detail: a.Value.(string)})
	})
	ctx.Handle(widget.ActionCopy, func(ctx app.Context, a app.Action) {
		c.copy(ctx, a.Value.(widget.CopyRequest))
	})
	ctx.Handle(widget.ActionRefresh, func(app.Context, app.Action) { c.refresh() })
	ctx.Handle(widget.ActionQR, func(_ app.Context, a app.Action) { c.setLinkQR(a.Value.(bool)) })
	ctx.Handle(
		widget.ActionPrice, func(ctx app.Context, a app.Action) { c.fetchPrice(ctx, a.Value.(offerInput)) },
	)
	ctx.Handle(
		widget.ActionPay, func(ctx app.Context, a app.Action) { c.payByWallet(ctx, a.Value.(payment)) },
	)
	c.Host.WatchNetwork(func() { ctx.NewAction(widget.ActionNetwork) })
	c.Host.Restore()
	c.startFeed(ctx)
	c.discover(ctx)
}

// setLinkQR changes what the QR code holds, here and when the page is loaded again.
func (c *Checkout) setLinkQR(link bool) {
	c.Page = c.Page.WithLinkQR(link)
	c.Host.ReplaceURL(c.Page.Link(""))
}

// startFeed keeps the view of the session current until stop, or until another
// session is followed. A session that is stored nowhere has nothing to follow.
func (c *Checkout) startFeed(ctx app.Context) {
	c.stopFeed()
	if c.Page.View.Session == "" {
		return
	}
	running, cancel := context.WithCancel(context.Background())
	base, lang := c.Page.Base, "?lang="+c.Page.Lang // the feed reads them while the page changes
	c.stopFeeding = cancel
	c.feed = feed.New(feed.Config{
		Fetch: func(ctx context.Context) (wire.View,
			error) {
			return c.Host.view(ctx, base+"/view"+lang)
		},
		Dial: func(ctx context.Context) (feed.Socket,
			error) {
			return c.Host.Dial(ctx, base+"/live"+lang)
		},
		OnView:    func(v wire.View) { ctx.Dispatch(func(ctx app.Context) { c.receive(ctx, v) }) },
		OnOffline: func(lost bool) { ctx.Dispatch(func(app.Context) { c.offline = lost }) },
		Version:   c.Page.View.Version,
	})
	f := c.feed
	if c.Page.Embed == "modal" && c.Page.View.Status == wire.Open {
		f.Pause() // a frame made ready in advance connects when it is shown
	}
	c.Host.WatchTab(f.Resume, f.Pause)
	go f.Run(running)
}

// refresh asks for the view at once.
func (c *Checkout) refresh() {
	if c.feed != nil {
		c.feed.Resume()
	}
}

// stopFeed ends the following.
func (c *Checkout) stopFeed() {
	if c.stopFeeding != nil {
		c.stopFeeding()
		c.stopFeeding = nil
	}
}

// receive takes a view that came by itself. Of one that repeats what is on screen
// only the words about time are drawn.
func (c *Checkout) receive(ctx app.Context, v wire.View) {
	if c.offline || !sameButTime(c.Page.View, v) {
		c.show(ctx, v)
		return
	}
	c.Page.View, c.at = v, time.Now()
	ctx.NewActionWithValue(widget.ActionViewTime, widget.ViewTime{View: v, At: c.at})
	ctx.PreventUpdate()
}

// show shows a view that is newer than the one on screen, or as new and fresher.
func (c *Checkout) show(ctx app.Context, v wire.View) {
	old := c.Page.View
	if v.Session == old.Session && v.Version < old.Version {
		return
	}
	c.Page.View, c.at, c.offline = v, time.Now(), false
	if old.Session == "" && v.Session != "" {
		c.Page = c.Page.WithSession(v.Session)
		c.Host.ReplaceURL(c.Page.Link(""))
		c.startFeed(ctx)
	}
	if a := v.Attempt; a != nil && a.Number != widget.AttemptNumber(old) {
		c.Page.Chosen, c.Page.ChosenNetwork = a.CurrencySymbol, widget.NetworkKey(
			a.CurrencySymbol, a.NetworkCode,
		)
	}
	c.discover(ctx)
	longer := c.isExtension(v)
	if old.Status != v.Status || widget.AttemptNumber(old) != widget.AttemptNumber(v) {
		c.problem = nil
		c.announceScreen(ctx)
		if longer {
			c.announcement = c.Page.T("said.extended")
		}
	} else if partial(v) && !partial(old) || widget.Arrived(v) && !widget.Arrived(old) {
		c.announceScreen(ctx)
	}
}

// sameButTime reports whether v shows nothing that old does not, but for the time: most
// views do, and the page is not drawn again for them.
func sameButTime(old, v wire.View) bool {
	return reflect.DeepEqual(old.Timeless(), v.Timeless())
}

// announceScreen announces a new screen once and brings the keyboard to its heading.
func (c *Checkout) announceScreen(ctx app.Context) {
	c.Page.Changing, c.Search = false, ""
	c.announcement = c.Page.T("said." + announcementKey(c.Page.View))
	ctx.Defer(func(app.Context) { c.Host.Focus("#" + widget.HeadingID) })
}

// isExtension reports whether v gives the payment more time: there is another address
// for the same coin and network, and the payment has not ended in between.
func (c *Checkout) isExtension(v wire.View) bool {
	switch {
	case v.Status == wire.Preparing:
		return false
	case v.Status != wire.Pending || v.Attempt == nil:
		c.lastPayable = wire.Attempt{}
		return false
	}
	was, is := c.lastPayable, *v.Attempt
	c.lastPayable = is
	return was.Number != 0 && is.Number > was.Number &&
		is.CurrencySymbol == was.CurrencySymbol && is.NetworkCode == was.NetworkCode
}

// announcementKey names the announcement of a view.
func announcementKey(v wire.View) string {
	switch {
	case partial(v) && v.Status == wire.Pending:
		return "partial"
	case widget.Arrived(v):
		return string(wire.Review)
	}
	return string(v.Status.Shown())
}

func partial(v wire.View) bool {
	return v.Attempt != nil && v.Attempt.PaidAmount != "" && v.Attempt.MissingAmount != ""
}

// showChooser shows or hides the chooser.
func (c *Checkout) showChooser(ctx app.Context, show bool) {
	c.Page.Changing, c.Search, c.problem = show, "", nil
	ctx.Defer(func(app.Context) { c.Host.Focus("#" + widget.HeadingID) })
}

// setExchange shows the page to a shopper who pays from an exchange, or who does
// not. The page's address follows, so that loading it again does not forget it.
func (c *Checkout) setExchange(exchange bool) {
	c.Page = c.Page.WithExchange(exchange)
	c.announcement = c.Page.T("choose.order")
	if exchange {
		c.announcement = c.Page.T("choose.exchange.why")
	}
	c.Host.ReplaceURL(c.Page.Link(""))
}

// copy puts a value on the clipboard, off the UI goroutine because the browser
// may ask the shopper first. What cannot be put there is selected, so that the
// shopper's own Ctrl+C takes it.
func (c *Checkout) copy(ctx app.Context, r widget.CopyRequest) {
	ctx.Async(func() {
		err := c.Host.Copy(r.Value)
		if err != nil && c.Host.Select != nil {
			c.Host.Select(`[data-part="` + r.Part + `"]`)
		}
		r.Done(err)
	})
}

// send makes one request of the shopper; while it is on its way, a second one
// is not begun.
func (c *Checkout) send(ctx app.Context, r widget.Request) {
	if c.busy {
		return
	}
	c.busy, c.problem = true, nil
	target, body := c.address(r.Sub), c.body(r)
	ctx.Async(func() {
		status, answer, err := c.Host.Send(context.Background(), "POST", target, body)
		ctx.Dispatch(func(ctx app.Context) { c.handleAnswer(ctx, status, answer, err) })
	})
}

// address is where a request goes; what a form would carry along is in the
// query, so that the answer is in the page's language.
func (c *Checkout) address(sub string) string {
	p := c.Page.WithSession(c.Page.View.Session)
	p.Base = c.Page.Target(sub)
	return p.Link("")
}

// body is a request's JSON. While nothing is stored, what names the order goes
// with it.
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

// handleAnswer takes the answer to send: the view after it, or why not.
func (c *Checkout) handleAnswer(ctx app.Context, status int, answer []byte, err error) {
	c.busy = false
	if err != nil {
		c.fail(ctx, &wire.Error{Detail: c.Page.T("error.offline")})
		return
	}
	view, problem := decodeAnswer(status, answer)
	if problem != nil {
		c.fail(ctx, c.localize(problem))
		return
	}
	view.WillUpdate = c.feed != nil && c.feed.WillUpdate()
	c.show(ctx, view)
	c.Page.Changing = false
}

// fail says why a wish led nowhere. The words are at the top, and the button
// that was pressed may be far below.
func (c *Checkout) fail(ctx app.Context, problem *wire.Error) {
	c.problem = problem
	ctx.Defer(func(app.Context) { c.Host.ScrollTo(".error") })
}

// localize gives an error the sentence for shoppers; its own is for developers,
// and an answer from a proxy has none.
func (c *Checkout) localize(problem *wire.Error) *wire.Error {
	problem.Detail = c.Page.T("error.unknown")
	if sentence, ok := c.Page.Text["problem."+string(problem.Code)]; ok {
		problem.Detail = sentence
	}
	return problem
}

// decodeAnswer decodes an answer: a view with 2xx, else an error.
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

// view reads the view at path.
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
