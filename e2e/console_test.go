package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/sandbox"
	"coinslot/bff/sandbox/sandboxtest"
	"coinslot/bff/store"
	"coinslot/e2e/browser"
	"coinslot/e2e/need"

	"github.com/shopspring/decimal"
)

// The console's password and its hash, as cheap as is taken.
const (
	consoleWord = "correct horse battery"
	consoleHash = "$argon2id$v=19$m=7168,t=1,p=1$c2FsdC1vZi10aGUtdGVzdHM$EPZS0jqRTa5QmdHhlKt5AmXxNzShvNJ6QL1bF+W4E5w"
)

// consoleStack is a stack with a console and a month behind it, and three payments in review.
func consoleStack(t *testing.T) (s *stack, reviews []string) {
	t.Helper()
	dsn := filepath.Join(t.TempDir(), "month.db")
	pastMonth(t, dsn)
	s = newStack(t, "COINSLOT_ADMIN_PASSWORD="+consoleHash, "COINSLOT_DATABASE="+dsn)
	paidID := s.session(order{
		"amount_usd": "18.50",
		"order_ref":  "ORD-2041",
		"title":      "House blend, 500 g",
		"email":      "ann@shop.example",
		"metadata":   map[string]string{"cart": "b7", "<i>note</i>": "=1+1"},
	})
	s.chooseByForm(paidID)
	s.payLast("pay")
	s.awaitStatus(paidID, "confirmed")
	overpaid := s.session(order{
		"amount_usd": "64.00",
		"order_ref":  "ORD-2042",
		"title":      "Pour-over set",
		"email":      "eva@shop.example",
	})
	s.chooseByForm(overpaid)
	s.payLast("over")
	s.awaitStatus(overpaid, "confirmed")
	s.gateway.Falsify(sandboxtest.Answer{
		Path:  "transaction/status",
		Times: -1,
		Set:   map[string]any{"amount_usd": "1.00000000"},
	})
	hostile := "<b>Two</b> mugs, " + strings.Repeat("Saturdaynight", 9)
	for i, title := range []string{
		map[bool]string{true: hostile, false: "Two enamel mugs"}[*screens == ""],
		"House blend, 500 g",
		"Tasting box",
	} {
		id := s.session(order{
			"amount_usd": []string{"29.80", "18.50", "36.00"}[i],
			"order_ref":  fmt.Sprintf("ORD-%d", 2043+i),
			"title":      title,
			"email":      "bob@shop.example",
		})
		s.chooseByForm(id)
		s.payLast("pay")
		s.awaitStatus(id, "review")
		reviews = append(reviews, id)
	}
	return s, reviews // the fault stays: a gateway that is well proves them by itself
}

// chooseByForm chooses a coin as a page without scripts does.
func (s *stack) chooseByForm(id string) {
	s.t.Helper()
	comment := map[bool]string{
		true:  "<script>alert(1)</script>",
		false: "Please leave it with the neighbors.",
	}[*screens == ""]
	resp := fortest.Must(http.PostForm(s.base+"/checkout/"+id+
		"/attempts", url.Values{
		"currency_symbol": {"USDT"},
		"network_code":    {"trc20"},
		"email":           {"bob@shop.example"},
		"comment":         {comment},
	}))(s.t)
	resp.Body.Close()
	s.awaitStatus(id, "pending")
}

// payLast has the last transaction paid.
func (s *stack) payLast(kind sandbox.Kind) {
	s.t.Helper()
	all := s.issued()
	fortest.OK(s.t, s.gateway.Pay(all[len(all)-1].TrackingCode, kind))
}

func (s *stack) awaitStatus(id, status string) {
	s.t.Helper()
	fortest.Until(s.t, "the status "+status,
		func() bool { return string(s.read(id).Status) == status })
}

