package statement_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/bff/statement"
)

var (
	usdt = wire.Choice{CurrencySymbol: "USDT", NetworkCode: "trc20"}
	eth  = wire.Choice{CurrencySymbol: "ETH", NetworkCode: "eth"}
	btc  = wire.Choice{CurrencySymbol: "BTC", NetworkCode: "bitcoin"}
)

// A month goes by with everything that shoppers, the gateway and the merchant do, and days at both
// ends of it. Statement, CSV and journal agree with the cashbook to the last digit, and the month is
// closed once it is over.
func TestMonth(t *testing.T) {
	w := simulated(t, 33)
	st := w.read("2026-11")
	if st.State != statement.Closed {
		t.Errorf("%s %+v", st.Sentence(), st.Findings)
	}
	fortest.Has(t, "the sentence", st.Sentence(), "November 2026 is closed: it equals the gateway's")

	want := w.cashbook.briefs("2026-11")
	if len(want) < 30 {
		t.Fatalf("only %d lines in the cashbook", len(want))
	}
	kinds := map[string]int{}
	for _, e := range w.cashbook.of("2026-11") {
		kinds[e.kind]++
	}
	for _, kind := range []string{
		"paid", "late", "over", "partial", "double", "refund", "withdrawal",
	} {
		if kinds[kind] == 0 {
			t.Errorf("nothing in the month is %s: %v", kind, kinds)
		}
	}
	t.Logf("lines by kind: %v", kinds)
	same(t, "CSV", csvBriefs(t, st), want)
	fortest.Diff(t, journalAccounts(t, st), w.cashbook.accounts("2026-11"),
		"journal (-cashbook +statement)")

	// The sums by day and by coin are those of the month.
	var days, coins statement.Sum
	for _, d := range st.Days {
		days = addSums(days, d.Sum)
	}
	for _, c := range st.Coins {
		coins = addSums(coins, c.Sum)
	}
	total := addSums(statement.Sum{}, st.Total)
	fortest.Diff(t, days, total, "sums of days")
	fortest.Diff(t, coins, total, "sums of coins")
	fortest.Diff(t, exactly(rat(total.NetUSD().String())), exactly(w.cashbook.net("2026-11")), "net")

	// Neighbors have what is theirs.
	for _, month := range []string{"2026-10", "2026-12"} {
		st := w.read(month)
		st.Rows = slices.DeleteFunc(st.Rows, func(r statement.Row) bool {
			return r.Kind == statement.Withdrawal // October has those that each sandbox begins with
		})
		same(t, month, csvBriefs(t, st), w.cashbook.briefs(month))
	}
}

// addSums adds what has no names.
func addSums(a, b statement.Sum) statement.Sum {
	return statement.Sum{
		Payments:     a.Payments + b.Payments,
		GrossUSD:     a.GrossUSD.Add(b.GrossUSD),
		FeeUSD:       a.FeeUSD.Add(b.FeeUSD),
		FeeUnknown:   a.FeeUnknown + b.FeeUnknown,
		Refunds:      a.Refunds + b.Refunds,
		RefundedUSD:  a.RefundedUSD.Add(b.RefundedUSD),
		Withdrawals:  a.Withdrawals + b.Withdrawals,
		WithdrawnUSD: a.WithdrawnUSD.Add(b.WithdrawnUSD),
	}
}

func (l *cashbook) net(month string) *big.Rat {
	net := zero()
	for _, e := range l.of(month) {
		switch e.kind {
		case "withdrawal":
		case "refund":
			net.Sub(net, e.usd)
		default:
			net.Add(net, e.usd)
			if e.fee != nil {
				net.Sub(net, e.fee)
			}
		}
	}
	return net
}

// A month that is not over is open, and says how it stands so far; one whose lists the gateway does
// not give is not closed, but has what is known here.
func TestMonthIsNotClosed(t *testing.T) {
	w := newWorld(t, time.Date(2026, 10, 31, 9, 0, 0, 0, time.UTC))
	w.Run(72 * time.Hour) // behind the withdrawals that each sandbox begins with
	o := w.open("1001", "25.00", "USD", usdt)
	o.send(o.payable())
	w.Run(time.Minute)
	st := w.read("2026-11")
	fortest.Equal(t, st.State, statement.Open, "state of a month that is not over: %v", st.Findings)
	fortest.Has(t, "the sentence", st.Sentence(), "So far, it equals")

	w.live(time.Date(2026, 12, 2, 9, 0, 0, 0, time.UTC))
	fortest.Equal(t, w.read("2026-11").State, statement.Closed, "state of a month that is over")
	w.gateway.Inject(sandbox.Fault{Status: http.StatusServiceUnavailable, Times: -1})
	st = w.read("2026-11")
	fortest.Equal(t, st.State, statement.Unchecked, "state without the gateway's lists")
	fortest.Has(t, "the sentence", st.Sentence(), "is not closed", "could not be read completely")
	fortest.Equal(t, len(st.Rows), 1, "rows without the gateway's lists")
	fortest.Equal(t, st.Total.FeeUnknown, 1, "payments whose fee is not known")
}

