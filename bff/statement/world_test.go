package statement_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/fortest"
	"coinslot/bff/gateway"
	"coinslot/bff/payment"
	"coinslot/bff/rates"
	"coinslot/bff/sandbox"
	"coinslot/bff/statement"
	"coinslot/bff/token"

	"github.com/shopspring/decimal"
)

// world is a shop in Berlin with the real checkout, store and client at a sandbox gateway, and a
// clock that the test moves.
type world struct {
	*checkouttest.Shop
	gateway  *sandbox.Server
	client   *gateway.Client
	zone     *time.Location
	cashbook cashbook
	random   *rand.Rand
	agenda   []appointment
	fee      string // of transactions that are opened now, in percent
	refs     int
}

// appointment is what happens at a time.
type appointment struct {
	at time.Time
	do func()
}

// newWorld returns a shop that opens at a time.
func newWorld(t *testing.T, begins time.Time) *world {
	h := checkouttest.NewShop(t)
	h.Clock.Move(begins.Sub(h.Clock.Now()))
	gw := sandbox.New(sandbox.Config{Now: h.Clock.Now, Seed: 1})
	api := httptest.NewServer(gw)
	t.Cleanup(api.Close)
	client := fortest.Must(gateway.New(gateway.Config{
		URL: api.URL,
		Key: sandbox.DefaultKey,
		Now: h.Clock.Now,
	}))(t)
	zone := fortest.Must(time.LoadLocation("Europe/Berlin"))(t)
	w := &world{
		Shop:     h,
		gateway:  gw,
		client:   client,
		zone:     zone,
		cashbook: cashbook{t: t, zone: zone},
		random:   rand.New(rand.NewPCG(1, 2)),
		fee:      "1",
	}
	h.Service = checkout.New(checkout.Config{
		Store:       h.Store,
		Gateway:     client,
		Tokens:      token.Builtin(),
		Page:        "https://shop.test/checkout/",
		PaymentPage: api.URL + "/pay",
		Now:         h.Clock.Now,
		Rates: &rates.Exchange{
			Source:        rates.ECB,
			Store:         h.Store.DB,
			SpreadPercent: decimal.Zero,
			Now:           h.Clock.Now,
		},
	})
	return w
}

// read reads a month.
func (w *world) read(month string) statement.Statement {
	w.T.Helper()
	source := statement.Source{
		Sessions:   w.Store.DB,
		Gateway:    w.client,
		Currencies: w.client.Currencies,
		Coins:      token.Builtin(),
		Zone:       w.zone,
		Shop:       "Café & Söhne",
		Now:        w.Clock.Now,
	}
	m := fortest.Must(statement.ParseMonth(month))(w.T)
	return fortest.Must(source.Read(w.T.Context(), m))(w.T)
}

// plan makes something happen at a time.
func (w *world) plan(at time.Time, do func()) {
	w.agenda = append(w.agenda, appointment{at, do})
}

// in is plan for a time from now on.
func (w *world) in(d time.Duration, do func()) { w.plan(w.Clock.Now().Add(d), do) }

// live lets everything happen until a time.
func (w *world) live(until time.Time) {
	w.T.Helper()
	for {
		slices.SortStableFunc(w.agenda, func(a, b appointment) int { return a.at.Compare(b.at) })
		if len(w.agenda) == 0 || !w.agenda[0].at.Before(until) {
			w.Run(until.Sub(w.Clock.Now()))
			return
		}
		next := w.agenda[0]
		w.agenda = w.agenda[1:]
		if wait := next.at.Sub(w.Clock.Now()); wait > 0 {
			w.Run(wait)
		}
		next.do()
	}
}

// setEuro stores a rate of the euro that serves for a day.
func (w *world) setEuro(usd string) {
	w.T.Helper()
	_, version, err := w.Store.DB.LoadRates(w.T.Context())
	fortest.OK(w.T, err)
	now := w.Clock.Now()
	fortest.OK(w.T, w.Store.DB.SaveRates(w.T.Context(), rates.State{
		Source: rates.ECB,
		AsOf:   now,
		Currencies: map[string]rates.Entry{"EUR": {Rate: rates.Rate{
			Fraction:   usd,
			Source:     rates.ECB,
			AsOf:       now,
			ValidUntil: now.Add(25 * time.Hour),
		}}},
	}, version))
}

// order is one order with the transaction that is open for it.
type order struct {
	w                *world
	ref, id          string
	price, currency  string
	usd              *big.Rat
	coin             wire.Choice
	fee              string
	tracking         string
	asked            *big.Rat // in the coin
	decimals         int32
	paid             *big.Rat
	paidAt           time.Time
	lastTx           string
	confirmedAlready bool
}

// open opens an order and chooses its coin. A price in euros is charged in dollars, up to the cent.
func (w *world) open(ref, price, currency string, coin wire.Choice) *order {
	w.T.Helper()
	o := payment.Order{Ref: ref}
	amount := decimal.RequireFromString(price)
	if currency == "USD" {
		o.AmountUSD = amount
	} else {
		o.Amount = amount
		o.Currency = currency
	}
	opened, err := w.Service.Open(w.T.Context(), o, "")
	fortest.OK(w.T, err)
	order := &order{w: w, ref: ref, id: opened.ID, price: price, currency: currency}
	order.choose(coin)
	return order
}

