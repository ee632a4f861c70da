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
	c.longer(c.Page.View)
	ctx.Handle(
		widget.ActionSend,
		func(ctx app.Context, a app.Action) { c.send(ctx, a.Value.(widget.Request)) },
	)
	ctx.Handle(
		widget.ActionChange, func(ctx app.Context, a app.Action) { c.change(ctx, a.Value.(bool)) },
	)
	ctx.Handle(widget.ActionFrom, func(_ app.Context, a app.Action) { c.payFrom(a.Value.(bool)) })
	ctx.Handle(widget.ActionSay, func(_ app.Context, a app.Action) { c.said = a.Value.(string) })
	ctx.Handle(widget.ActionFail, func(ctx app.Context, a app.Action) {
		c.fail(ctx, &wire.Error{Detail: a.Value.(string)})
	})
	ctx.Handle(widget.ActionCopy, func(ctx app.Context, a app.Action) {
		c.copy(ctx, a.Value.(widget.CopyRequest))
	})
	ctx.Handle(widget.ActionLook, func(app.Context, app.Action) { c.look() })
	ctx.Handle(widget.ActionQR, func(_ app.Context, a app.Action) { c.hold(a.Value.(bool)) })
	ctx.Handle(
		widget.ActionPrice, func(ctx app.Context, a app.Action) { c.reprice(ctx, a.Value.(wish)) },
	)
	ctx.Handle(
		widget.ActionPay, func(ctx app.Context, a app.Action) { c.pay(ctx, a.Value.(payment)) },
	)
	c.Host.Network(func() { ctx.NewAction(widget.ActionNetwork) })
	c.Host.Restore()
	c.follow(ctx)
	c.discover(ctx)
}

// hold changes what the QR code holds, here and when the page is loaded again.
func (c *Checkout) hold(link bool) {
	c.Page = c.Page.Holding(link)
	c.Host.Replace(c.Page.Link(""))
}

// follow keeps the view of the session current until stop, or until another
// session is followed. A session that is stored nowhere has nothing to follow.
func (c *Checkout) follow(ctx app.Context) {
	c.stop()
	if c.Page.View.Session == "" {
		return
	}
	running, cancel := context.WithCancel(context.Background())
	base, lang := c.Page.Base, "?lang="+c.Page.Lang // the feed reads them while the page changes
	c.feeding = cancel
	c.feed = feed.New(feed.Config{
		Fetch: func(ctx context.Context) (wire.View,
			error) {
			return c.Host.view(ctx, base+"/view"+lang)
		},
		Dial: func(ctx context.Context) (feed.Socket,
			error) {
			return c.Host.Dial(ctx, base+"/live"+lang)
		},
		Got:  func(v wire.View) { ctx.Dispatch(func(ctx app.Context) { c.hear(ctx, v) }) },
		Lost: func(lost bool) { ctx.Dispatch(func(app.Context) { c.offline = lost }) },
		From: c.Page.View.Version,
	})
	f := c.feed
	if c.Page.Embed == "modal" && c.Page.View.Status == wire.Open {
		f.Leave() // a frame made ready in advance connects when it is shown
	}
	c.Host.Watch(f.Back, f.Leave)
	go f.Run(running)
}

// look asks for the view at once.
func (c *Checkout) look() {
	if c.feed != nil {
		c.feed.Back()
	}
}

// stop ends the following.
func (c *Checkout) stop() {
	if c.feeding != nil {
		c.feeding()
		c.feeding = nil
	}
}

// hear takes a view that came by itself. Of one that repeats what is on screen
// only the words about time are drawn.
func (c *Checkout) hear(ctx app.Context, v wire.View) {
	if c.offline || !repeats(c.Page.View, v) {
		c.take(ctx, v)
		return
	}
	c.Page.View, c.at = v, time.Now()
	ctx.NewActionWithValue(widget.ActionInstant, widget.Instant{View: v, At: c.at})
	ctx.PreventUpdate()
}

