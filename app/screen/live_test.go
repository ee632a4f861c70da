package screen

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"coinslot/app/feed"
	"coinslot/app/screen/screentest"
	"coinslot/app/widget"
	"coinslot/app/widget/node"
	"coinslot/app/wire"
	"coinslot/bff/fortest"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// probe mounts a checkout and keeps the context that only a mounted component is given.
type probe struct {
	app.Compo
	root *Checkout
	ctx  app.Context
}

func (p *probe) Render() app.UI              { return p.root }
func (p *probe) OnPreRender(ctx app.Context) { p.ctx = ctx }

// browserFake is a browser without a network. It returns the answer of a test.
type browserFake struct {
	status  int
	answer  any
	err     error
	sent    []string // "POST /path body"
	address string   // of the page
	copied  error
	back    func()
}

func (b *browserFake) host() *Host {
	return &Host{
		Send: func(_ context.Context, method, path string, body []byte) (int, []byte, error) {
			if method == "POST" {
				b.sent = append(b.sent, method+" "+path+" "+string(body))
			}
			answer, err := json.Marshal(b.answer)
			return b.status, answer, errors.Join(err, b.err)
		},
		Dial: func(context.Context, string) (feed.Socket, error) {
			return nil, errors.New("no network")
		},
		Copy:         func(string) error { return b.copied },
		ReplaceURL:   func(path string) { b.address = path },
		Focus:        func(string) {},
		ScrollTo:     func(string) {},
		WatchTab:     func(back, _ func()) { b.back = back },
		WatchNetwork: func(func()) {},
	}
}

// live mounts a sample of the gallery as a browser would.
func live(t *testing.T, name string, b *browserFake) (*Checkout, app.Context, app.TestEngine) {
	t.Helper()
	p := &probe{root: &Checkout{Page: named(t, name), Host: b.host()}}
	engine := app.NewTestEngine()
	fortest.OK(t, engine.Load(p))
	engine.ConsumeAll()
	p.root.takeOver(p.ctx)
	t.Cleanup(p.root.stopFeed)
	return p.root, p.ctx, engine
}

func pendingView() wire.View {
	v := screentest.NewSample("", wire.Pending, screentest.Attempt(nil), wire.Cancel).Page.View
	v.Version = 9
	return v
}

func TestSendShowsAnswer(t *testing.T) {
	b := &browserFake{status: 200, answer: pendingView()}
	c, ctx, engine := live(t, "open", b)
	c.send(ctx,
		widget.Request{Sub: "/attempts",
			Body: map[string]string{"currency_symbol": "USDT", "network_code": "trc20"}})
	if !c.busy {
		t.Error("not busy while the request is on its way")
	}
	c.send(ctx, widget.Request{Sub: "/attempts"})
	engine.ConsumeAll()
	want := `POST /checkout/cs_gallery/attempts {"currency_symbol":"USDT","network_code":"trc20"}`
	if len(b.sent) != 1 || b.sent[0] != want {
		t.Errorf("sent %q; want only %q", b.sent, want)
	}
	if c.busy || c.Page.View.Status != wire.Pending || c.announcement != english(t)["said.pending"] {
		t.Errorf("busy %t, status %q, said %q", c.busy, c.Page.View.Status, c.announcement)
	}
}

// The feed may show the new screen before the answer comes: a press on it is not lost.
func TestSendOnNewScreen(t *testing.T) {
	b := &browserFake{status: 200, answer: pendingView()}
	c, ctx, engine := live(t, "open", b)
	c.busy, c.sent = true, 1 // a request is on its way
	c.show(ctx, pendingView())
	c.send(ctx, widget.Request{Sub: "/cancel"})
	c.handleAnswer(ctx, 1, 0, nil, errors.New("late"))
	if !c.busy || c.problem != nil {
		t.Errorf("busy %t, problem %v; want the second request under way", c.busy, c.problem)
	}
	engine.ConsumeAll()
	if len(b.sent) != 1 || c.busy {
		t.Errorf("sent %q, busy %t; want the second one, answered", b.sent, c.busy)
	}
}

