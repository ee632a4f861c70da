//go:build linux

package torture

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/sandbox"

	"github.com/gorilla/websocket"
	"github.com/shopspring/decimal"
)

// shopper is a person with one browser, who now and then is the merchant too.
// One goroutine runs it.
type shopper struct {
	w    *world
	name string
	rng  *rand.Rand
	ip   string // as X-Forwarded-For: each is in a network of their own, with limits of its own

	at    *session // the order in hand; nil = none
	step  int      // how many steps were taken for it
	paid  bool     // something was paid for it
	key   string   // of the creation that was not acknowledged yet; empty = none
	draft string   // its body

	sockets sync.WaitGroup // those that are read
}

// coins are what an order between 15 and 2000 dollars can be paid with.
var coins = [][2]string{
	{"USDT", "trc20"}, {"USDT", "bep20"}, {"USDT", "ton"}, {"USDC", "bep20"}, {"USDC", "polygon"},
	{"ETH", "eth"}, {"ETH", "arbitrum"}, {"BNB", "bep20"}, {"GRAM", "ton"},
}

// plans are what shoppers usually set out to do.
var plans = []string{
	"pay", "pay", "pay", "pay in parts", "pay too much", "pay a little less", "pay half",
	"pay late", "pay while cancelling", "let it expire", "start again", "cancel", "cancel",
	"change the coin", "change the coin", "be cancelled by the merchant",
	"be cancelled in the console", "look on", "click twice",
}

// preferPlan makes every second shopper set out to do plan; "" ends that.
func (w *world) preferPlan(plan string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.preferredPlan = plan
}

// plan draws what to set out to do.
func (b *shopper) plan() string {
	b.w.mu.Lock()
	preferredPlan := b.w.preferredPlan
	b.w.mu.Unlock()
	if preferredPlan != "" && b.rng.IntN(2) == 0 {
		return preferredPlan
	}
	return b.w.plans[b.rng.IntN(len(b.w.plans))]
}

// startShoppers runs n shoppers until the returned function is called, which waits for
// their last steps.
func (w *world) startShoppers(n int) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for i := range n {
		b := &shopper{
			w:    w,
			name: fmt.Sprint("shopper ", i),
			rng:  rand.New(rand.NewPCG(w.seed, uint64(100+i))),
			ip:   fmt.Sprintf("10.%d.%d.1", i/250, i%250),
		}
		all.Go(func() {
			b.run(ctx)
			b.sockets.Wait()
		})
	}
	return func() {
		cancel()
		all.Wait()
	}
}

// run takes one step after another while the process serves.
func (b *shopper) run(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			return
		case <-b.w.isUp():
		}
		b.w.pauseSteps.RLock()
		if ctx.Err() == nil {
			b.act(ctx)
		}
		b.w.pauseSteps.RUnlock()
		select {
		case <-ctx.Done():
		case <-wait(time.Millisecond + time.Duration(b.rng.Int64N(int64(b.w.pause)))):
		}
	}
}

// act takes one step: with the order in hand, or a new one.
func (b *shopper) act(ctx context.Context) {
	if b.at == nil {
		b.order(ctx)
		return
	}
	if b.step++; b.step > 60 {
		b.done()
		return
	}
	if b.step == 2 && b.rng.IntN(3) == 0 {
		b.listen(ctx, b.at)
	}
	v, ok := b.view(ctx, b.at)
	if !ok {
		return
	}
	switch v.Status {
	case wire.Open:
		b.choose(ctx, v)
	case wire.Pending:
		b.actOnPayment(ctx, v)
	case wire.Expired, wire.Cancelled:
		b.actAfterEnd(ctx, v)
	case wire.Confirmed, wire.Review:
		b.done()
	case wire.Preparing: // looks again
	}
}

func (b *shopper) done() { b.at, b.step, b.paid = nil, 0, false }