// simulated returns a world in which November 2026 has passed, with so many orders of all kinds.
func simulated(t *testing.T, orders int) *world {
	w := newWorld(t, time.Date(2026, 10, 30, 0, 0, 0, 0, time.UTC))
	begins := w.Clock.Now()
	for day := range 36 {
		w.plan(begins.AddDate(0, 0, day), func() { w.setEuro(fmt.Sprintf("1.08%02d", day)) })
	}
	for n := range orders {
		w.plan(begins.Add(time.Hour+time.Duration(w.random.IntN(33*24*60))*time.Minute), func() {
			w.someOrder(n)
		})
	}

	// Midnight is that of Berlin.
	midnight := time.Date(2026, 11, 1, 0, 0, 0, 0, w.zone)
	for n, at := range []time.Time{midnight, time.Date(2026, 12, 1, 0, 0, 0, 0, w.zone)} {
		for i, offset := range []time.Duration{-time.Second, 0} {
			w.plan(at.Add(offset-time.Minute), func() {
				o := w.open(fmt.Sprintf("edge %d.%d", n, i), "20.00", "USD", usdt)
				w.in(time.Minute, func() {
					o.send(o.payable())
					o.book("paid", true, o.paidAt)
				})
			})
		}
	}

	w.plan(time.Date(2026, 11, 9, 3, 0, 0, 0, time.UTC), func() { w.outage(5 * time.Hour) })
	w.plan(time.Date(2026, 11, 9, 2, 58, 0, 0, time.UTC), func() { // paid while it lasts
		o := w.open("outage", "33.33", "USD", usdt)
		w.in(10*time.Minute, func() {
			o.send(o.payable())
			o.book("paid", true, o.paidAt)
		})
	})
	w.plan(time.Date(2026, 11, 12, 0, 0, 0, 0, time.UTC), func() { w.setFee("0.75") })
	w.plan(time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC), func() { w.setFee("1.25") })
	w.plan(time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC), func() { w.withdraw(usdt, "512.25") })
	w.plan(time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC), func() { w.withdraw(eth, "1100.00") })
	w.live(time.Date(2026, 12, 6, 0, 0, 0, 0, time.UTC))
	return w
}

func (w *world) setFee(percent string) {
	w.fee = percent
	w.gateway.SetFee(dec(percent))
}

// someOrder is an order of which anything may become.
func (w *world) someOrder(n int) {
	refs := []string{"%04d", "order %d", "=1+%d", "A;%d, \"quoted\"", "Ünï→%d"}
	ref := fmt.Sprintf(refs[n%len(refs)], n)
	coin := []wire.Choice{usdt, usdt, eth, btc}[w.random.IntN(4)]
	price := fmt.Sprintf("%d.%02d", 15+w.random.IntN(200), w.random.IntN(100))
	currency := []string{"USD", "EUR"}[w.random.IntN(2)]
	if !w.answers() {
		return
	}
	o := w.open(ref, price, currency, coin)
	soon := func(do func()) { w.in(time.Duration(1+w.random.IntN(20))*time.Minute, do) }
	share := func(percent int64) *big.Rat { return times(o.asked, big.NewRat(percent, 1), rat("100")) }
	switch n % 11 {
	case 0, 1, 2: // as asked
		soon(func() { o.send(o.payable()); o.book("paid", true, o.paidAt) })
	case 3: // a little too little, within the tolerance
		soon(func() { o.send(times(o.asked, rat("99.5"), rat("100"))); o.book("paid", true, o.paidAt) })
	case 4: // in two parts
		soon(func() {
			o.send(share(40))
			w.in(4*time.Minute, func() { o.send(share(61)); o.book("over", true, o.paidAt) })
		})
	case 5: // too much, and the excess is sent back
		soon(func() {
			o.send(share(130))
			o.book("over", true, o.paidAt)
			w.in(26*time.Hour, func() {
				o.refund(dec(share(30).FloatString(18)).Truncate(6).String())
			})
		})
	case 6: // too little; some of these are sent back
		soon(func() {
			o.send(share(45))
			seen := o.seenAt()
			w.in(50*time.Hour, func() {
				o.book("partial", false, seen())
				if n%2 == 0 {
					o.refund(exactly(o.paid))
				}
			})
		})
	case 7: // hours after the time to pay
		w.in(5*time.Hour, func() { o.send(o.payable()); o.book("late", true, o.paidAt) })
	case 8: // twice: the coin is changed, and both are paid
		soon(func() {
			first := *o
			second := usdt
			if coin == usdt {
				second = eth
			}
			o.choose(second)
			w.in(2*time.Minute, func() { o.send(o.payable()); o.book("paid", true, o.paidAt) })
			w.in(30*time.Minute, func() { first.send(first.payable()); first.book("double", true, first.paidAt) })
		})
	case 9: // paid, and sent back
		soon(func() {
			o.send(o.payable())
			o.book("paid", true, o.paidAt)
			w.in(70*time.Hour, func() { o.refund(exactly(o.paid)) })
		})
	}
}