// pastMonth fills a database with the orders of two months, always the same ones.
func pastMonth(t *testing.T, dsn string) {
	t.Helper()
	db := fortest.Must(store.Open(t.Context(), store.Config{DSN: dsn}))(t)
	dice := rand.New(rand.NewPCG(1, 2))
	titles := []string{
		"House blend, 500 g", "Enamel mug", "Pour-over set", "Hand grinder", "Tasting box",
		"Filters, 100",
	}
	prices := []int64{1850, 1490, 6400, 12900, 3600, 650}
	coins := [][5]string{
		{"USDT", "trc20", "TRON (TRC20)", "Tether", "1"},
		{"USDT", "bep20", "BNB Smart Chain (BEP20)", "Tether", "1"},
		{"ETH", "arbitrum", "Arbitrum One", "Ether", "3200"},
		{"TON", "ton", "TON", "Toncoin", "3.2"},
		{"USDC", "polygon", "Polygon", "USD Coin", "1"},
	}
	for n, day := 0, 59; day > 0; day-- {
		if *screens == "" && day%7 != 0 {
			continue
		}
		for range 3 + dice.IntN(9) - day/20 {
			n++
			at := time.Now().UTC().AddDate(0, 0,
				-day).Truncate(24 * time.Hour).Add(time.Duration(dice.IntN(86_000)) * time.Second)
			product, coin := dice.IntN(len(titles)), coins[min(dice.IntN(len(coins)), dice.IntN(8))]
			amount := decimal.New(prices[product], -2)
			coins := amount.DivRound(decimal.RequireFromString(coin[4]), 6)
			state, status := payment.Confirmed, wire.Confirmed
			switch dice.IntN(7) {
			case 0:
				state, status = payment.Expired, wire.Expired
			case 1:
				state, status = payment.Cancelled, wire.Cancelled
			}
			o := payment.Order{
				AmountUSD: amount,
				Ref:       fmt.Sprintf("ORD-%d", 1500+n),
				Title:     titles[product],
				Email:     fmt.Sprintf("shopper%d@shop.example", 1+dice.IntN(60)),
			}.Complete()
			s := payment.Session{
				ID:        payment.NewSessionID(),
				Status:    status,
				Order:     o,
				Digest:    o.Digest(),
				CreatedAt: at,
				ExpiresAt: at.Add(24 * time.Hour),
				CheckedAt: at.Add(4 * time.Minute),
				Attempts: []payment.Attempt{{
					Number:         1,
					State:          state,
					Marker:         fmt.Sprintf("cs-%d", n),
					OrderID:        200_000 + n,
					CurrencySymbol: coin[0],
					CurrencyName:   coin[3],
					NetworkCode:    coin[1],
					NetworkName:    coin[2],
					AmountUSD:      amount,
					StartedAt:      at,
					TrackingCode:   fmt.Sprintf("TRK%d", n),
					PayAmount:      coins,
					PayText:        coins.StringFixed(8),
					EndedAt:        at.Add(4 * time.Minute),
				}},
				Timeline: []payment.TimelineEntry{
					{At: at, By: "merchant", What: "session.created"},
				},
			}
			if state == payment.Confirmed {
				s.Attempts[0].Paid = coins
				s.Attempts[0].PaidAt = at.Add(3 * time.Minute)
				s.Attempts[0].TxID = fmt.Sprintf("%064x", n)
			}
			fortest.Must(db.Insert(context.Background(), s))(t)
		}
	}
	fortest.OK(t, db.Close())
}

// signIn opens the console in a browser.
func signIn(t *testing.T, s *stack, o browser.Options) *browser.Page {
	t.Helper()
	p := chromium.Open(t, s.base+"/admin", o)
	p.Type(`#f-password`, consoleWord)
	p.Click(`[data-part="sign-in"]`)
	p.WaitText("h1", "Overview")
	return p
}

// TestConsole is an operator's shift in the console.
func TestConsole(t *testing.T) {
	runParallel(t)
	s, reviews := consoleStack(t)
	for i, name := range []string{"with scripts", "without scripts"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.resolves(t, reviews[i], browser.Options{NoJS: i == 1, Height: 1200})
		})
	}
}

// TestFullConsoleLooks is how the console's pages look. With -screens it leaves pictures.
func TestFullConsoleLooks(t *testing.T) {
	runParallel(t)
	s, reviews := consoleStack(t)
	for _, look := range []consoleLook{{"light", 1280, 1160, false}, {"phone", 390, 844, true}} {
		t.Run(look.name, func(t *testing.T) {
			t.Parallel()
			s.fits(t, look, reviews[2])
		})
	}
}

// resolves signs in, sees what needs attention, finds the payment by its address, reads its
// timeline, resolves it, sends a webhook again and a test, and signs out.
func (s *stack) resolves(t *testing.T, review string, o browser.Options) {
	p := signIn(t, s, o)
	p.WaitText(`[data-part="need"] h3`, "in review")
	p.Type("#f-q", s.addressOf(review))
	p.Click(`[data-part="search"]`)
	p.WaitText(`[data-part="review"]`, "The gateway reports another price")
	p.Click(`[data-part="resolve-confirmed"]`)
	p.WaitText(".never", "A confirmed payment cannot be revoked.")
	p.Type("#f-reason", "seen in the explorer")
	p.Click(`[data-part="do-resolve-confirmed"]`)
	p.WaitText(`[data-part="notice"]`, "Resolved as paid")
	p.WaitText(`[data-part="status"]`, "Confirmed")
	p.WaitText(`[data-what="session.resolved"]`, "console:operator")
	s.sink.await(t, review, "checkout.confirmed")
	p.Click(`#webhooks tr:first-child [data-part="redeliver"]`)
	p.WaitText("h1", "Send this webhook again?")
	p.Click(`[data-part="do-redeliver"]`)
	p.WaitText(`[data-part="notice"]`, "being sent again")
	p.Click(`.sections a[href="/admin/webhooks"]`)
	p.Click(`[data-part="test"]`)
	p.Click(`[data-part="do-test"]`)
	p.WaitText("h1", "Test accepted")
	p.Click(`[data-part="logout"]`)
	p.WaitText(`[data-part="notice"]`, "You are signed out.")
	p.Goto(s.base + "/admin/payments/" + review)
	p.Wait(`[data-part="sign-in"]`)
	for _, line := range p.Console() {
		if !strings.Contains(line, "403") { // the sign-in page answers so
			t.Errorf("the browser said %q", line)
		}
	}
}