func TestFirstSessionOfItem(t *testing.T) {
	b := &browserFake{status: 200, answer: pendingView()}
	c, ctx, engine := live(t, "open-unsaved", b)
	c.Page.Carry = append(c.Page.Carry, widget.Field{Name: "lang", Value: "en"})
	c.send(ctx, widget.Request{Sub: "/attempts", Body: map[string]string{"currency_symbol": "TON"}})
	engine.ConsumeAll()
	want := `POST /checkout?lang=en ` +
		`{"amount":"5.00","currency_symbol":"TON","item":"coffee","key":"page_1"}`
	if len(b.sent) != 1 || b.sent[0] != want {
		t.Errorf("sent %q; want %q", b.sent, want)
	}
	fortest.Equal(t, b.address, "/checkout/cs_gallery?lang=en", "address")
	if c.feed == nil {
		t.Error("the new session is not followed")
	}
}

func TestSendRefused(t *testing.T) {
	for name, c := range map[string]struct {
		browser browserFake
		want    string
	}{
		"known error": {browserFake{status: 422,
			answer: wire.Error{Code: wire.CodeNetworkRequired, Detail: "for developers"}},
			"problem.network_required"},
		"proxy's page": {browserFake{status: 502, answer: "<html>"}, "error.unknown"},
		"not a view":   {browserFake{status: 200, answer: 5}, "error.unknown"},
		"no network":   {browserFake{err: errors.New("offline")}, "error.offline"},
	} {
		t.Run(name, func(t *testing.T) {
			root, ctx, engine := live(t, "open", &c.browser)
			root.send(ctx, widget.Request{Sub: "/attempts"})
			engine.ConsumeAll()
			if root.problem == nil || root.problem.Detail != english(t)[c.want] || root.busy {
				t.Errorf("problem %v, busy %t; want %q", root.problem, root.busy,
					english(t)[c.want])
			}
			fortest.Has(t, "the error is not shown", node.HTML(root), `data-part="error"`)
		})
	}
}

func TestShowDropsOlderViews(t *testing.T) {
	c, ctx, _ := live(t, "confirmed", &browserFake{})
	old := pendingView()
	old.Version = 3
	c.show(ctx, old)
	fortest.Equal(t, c.Page.View.Status, wire.Confirmed, "status (an older view was taken)")
}

func TestPartialAnnouncedOnce(t *testing.T) {
	c, ctx, _ := live(t, "pending", &browserFake{})
	v := pendingView()
	v.Attempt.PaidAmount = "9.80"
	v.Attempt.MissingAmount = "15.23"
	c.show(ctx, v)
	fortest.Equal(t, c.announcement, english(t)["said.partial"], "said")
	c.announcement = ""
	v.Version++
	c.show(ctx, v)
	fortest.Equal(t, c.announcement, "", "said again")
}

func TestChooserBody(t *testing.T) {
	p := screentest.NewSample("", wire.Open, nil).Page
	p.Text = english(t)
	for name, c := range map[string]struct {
		pick    func(*chooser)
		body    map[string]string
		missing string
	}{
		"nothing": {func(*chooser) {}, nil, english(t)["choose.missing.coin"]},
		"coin": {func(c *chooser) {
			c.pick("TON", "")
		}, map[string]string{"currency_symbol": "TON", "network_code": "ton"}, ""},
		"coin that is impossible": {func(c *chooser) {
			c.pick("BNB", "")
		}, nil, "Choose a network for BNB."},
	} {
		t.Run(name, func(t *testing.T) {
			chosen := &chooser{Page: p}
			c.pick(chosen)
			body, missing := chosen.body()
			if missing != c.missing || len(body) != len(c.body) ||
				body["network_code"] != c.body["network_code"] {
				t.Errorf("body = %v, %q; want %v, %q", body, missing, c.body, c.missing)
			}
		})
	}
}

