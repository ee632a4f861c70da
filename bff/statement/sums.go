package statement

import (
	"cmp"
	"slices"
	"time"

	"github.com/shopspring/decimal"
)

// Sum is what rows come to. Dollars of rows without a known value are in none.
type Sum struct {
	Payments int
	GrossUSD decimal.Decimal // of payments
	// FeeUSD is the gateway's, of the payments whose shares add up. FeeUnknown are the others.
	FeeUSD     decimal.Decimal
	FeeUnknown int
	Gross      []Money // of payments, by the shop's currencies

	Refunds     int
	RefundedUSD decimal.Decimal

	Withdrawals  int // that were confirmed
	WithdrawnUSD decimal.Decimal
}

// Money is an amount of a currency.
type Money struct {
	Currency string // ISO 4217
	Amount   decimal.Decimal
}

// NetUSD returns what is left of the payments after fees and refunds.
func (s Sum) NetUSD() decimal.Decimal { return s.GrossUSD.Sub(s.FeeUSD).Sub(s.RefundedUSD) }

// DaySum is the sum of a day.
type DaySum struct {
	Day time.Time // its beginning, in the zone of the shop
	Sum
}

// CoinSum is the sum of a coin on a network.
type CoinSum struct {
	Symbol, Network    string
	Received, Refunded decimal.Decimal // in the coin
	Sum
}

// Coin returns the coin on its network, "USDT-TRC20".
func (c CoinSum) Coin() string { return coinName(c.Symbol, c.Network) }

func (s *Sum) add(r Row) {
	switch {
	case r.Kind == Refund:
		s.Refunds++
		s.RefundedUSD = s.RefundedUSD.Add(r.GrossUSD)
	case r.isPaidOut():
		s.Withdrawals++
		s.WithdrawnUSD = s.WithdrawnUSD.Add(r.GrossUSD)
	case r.Kind == Withdrawal: // not yet
	default:
		s.Payments++
		s.GrossUSD = s.GrossUSD.Add(r.GrossUSD)
		s.FeeUSD = s.FeeUSD.Add(r.FeeUSD)
		if !r.FeeKnown {
			s.FeeUnknown++
		}
		s.addGross(r)
	}
}

func (s *Sum) addGross(r Row) {
	if !r.GrossKnown {
		return
	}
	i := slices.IndexFunc(s.Gross, func(m Money) bool { return m.Currency == r.Currency })
	if i < 0 {
		i = len(s.Gross)
		s.Gross = append(s.Gross, Money{Currency: r.Currency})
	}
	s.Gross[i].Amount = s.Gross[i].Amount.Add(r.Gross)
	slices.SortFunc(s.Gross, func(a, b Money) int { return cmp.Compare(a.Currency, b.Currency) })
}

// sum fills in the sums of the rows, which are in the order of their times.
func (s *Statement) sum() {
	for _, r := range s.Rows {
		s.Total.add(r)

		year, month, day := r.At.Date()
		begins := time.Date(year, month, day, 0, 0, 0, 0, s.Zone)
		if n := len(s.Days); n == 0 || !s.Days[n-1].Day.Equal(begins) {
			s.Days = append(s.Days, DaySum{Day: begins})
		}
		s.Days[len(s.Days)-1].add(r)

		c := s.coin(r)
		c.add(r)
		switch {
		case r.Kind == Refund:
			c.Refunded = c.Refunded.Add(r.Amount)
		case r.Kind.IsPayment():
			c.Received = c.Received.Add(r.Amount)
		}
	}
	slices.SortFunc(s.Coins, func(a, b CoinSum) int { return cmp.Compare(a.Coin(), b.Coin()) })
}

// coin returns the sum of a row's coin.
func (s *Statement) coin(r Row) *CoinSum {
	i := slices.IndexFunc(s.Coins, func(c CoinSum) bool { return c.Coin() == r.Coin() })
	if i < 0 {
		i = len(s.Coins)
		s.Coins = append(s.Coins, CoinSum{Symbol: r.Symbol, Network: r.Network})
	}
	return &s.Coins[i]
}