// order has the merchant open a session. An answer that is lost is asked for
// again with the same key, which must give the same session.
func (b *shopper) order(ctx context.Context) {
	if b.key == "" {
		b.key = fmt.Sprintf("key-%s-%d", b.name[8:], b.rng.Uint64())
		amount := fmt.Sprintf("%d.%02d", 15+b.rng.IntN(1985), b.rng.IntN(100))
		b.draft = fmt.Sprintf(`{"amount_usd":%q,"order_ref":%q,"title":"Torture","email":%q}`,
			amount, "ref-"+b.key, b.key+"@torture.example")
	}
	status, body, err := b.w.merchant(ctx, http.MethodPost, "/v1/sessions", b.draft,
		"Idempotency-Key", b.key)
	if err != nil {
		return
	}
	var o object
	if status/100 != 2 || json.Unmarshal(body, &o) != nil {
		b.refused("POST /v1/sessions", status, body)
		return
	}
	var asked struct {
		AmountUSD string `json:"amount_usd"`
		OrderRef  string `json:"order_ref"`
	}
	if err := json.Unmarshal([]byte(b.draft), &asked); err != nil {
		panic(err)
	}
	b.at, b.key = b.w.acknowledged(o, asked.AmountUSD, asked.OrderRef, b.plan()), ""
}

// refused notes an answer that no client should get while everything that it
// asks for is right. 503 is what a bad gateway leads to.
func (b *shopper) refused(what string, status int, body []byte) {
	if status >= 500 && status != http.StatusServiceUnavailable {
		b.w.violate("", "I12: %s answers %d %.200s", what, status, body)
	}
}

func (b *shopper) forwarded() http.Header {
	return http.Header{"X-Forwarded-For": {b.ip}, "User-Agent": {b.name}}
}

// view reads what the page shows now.
func (b *shopper) view(ctx context.Context, s *session) (wire.View, bool) {
	return b.ask(ctx, s, http.MethodGet, "view", "")
}

// ask makes a request about s that is answered by a view.
func (b *shopper) ask(
	ctx context.Context, s *session, method, action, body string,
) (wire.View, bool) {
	status, answer, err := b.w.call(ctx, b.w.host(), method, "/checkout/"+s.id+"/"+action, body,
		b.forwarded())
	if err != nil {
		return wire.View{}, false
	}
	if status == http.StatusNotFound {
		if o, err := b.w.read(ctx, s.id); err == nil && !o.Deleted {
			b.w.violate(s.id, "I6: %s %s answers 404: an acknowledged session is gone", method,
				action)
		}
	}
	var v wire.View
	if status != http.StatusOK || json.Unmarshal(answer, &v) != nil {
		b.refused(method+" "+action, status, answer)
		return v, false
	}
	b.w.recordView(b.name, s, v)
	return v, true
}

// post is ask with a line in the history, since it may change something.
func (b *shopper) post(ctx context.Context, s *session, action, body string) (wire.View, bool) {
	b.w.note(s.id, "%s posts %s %s", b.name, action, body)
	return b.ask(ctx, s, http.MethodPost, action, body)
}

// choose picks a coin, sometimes with impatience.
func (b *shopper) choose(ctx context.Context, _ wire.View) {
	coin := coins[b.rng.IntN(len(coins))]
	body := fmt.Sprintf(`{"currency_symbol":%q,"network_code":%q}`, coin[0], coin[1])
	if b.at.plan != "click twice" {
		b.post(ctx, b.at, "attempts", body)
		return
	}
	second := &shopper{w: b.w, name: b.name + "'s second tab", ip: b.ip}
	at := b.at
	var both sync.WaitGroup
	both.Go(func() { second.post(ctx, at, "attempts", body) })
	b.post(ctx, at, "attempts", body)
	both.Wait()
}

// actOnPayment does what was planned with a payment that can be made.
func (b *shopper) actOnPayment(ctx context.Context, v wire.View) {
	code := b.w.payable(v.Attempt)
	if code == "" {
		return // recordView has said so
	}
	switch b.at.plan {
	case "pay", "click twice":
		b.pay(code, sandbox.KindPay)
	case "pay in parts":
		b.pay(code, sandbox.KindParts)
	case "pay too much":
		b.pay(code, sandbox.KindOver)
	case "pay a little less":
		b.pay(code, sandbox.KindTolerated)
	case "pay half":
		b.pay(code, sandbox.KindHalf)
		b.done()
	case "pay late":
		b.pay(code, sandbox.KindLate)
	case "let it expire", "start again":
		b.pay(code, sandbox.KindExpire)
	case "pay while cancelling":
		var both sync.WaitGroup
		both.Go(func() { b.post(ctx, b.at, "cancel", "") })
		b.pay(code, sandbox.KindPay)
		both.Wait()
	case "cancel":
		b.post(ctx, b.at, "cancel", "")
	case "be cancelled by the merchant":
		b.w.note(b.at.id, "the merchant cancels")
		if status, body, err := b.w.merchant(ctx, http.MethodPost,
			"/v1/sessions/"+b.at.id+"/cancel", ""); err == nil {
			b.refused("POST cancel", status, body)
		}
	case "be cancelled in the console":
		b.w.cancelInConsole(ctx, b.at)
	case "change the coin":
		if b.choose(ctx, v); b.rng.IntN(2) == 0 {
			b.at.plan = "pay"
		}
	case "look on":
		b.post(ctx, b.at, "recheck", "")
		if b.step > 15 {
			b.done()
		}
	}
}