// drawn is a checkout that counts how often it is drawn.
type drawn struct {
	*Checkout
	times int
	ctx   app.Context
}

func (d *drawn) Render() app.UI {
	d.times++
	return d.Checkout.Render()
}

func (d *drawn) OnPreRender(ctx app.Context) { d.ctx = ctx }

// TestSameViewIsNotRedrawn: a view that shows nothing new costs no drawing.
func TestSameViewIsNotRedrawn(t *testing.T) {
	first := named(t, "pending")
	first.View.Version = 9
	d := &drawn{Checkout: &Checkout{Page: first, Host: (&browserFake{}).host()}}
	engine := app.NewTestEngine()
	fortest.OK(t, engine.Load(d))
	engine.ConsumeAll()
	takes := func(change func(*wire.View)) (times int) {
		v := first.View
		a := *v.Attempt
		v.Attempt = &a
		change(&v)
		d.times = 0
		d.ctx.Dispatch(func(ctx app.Context) { d.receive(ctx, v) })
		engine.ConsumeAll()
		return d.times
	}
	for ms := range int64(20) {
		n := takes(func(v *wire.View) {
			v.CheckedMsAgo = ms
			v.Attempt.ExpiresInMs = 700_000 - 3000*ms
			v.WillUpdate = ms%2 == 0
		})
		if n != 0 {
			t.Fatalf("the page was drawn %d times for a view that shows nothing new", n)
		}
	}
	fortest.Equal(t, d.Page.View.CheckedMsAgo, 19, "the time of the last view was not taken")
	for name, change := range map[string]func(*wire.View){
		"version": func(v *wire.View) { v.Version = 10 },
		"sum": func(v *wire.View) {
			v.Version = 11
			v.Attempt.PaidAmount = "1.00"
			v.Attempt.MissingAmount = "2.00"
		},
		"notice": func(v *wire.View) {
			v.Version = 11
			v.Notice = &wire.Notice{Message: "news"}
		},
	} {
		if takes(change) == 0 {
			t.Errorf("another %s was not drawn", name)
		}
	}
	d.offline = true
	if takes(func(v *wire.View) { *v = d.Page.View }) == 0 {
		t.Error("that the server is back was not drawn")
	}
}

// TestAnswersAreRedrawn: an answer that repeats what is on screen ends the waiting
// for it all the same.
func TestAnswersAreRedrawn(t *testing.T) {
	page := named(t, "pending")
	d := &drawn{Checkout: &Checkout{Page: page, Host: (&browserFake{}).host()}}
	engine := app.NewTestEngine()
	fortest.OK(t, engine.Load(d))
	answer := fortest.Must(json.Marshal(page.View))(t)
	d.busy = true
	d.sent = 1
	d.Page.Changing = true
	engine.ConsumeAll()
	d.times = 0
	d.ctx.Dispatch(func(ctx app.Context) { d.handleAnswer(ctx, 1, 200, answer, nil) })
	engine.ConsumeAll()
	if d.times == 0 || d.busy || d.Page.Changing {
		t.Errorf("drawn %d times, busy %t, changing %t; want it drawn, and neither", d.times, d.busy, d.Page.Changing)
	}
}

// The wallet that was opened last comes first on the next payment; on this one no row moves.
func TestLastWalletComesFirst(t *testing.T) {
	c, ctx, _ := live(t, "pending-phone", &browserFake{})
	c.Host.LastWallet = func() string { return "okx" }
	view := c.Page.View
	view.Version++
	c.show(ctx, view)
	fortest.Equal(t, c.Page.WalletLinks()[0].ID, "trust", "first on the same payment")
	attempt := *view.Attempt
	attempt.Number++
	view.Version++
	view.Attempt = &attempt
	c.show(ctx, view)
	fortest.Equal(t, c.Page.WalletLinks()[0].ID, "okx", "first on the next payment")
}