// answers reports whether the gateway is not in its outage.
func (w *world) answers() bool { return len(w.gateway.Faults()) == 0 }

// seenAt returns a function that tells when the checkout saw the first money of o: what the gateway
// states no time of is of then.
func (o *order) seenAt() func() time.Time {
	return func() time.Time {
		s := o.w.Load(o.id)
		for _, e := range o.w.Store.EventsOf(o.id) {
			if strings.HasSuffix(string(e.Type), "partial") {
				return e.At
			}
		}
		o.w.T.Fatalf("no part of %s was reported: %v", o.ref, s.Timeline)
		return time.Time{}
	}
}

// csvBriefs reads the file for programs back, as lines of a cashbook.
func csvBriefs(t *testing.T, st statement.Statement) (list []string) {
	t.Helper()
	var file bytes.Buffer
	fortest.OK(t, st.WriteCSV(&file))
	rows := readCSV(t, file.String())
	for _, cells := range rows[1:] {
		row := map[string]string{}
		for i, name := range rows[0] {
			row[name] = cells[i]
		}
		positive := func(name string) *big.Rat {
			text := row[name]
			if row["kind"] == "refund" {
				text = strings.TrimPrefix(text, "-")
			}
			return rat(text)
		}
		e := line{
			at:   fortest.Must(time.Parse(time.RFC3339, row["at"]))(t),
			kind: row["kind"],
			ref:  row["order_ref"],
			coin: strings.ToUpper(row["coin"] + "-" + row["network"]),
			tx:   row["tx_ids"],
		}
		if row["kind"] == "withdrawal" {
			e.ref = row["tracking_code"]
			e.usd = rat(row["withdrawn_usd"])
			e.tx = ""
		} else {
			e.usd = positive("gross_usd")
			e.shop = positive("gross")
			e.priceIn = row["currency"]
			e.amount = exactly(positive("coin_amount"))
		}
		if row["excess_usd"] != "" {
			e.excess = rat(row["excess_usd"])
		}
		if row["fee_usd"] != "" {
			e.fee = rat(row["fee_usd"])
		}
		list = append(list, e.brief())
	}
	return list
}

func readCSV(t *testing.T, text string) [][]string {
	t.Helper()
	return fortest.Must(csv.NewReader(strings.NewReader(text)).ReadAll())(t)
}

var posted = regexp.MustCompile(`(?m)^    ([A-Z]\S+) +(-?[0-9.]+) USD$`)

// journalAccounts returns the balances of the journal by account. Both journals have the same.
func journalAccounts(t *testing.T, st statement.Statement) map[string]string {
	t.Helper()
	balances := map[string]map[string]string{}
	for _, format := range []statement.JournalFormat{statement.HLedger, statement.Beancount} {
		var file bytes.Buffer
		fortest.OK(t, st.WriteJournal(&file, format))
		text := strings.ReplaceAll(file.String(), "\n  ", "\n    ")
		text = strings.ReplaceAll(text, "\n      ", "\n    ")
		sums := map[string]*big.Rat{}
		total := zero()
		for _, found := range posted.FindAllStringSubmatch(text, -1) {
			if sums[found[1]] == nil {
				sums[found[1]] = zero()
			}
			sums[found[1]].Add(sums[found[1]], rat(found[2]))
			total.Add(total, rat(found[2]))
		}
		fortest.Equal(t, total.Sign(), 0, "the sum of all postings for %s", format)
		balances[string(format)] = map[string]string{}
		for account, sum := range sums {
			if sum.Sign() != 0 {
				balances[string(format)][account] = exactly(sum)
			}
		}
	}
	list := slices.Collect(maps.Values(balances))
	fortest.Diff(t, list[0], list[1], "the journals for hledger and Beancount")
	return list[0]
}