// addressOf is where the payment of a session goes.
func (s *stack) addressOf(id string) string {
	s.t.Helper()
	code := s.read(id).Attempts[0].TrackingCode
	for _, tx := range s.issued() {
		if tx.TrackingCode == code {
			return tx.WalletAddress
		}
	}
	s.t.Fatalf("the gateway has no transaction of %s", id)
	return ""
}

// consolePages are pages that have something to show.
func consolePages(review string) map[string]string {
	return map[string]string{
		"overview":       "/admin",
		"payments":       "/admin/payments",
		"payment":        "/admin/payments/" + review,
		"settle":         "/admin/payments/" + review + "/confirm",
		"audit":          "/admin/audit",
		"webhooks":       "/admin/webhooks",
		"test":           "/admin/webhooks/test",
		"transactions":   "/admin/transactions",
		"withdrawals":    "/admin/withdrawals",
		"reconciliation": "/admin/reconciliation",
		"origins":        "/admin/origins",
		"nothing":        "/admin/payments?q=nothing",
	}
}

const twoLines = `['a payment takes more than two lines', phone && [...document.querySelectorAll('tbody tr')].some(e => e.offsetHeight > 72)]`

// consoleFaults are what must not be so on a page, by its name, as JavaScript that knows phone.
var consoleFaults = map[string]string{
	"transactions": twoLines,
	"payments": twoLines + `,
		['the filters are folded on a desk, or not on a phone', document.querySelector('.fields').checkVisibility() === phone],
		['coins or networks are not what occurs', !/^all,ETH,TON,(USDC,)?USDT,all,arbitrum,bep20,(polygon,)?ton,trc20$/.test([...document.querySelectorAll('#f-coin option, #f-network option')].map(e => e.value))]`,
	"payment": `['a phone has to scroll far', phone && document.body.scrollHeight > 2100],
		['the order is wrong', [...document.querySelectorAll('main [data-part="status"], main .block > h2')].map(e => e.textContent).join() !== 'Review,Timeline,Webhooks,Order,Pages,Identifiers'],
		['identifiers are folded on a desk, or not on a phone', document.querySelector('.ids').checkVisibility() === phone],
		['webhooks are no table', !phone && getComputedStyle(document.querySelector('.deliveries td')).display !== 'table-cell']`,
	"overview": `['an overpaid order needs no attention', !document.querySelector('.needs').textContent.includes('overpaid')]`,
}

// consoleLook is how a page is looked at.
type consoleLook struct {
	name          string
	width, height int
	dark          bool
}

// fits holds that every page passes axe and is no wider than the screen, with long
// and strange texts in it.
func (s *stack) fits(t *testing.T, look consoleLook, review string) {
	axe := fortest.Must(os.ReadFile(need.File(t, "../.cache/npm/axe-core/axe.min.js")))(t)
	p := signIn(t, s, browser.Options{Width: look.width, Height: look.height, Dark: look.dark})
	for name, path := range consolePages(review) {
		if *screens == "" && !look.dark &&
			!slices.Contains([]string{"overview", "payments", "payment", "settle"}, name) {
			continue // made of the same parts
		}
		p.Goto(s.base + path)
		p.Wait("h1")
		var found, faults, wide []string
		p.Eval(string(axe)+";0", nil)
		p.Eval(
			`axe.run(document, {resultTypes: ['violations']}).then(r => r.violations.map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.target.join(' ') + ' ' + (n.any[0]?.message ?? '')).join('; ')))`,
			&found,
		)
		p.Eval(
			`(phone => [['there is no search', document.querySelectorAll('[role="search"] #f-q').length !== 1], `+
				consoleFaults[name]+`].filter(f => f[1]).map(f => f[0]))(`+strconv.FormatBool(look.width < 600)+`)`,
			&faults,
		)
		for _, v := range append(found, faults...) {
			t.Errorf("%s: %s", name, v)
		}
		for _, width := range []int{280, look.width} {
			p.Resize(width, look.height)
			p.Eval(
				`document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1).slice(0, 5).map(e => e.outerHTML.slice(0, 120))`,
				&wide,
			)
			if len(wide) > 0 {
				t.Errorf("%s is wider than the screen of %d px: %q", name, width, wide)
			}
		}
		if *screens != "" {
			picture := strings.NewReplacer("-light", "", "overview-phone",
				"phone").Replace("console-" + name + "-" + look.name)
			p.Screenshot(filepath.Join(*screens, picture+".png")) // docs/console.md has some
		}
	}
}
