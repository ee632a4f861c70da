package statement

import (
	"slices"
	"strings"
	"time"

	"coinslot/bff/currency"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"

	"github.com/shopspring/decimal"
)

// rowsOf returns the payments and refunds of a session, of any month. Times are in UTC.
func rowsOf(s *payment.Session, coins payment.Coins) []Row {
	var rows []Row
	for i := range s.Attempts {
		a := &s.Attempts[i]
		if a.HasMoney() {
			rows = append(rows, paymentRow(s, a, coins))
		}
	}
	for _, r := range s.Refunds {
		rows = append(rows, refundRow(s, r))
	}
	return rows
}

func paymentRow(s *payment.Session, a *payment.Attempt, coins payment.Coins) Row {
	r := Row{
		At:           a.ReceivedAt(),
		Kind:         kindOf(s, a, coins),
		OrderRef:     s.Order.Ref,
		Session:      s.ID,
		Attempt:      a.Number,
		TrackingCode: a.TrackingCode,
		Late:         a.Late,
		Symbol:       a.CurrencySymbol,
		Network:      a.NetworkCode,
		Amount:       a.Paid,
		TxIDs:        transactions(a),
	}
	_, r.Currency = s.Order.Price()

	q := quoteOf(s, a.CurrencySymbol, a.NetworkCode, a)
	switch {
	case a.Reason == payment.ReasonTxUsed && a.State == payment.InReview:
		r.Valued, r.GrossKnown = true, true // the money of another payment, which has its row
		r.Amount = decimal.Zero
	case a.State == payment.Confirmed, q.known && q.isPaid(a):
		r.Valued = q.known
		if over, err := decimal.NewFromString(a.Overpaid(a.Digits(coins))); err == nil {
			r.ExcessUSD = q.usd(over)
			r.Gross = q.shop(over)
		}
		r.GrossUSD = q.amountUSD.Add(r.ExcessUSD)
		r.Gross = r.Gross.Add(q.amount)
		r.GrossKnown = q.currencyKnown
	case q.known:
		r.Valued = true
		r.GrossUSD = q.usd(a.Paid)
		r.Gross = q.shop(a.Paid)
		r.GrossKnown = q.currencyKnown
	}
	if s.Order.Rate != nil && r.GrossKnown {
		r.Rate = s.Order.Rate.USDPerUnit
	}
	return r
}

// kindOf returns what the money of a is. What has not ended is a part so far.
func kindOf(s *payment.Session, a *payment.Attempt, coins payment.Coins) Kind {
	paidBy := s.Current()
	another := paidBy != nil && paidBy != a && paidBy.State == payment.Confirmed
	switch {
	case a.State == payment.Confirmed && a.Overpaid(a.Digits(coins)) != "":
		return Over
	case a.State == payment.Confirmed && a.Late:
		return Late
	case a.State == payment.Confirmed:
		return Paid
	case a.State == payment.InReview && another:
		return Double
	case a.State == payment.InReview:
		return Review
	case a.ResolvedCount > 0:
		return Unpaid
	}
	return Partial
}

func transactions(a *payment.Attempt) (ids []string) {
	for _, tx := range a.Txs {
		ids = append(ids, tx.ID)
	}
	if a.TxID != "" && !slices.Contains(ids, a.TxID) {
		ids = append(ids, a.TxID)
	}
	return ids
}

func refundRow(s *payment.Session, refund payment.Refund) Row {
	r := Row{
		At:       refund.RecordedAt,
		Kind:     Refund,
		OrderRef: s.Order.Ref,
		Session:  s.ID,
		Symbol:   refund.CurrencySymbol,
		Network:  refund.NetworkCode,
		Amount:   refund.Amount,
		TxIDs:    []string{refund.TxID},
	}
	_, r.Currency = s.Order.Price()
	q := quoteOf(s, refund.CurrencySymbol, refund.NetworkCode, nil)
	if q.known {
		r.Valued = true
		r.GrossUSD = q.usd(refund.Amount)
		r.Gross = q.shop(refund.Amount)
		r.GrossKnown = q.currencyKnown
		if s.Order.Rate != nil && r.GrossKnown {
			r.Rate = s.Order.Rate.USDPerUnit
		}
	}
	return r
}

// quote is what the gateway asked for in a coin, for the price of an order.
type quote struct {
	known     bool
	pay       decimal.Decimal // in the coin
	amountUSD decimal.Decimal
	// The price in the shop's currency, unless the order was converted anew since.
	amount        decimal.Decimal
	currency      string
	currencyKnown bool
}