// take shows a view that is newer than the one on screen, or as new and fresher.
func (c *Checkout) take(ctx app.Context, v wire.View) {
	old := c.Page.View
	if v.Session == old.Session && v.Version < old.Version {
		return
	}
	c.Page.View, c.at, c.offline = v, time.Now(), false
	if old.Session == "" && v.Session != "" {
		c.Page = c.Page.Stored(v.Session)
		c.Host.Replace(c.Page.Link(""))
		c.follow(ctx)
	}
	if a := v.Attempt; a != nil && a.Number != widget.AttemptNumber(old) {
		c.Page.Chosen, c.Page.ChosenNetwork = a.CurrencySymbol, widget.Key(
			a.CurrencySymbol, a.NetworkCode,
		)
	}
	c.discover(ctx)
	longer := c.longer(v)
	if old.Status != v.Status || widget.AttemptNumber(old) != widget.AttemptNumber(v) {
		c.problem = nil
		c.moved(ctx)
		if longer {
			c.said = c.Page.Say("said.extended")
		}
	} else if partial(v) && !partial(old) || widget.Arrived(v) && !widget.Arrived(old) {
		c.moved(ctx)
	}
}

// repeats reports whether v shows nothing that old does not, but for the time: most
// views do, and the page is not drawn again for them.
func repeats(old, v wire.View) bool {
	return reflect.DeepEqual(old.Timeless(), v.Timeless())
}

// moved announces a new screen once and brings the keyboard to its heading.
func (c *Checkout) moved(ctx app.Context) {
	c.Page.Changing, c.Search = false, ""
	c.said = c.Page.Say("said." + saidOf(c.Page.View))
	ctx.Defer(func(app.Context) { c.Host.Focus("#" + widget.HeadingID) })
}

// longer reports whether v gives the payment more time: there is another address
// for the same coin and network, and the payment has not ended in between.
func (c *Checkout) longer(v wire.View) bool {
	switch {
	case v.Status == wire.Preparing:
		return false
	case v.Status != wire.Pending || v.Attempt == nil:
		c.paying = wire.Attempt{}
		return false
	}
	was, is := c.paying, *v.Attempt
	c.paying = is
	return was.Number != 0 && is.Number > was.Number &&
		is.CurrencySymbol == was.CurrencySymbol && is.NetworkCode == was.NetworkCode
}

// saidOf names the announcement of a view.
func saidOf(v wire.View) string {
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

// change shows or hides the chooser.
func (c *Checkout) change(ctx app.Context, show bool) {
	c.Page.Changing, c.Search, c.problem = show, "", nil
	ctx.Defer(func(app.Context) { c.Host.Focus("#" + widget.HeadingID) })
}

// payFrom shows the page to a shopper who pays from an exchange, or who does
// not. The page's address follows, so that loading it again does not forget it.
func (c *Checkout) payFrom(exchange bool) {
	c.Page = c.Page.PayingFrom(exchange)
	c.said = c.Page.Say("choose.order")
	if exchange {
		c.said = c.Page.Say("choose.exchange.why")
	}
	c.Host.Replace(c.Page.Link(""))
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
		ctx.Dispatch(func(ctx app.Context) { c.answered(ctx, status, answer, err) })
	})
}

// address is where a request goes; what a form would carry along is in the
// query, so that the answer is in the page's language.
func (c *Checkout) address(sub string) string {
	p := c.Page.Stored(c.Page.View.Session)
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

// answered takes the answer to send: the view after it, or why not.
func (c *Checkout) answered(ctx app.Context, status int, answer []byte, err error) {
	c.busy = false
	if err != nil {
		c.fail(ctx, &wire.Error{Detail: c.Page.Say("error.offline")})
		return
	}
	view, problem := read(status, answer)
	if problem != nil {
		c.fail(ctx, c.worded(problem))
		return
	}
	view.Told = c.feed != nil && c.feed.Told()
	c.take(ctx, view)
	c.Page.Changing = false
}

// fail says why a wish led nowhere. The words are at the top, and the button
// that was pressed may be far below.
func (c *Checkout) fail(ctx app.Context, problem *wire.Error) {
	c.problem = problem
	ctx.Defer(func(app.Context) { c.Host.Show(".error") })
}

// worded gives an error the sentence for shoppers; its own is for developers,
// and an answer from a proxy has none.
func (c *Checkout) worded(problem *wire.Error) *wire.Error {
	problem.Detail = c.Page.Say("error.unknown")
	if sentence, ok := c.Page.Text["problem."+string(problem.Code)]; ok {
		problem.Detail = sentence
	}
	return problem
}

// read decodes an answer: a view with 2xx, else an error.
func read(status int, answer []byte) (wire.View, *wire.Error) {
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
	view, problem := read(status, answer)
	if problem != nil {
		return wire.View{}, problem
	}
	return view, nil
}