// cancelInConsole cancels a session as an operator does: it submits the form of the console. Once
// that was answered, the session's timeline must name the operator.
func (w *world) cancelInConsole(ctx context.Context, s *session) {
	path, host := "/admin/payments/"+s.id+"/cancel", w.host()
	h := http.Header{"X-Operator": {"operator"}, "Origin": {w.origin}}
	_, page, err := w.call(ctx, host, http.MethodGet, path, "", h)
	_, rest, _ := strings.Cut(string(page), `name="token" type="hidden" value="`)
	token, _, _ := strings.Cut(rest, `"`)
	if err != nil || token == "" {
		return // it has ended
	}
	form := url.Values{"token": {token}}.Encode()
	h.Set("Content-Type", "application/x-www-form-urlencoded")
	status, _, err := w.call(ctx, host, http.MethodPost, path, form, h)
	if err == nil && status == http.StatusSeeOther {
		s.operated.Store(true)
	}
}

// pay makes kind happen at the gateway, once.
func (b *shopper) pay(code string, kind sandbox.Kind) {
	if b.paid && kind != sandbox.KindParts {
		return
	}
	b.paid = true
	err := b.w.gateway.Pay(code, kind)
	b.w.note(b.at.id, "%s at the gateway: %s (%v)", code, kind, err)
}

// actAfterEnd comes after the end: ask whether the money has arrived after all,
// send it late, or start again.
func (b *shopper) actAfterEnd(ctx context.Context, v wire.View) {
	switch plan := b.at.plan; {
	case plan == "pay late" && b.paid:
		b.post(ctx, b.at, "recheck", "")
	case plan == "cancel" && !b.paid && v.Attempt != nil && b.rng.IntN(3) == 0:
		b.payAfterEnd(v.Attempt)
		b.post(ctx, b.at, "recheck", "")
	case plan == "start again" || plan == "change the coin":
		if b.at.plan, b.paid = "pay", false; v.Can(wire.Retry) {
			b.choose(ctx, v)
		}
		return
	}
	if b.step > 20 || b.rng.IntN(4) == 0 {
		b.done()
	}
}

// payAfterEnd pays in full what was cancelled, as a wallet does that was instructed before.
func (b *shopper) payAfterEnd(a *wire.Attempt) {
	amount, err := decimal.NewFromString(a.PayableAmount)
	code := b.w.payable(a)
	if err != nil || code == "" {
		return
	}
	b.paid = true
	err = b.w.gateway.PayAmount(code, amount)
	b.w.note(b.at.id, "%s is sent to %s, which has ended (%v)", amount, code, err)
}

// listen opens the page's socket and reads it until the process dies, the
// session's turn is over or the time to listen has passed.
func (b *shopper) listen(ctx context.Context, s *session) {
	dialer := websocket.Dialer{HandshakeTimeout: 10 * time.Second}
	header := b.forwarded()
	header.Set("Origin", b.w.origin)
	conn, _, err := dialer.DialContext(ctx, "ws://"+b.w.host()+"/checkout/"+s.id+"/live", header)
	if err != nil {
		return
	}
	name := b.name + "'s socket"
	b.sockets.Go(func() {
		defer conn.Close()
		stop := context.AfterFunc(ctx, func() { conn.Close() })
		defer stop()
		var last int64
		if conn.SetReadDeadline(time.Now().Add(b.w.listens)) != nil {
			return
		}
		for {
			_, message, err := conn.ReadMessage()
			if err != nil {
				return
			}
			b.w.secrets.search("a socket message", message)
			var v wire.View
			if err := json.Unmarshal(message, &v); err != nil {
				b.w.violate(s.id, "a socket message is not a view: %v", err)
				return
			}
			_, seen := see(message)
			b.w.observed.notified(name, s.id, seen)
			b.w.recordView(name, s, v)
			if v.Version < last { // which its history allows, as if it were late
				b.w.violate(s.id, "I7: %s sees version %d after %d", name, v.Version, last)
			}
			last = max(last, v.Version)
		}
	})
}