// choose opens a transaction in a coin.
func (o *order) choose(coin wire.Choice) {
	o.w.T.Helper()
	s, err := o.w.Choose(o.id, coin)
	fortest.OK(o.w.T, err)
	o.coin = coin
	o.fee = o.w.fee
	o.tracking = s.Current().TrackingCode
	o.paid = zero()
	tx := o.atGateway()
	o.usd = rat(tx.AmountUSD.String())
	o.asked = rat(tx.PayAmount.String())
	o.decimals = tx.Decimals
}

func (o *order) atGateway() sandbox.Transaction {
	o.w.T.Helper()
	all := o.w.gateway.Transactions()
	i := slices.IndexFunc(all, func(t sandbox.Transaction) bool {
		return t.TrackingCode == o.tracking
	})
	if i < 0 {
		o.w.T.Fatalf("the gateway has no transaction %q of order %s", o.tracking, o.ref)
	}
	return all[i]
}

// payable is what a wallet can send of what is asked: rounded up to the coin's digits.
func (o *order) payable() *big.Rat {
	asked := decimal.RequireFromString(exactly(o.asked))
	return rat(asked.RoundCeil(o.decimals).String())
}

// send sends an amount to the address.
func (o *order) send(amount *big.Rat) {
	o.w.T.Helper()
	text := decimal.RequireFromString(amount.FloatString(18)).Truncate(o.decimals)
	fortest.OK(o.w.T, o.w.gateway.PayAmount(o.tracking, text))
	o.paid.Add(o.paid, rat(text.String()))
	o.paidAt = o.w.Clock.Now()
	sent := o.atGateway().Transfers
	if o.lastTx != "" {
		o.lastTx += " "
	}
	o.lastTx += sent[len(sent)-1].TxID
}

// book writes what came into the cashbook. full = the price was paid, so the gateway takes its fee.
func (o *order) book(kind string, full bool, at time.Time) {
	e := line{
		at:      at,
		kind:    kind,
		ref:     o.ref,
		price:   o.price,
		priceIn: o.currency,
		coin:    coinOf(o.coin),
		amount:  exactly(o.paid),
		tx:      o.lastTx,
	}
	worth := func(price *big.Rat) *big.Rat {
		if !full {
			return cents(times(o.paid, price, o.asked))
		}
		over := new(big.Rat).Sub(o.paid, o.payable())
		if over.Sign() < 0 {
			over = zero()
		}
		return new(big.Rat).Add(price, cents(times(over, price, o.asked)))
	}
	e.usd = worth(o.usd)
	e.shop = worth(rat(o.price))
	if full {
		e.excess = new(big.Rat).Sub(e.usd, o.usd)
		e.fee = times(o.usd, rat(o.fee), rat("100"))
	}
	o.w.cashbook.add(e)
}

// refund sends an amount back, and has it recorded.
func (o *order) refund(amount string) {
	o.w.T.Helper()
	o.w.refs++
	tx := fmt.Sprintf("%064x", o.w.refs)
	if _, err := token.Builtin().TransactionKey(o.coin.NetworkCode, tx); err != nil {
		tx = "0x" + tx
	}
	_, err := o.w.Service.Change(o.w.T.Context(), o.id, func(s *payment.Session, now time.Time) error {
		return s.Refund(payment.Refund{
			Amount:         decimal.RequireFromString(amount),
			CurrencySymbol: o.coin.CurrencySymbol,
			NetworkCode:    o.coin.NetworkCode,
			TxID:           tx,
			By:             payment.ByMerchant,
		}, payment.RefundTerms{Coins: token.Builtin()}, now)
	})
	fortest.OK(o.w.T, err)
	back := rat(amount)
	o.w.cashbook.add(line{
		at:      o.w.Clock.Now(),
		kind:    "refund",
		ref:     o.ref,
		priceIn: o.currency,
		usd:     cents(times(back, o.usd, o.asked)),
		shop:    cents(times(back, rat(o.price), o.asked)),
		coin:    coinOf(o.coin),
		amount:  amount,
		tx:      tx,
	})
}

// withdraw has the gateway pay out.
func (w *world) withdraw(coin wire.Choice, usd string) {
	w.T.Helper()
	code, err := w.gateway.Withdraw(coin.CurrencySymbol, coin.NetworkCode,
		decimal.RequireFromString(usd))
	fortest.OK(w.T, err)
	w.cashbook.add(line{
		at:   w.Clock.Now().Truncate(time.Second),
		kind: "withdrawal",
		ref:  code,
		usd:  rat(usd),
		coin: coinOf(coin),
	})
}

func coinOf(c wire.Choice) string {
	return map[string]string{"trc20": "USDT-TRC20", "eth": "ETH-ETH", "bitcoin": "BTC-BITCOIN"}[c.NetworkCode]
}

// outage makes the gateway answer nothing for a while.
func (w *world) outage(d time.Duration) {
	w.gateway.Inject(sandbox.Fault{Status: http.StatusServiceUnavailable, Times: -1})
	w.in(d, w.gateway.ClearFaults)
}

func dec(text string) decimal.Decimal { return decimal.RequireFromString(text) }