// quoteOf returns the quote of attempt a, else that of another attempt of s in the coin, best of one
// that has money: the gateway opens a second transaction for one request without its amounts.
func quoteOf(s *payment.Session, symbol, network string, a *payment.Attempt) quote {
	best := a
	if a == nil || !isQuoted(a) {
		best = nil
		for i := range s.Attempts {
			other := &s.Attempts[i]
			same := strings.EqualFold(other.CurrencySymbol, symbol) &&
				strings.EqualFold(other.NetworkCode, network)
			if same && isQuoted(other) && (best == nil || !best.HasMoney()) {
				best = other
			}
		}
	}
	if best == nil {
		return quote{}
	}

	q := quote{known: true, pay: best.PayAmount, amountUSD: best.AmountUSD}
	q.amount, q.currency = s.Order.Price()
	q.currencyKnown = best.AmountUSD.Equal(s.Order.AmountUSD)
	return q
}

func isQuoted(a *payment.Attempt) bool {
	return a.PayAmount.IsPositive() && a.AmountUSD.IsPositive()
}

// isPaid reports whether a has been paid in full. What is missing within the tolerance counts as
// paid, as it does at the gateway.
func (q quote) isPaid(a *payment.Attempt) bool {
	return a.Paid.GreaterThanOrEqual(payment.LeastPaid(q.pay, a.Tolerance))
}

// usd returns what an amount of the coin is worth in dollars, to the cent.
func (q quote) usd(coins decimal.Decimal) decimal.Decimal {
	if !q.known {
		return decimal.Zero
	}
	return coins.Mul(q.amountUSD).DivRound(q.pay, 2)
}

// shop returns what an amount of the coin is worth in the shop's currency, to its smallest unit.
func (q quote) shop(coins decimal.Decimal) decimal.Decimal {
	if !q.known {
		return decimal.Zero
	}
	digits, ok := currency.Digits(q.currency)
	if !ok {
		digits = 2
	}
	return coins.Mul(q.amount).DivRound(q.pay, int32(digits))
}

// withdrawalRow returns a withdrawal, with its coin by the names of it.
func withdrawalRow(w gatewaylist.Withdrawal, names coinNames) Row {
	r := Row{
		At:           w.CreatedAt,
		Kind:         Withdrawal,
		TrackingCode: w.TrackingCode,
		Status:       w.Status,
		Destination:  w.Destination,
		GrossUSD:     w.AmountUSD,
		Valued:       w.AmountKnown,
	}
	if w.TxID != "" {
		r.TxIDs = []string{w.TxID}
	}
	r.Symbol, r.Network = names.find(w.CurrencyName, w.NetworkName)
	return r
}

// coinNames are the symbols and codes of coins by the names that the gateway's withdrawals have.
type coinNames map[[2]string][2]string

// newCoinNames returns the names of the gateway's coins, and of those of the sessions.
func newCoinNames(list []payment.Currency) coinNames {
	names := coinNames{}
	for _, c := range list {
		for _, n := range c.Networks {
			names.add(c.Name, n.Name, c.Symbol, n.Code)
		}
	}
	return names
}

func (n coinNames) add(currencyName, networkName, symbol, code string) {
	n[[2]string{strings.ToLower(currencyName), strings.ToLower(networkName)}] =
		[2]string{symbol, code}
}

// find returns the names themselves if they are of no coin that is known.
func (n coinNames) find(currencyName, networkName string) (symbol, network string) {
	key := [2]string{strings.ToLower(currencyName), strings.ToLower(networkName)}
	if known, ok := n[key]; ok {
		return known[0], known[1]
	}
	return currencyName, networkName
}

// setShares notes what the gateway's record of the payment says about its fee.
func (r *Row) setShares(record payment.Record) {
	r.PlatformShare = record.PlatformShare
	r.MerchantShare = record.MerchantShare
	r.FeePercent = record.FeePercent
	platform, err := decimal.NewFromString(record.PlatformShare)
	if err != nil {
		return
	}
	merchant, err := decimal.NewFromString(record.MerchantShare)
	if err != nil || platform.IsNegative() || merchant.IsNegative() {
		return
	}
	r.FeeKnown = platform.Add(merchant).Equal(record.AmountUSD)
	if r.FeeKnown {
		r.FeeUSD = platform
	}
}

// inMonth keeps the rows of a month, with their times in the zone, the oldest first.
func inMonth(rows []Row, m Month, zone *time.Location) []Row {
	var kept []Row
	for _, r := range rows {
		r.At = r.At.In(zone)
		if m.has(r.At, zone) {
			kept = append(kept, r)
		}
	}
	slices.SortStableFunc(kept, func(a, b Row) int { return a.At.Compare(b.At) })
	return kept
}
