package sandbox

import (
	"errors"
	"fmt"
	"math/big"
	"testing"
	"time"

	"coinslot/bff/fortest"

	"github.com/shopspring/decimal"
)

// sample returns a pending transaction of 25 USDT and a source of ids.
func sample(now time.Time) (*Transaction, transactionID) {
	t := &Transaction{
		TrackingCode: "A",
		Status:       Pending,
		Family:       TRON,
		Decimals:     6,
		AmountUSD:    dec("25"),
		PriceInUSDT:  dec("1"),
		FeePercent:   dec("1"), TolerancePercent: dec("1"), ExpiredAt: now.Add(15 * time.Minute),
	}
	t.price()
	n := 0
	return t, func(Family) string { n++; return fmt.Sprint("tx", n) }
}

func TestKinds(t *testing.T) {
	now := newClock().now()
	tests := []struct {
		name   string
		kinds  []Kind
		status Status
		paid   string // what the gateway has seen
		err    error  // of the last kind
	}{
		{"exactly", []Kind{KindPay}, Confirmed, "25", nil},
		{"twice", []Kind{KindPay, KindPay}, Confirmed, "25", ErrPaid},
		{"half", []Kind{KindHalf}, Pending, "12.5", nil},
		{"half and half", []Kind{KindHalf, KindHalf}, Confirmed, "25", nil},
		{"half and the rest", []Kind{KindHalf, KindPay}, Confirmed, "25", nil},
		{"first part", []Kind{KindParts}, Pending, "12.5", nil},
		{"both parts", []Kind{KindParts, KindParts}, Confirmed, "25", nil},
		{"too much", []Kind{KindOver}, Confirmed, "27.5", nil},
		{"half, then too much", []Kind{KindHalf, KindOver}, Confirmed, "27.5", nil},
		{"within tolerance", []Kind{KindTolerated}, Confirmed, "24.875", nil},
		{"late", []Kind{KindLate}, Expired, "0", nil},
		{"half, then late", []Kind{KindHalf, KindLate}, Expired, "12.5", nil},
		{"late twice", []Kind{KindLate, KindLate}, Expired, "0", ErrPaid},
		{"expired", []Kind{KindExpire}, Expired, "0", nil},
		{"expired twice", []Kind{KindExpire, KindExpire}, Expired, "0", ErrNotPending},
		{"expired, then paid", []Kind{KindExpire, KindPay}, Expired, "0", nil},
		{"cancelled", []Kind{KindCancel}, Cancelled, "0", nil},
		{"cancelled, then paid", []Kind{KindCancel, KindPay}, Cancelled, "0", nil},
		{"cancelled, then late", []Kind{KindCancel, KindLate}, Cancelled, "0", nil},
		{"cancelled, then expired", []Kind{KindCancel, KindExpire}, Cancelled, "0", ErrNotPending},
		{"paid, then cancelled", []Kind{KindPay, KindCancel}, Confirmed, "25", ErrNotPending},
		{"paid, then late", []Kind{KindPay, KindLate}, Confirmed, "25", ErrPaid},
		{"unknown", []Kind{"gift"}, Pending, "0", ErrUnknownKind},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr, id := sample(now)
			var err error
			for _, k := range tt.kinds {
				err = tr.apply(k, now, id)
			}
			if !errors.Is(err, tt.err) || tr.Status != tt.status || !tr.paid().Equal(dec(tt.paid)) {
				t.Errorf("%v = %s, paid %s, error %v; want %s, %s, %v", tt.kinds, tr.Status,
					tr.paid(), err, tt.status, tt.paid, tt.err)
			}
			fortest.Equal(t, !tr.PaidAt.IsZero(), tt.status == Confirmed, "paid_at is set")
		})
	}
}

func TestRecheck(t *testing.T) {
	now := newClock().now()
	tests := []struct {
		name   string
		kinds  []Kind
		status Status
		paid   string
		err    error
	}{
		{"pending", nil, Pending, "0", errNotEnded},
		{"confirmed", []Kind{KindPay}, Confirmed, "25", errNotEnded},
		{"expired without money", []Kind{KindExpire}, Expired, "0", errUnpaid},
		{"expired with half", []Kind{KindExpire, KindHalf}, Expired, "12.5", errUnpaid},
		{
			"half before and half after",
			[]Kind{KindHalf, KindExpire, KindHalf},
			Confirmed,
			"25",
			nil,
		},
		{"late", []Kind{KindLate}, Confirmed, "25", nil},
		{"late and too much", []Kind{KindExpire, KindOver}, Confirmed, "27.5", nil},
		{"cancelled but paid", []Kind{KindCancel, KindPay}, Confirmed, "25", nil},
		{"cancelled without money", []Kind{KindCancel}, Cancelled, "0", errUnpaid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr, id := sample(now)
			for _, k := range tt.kinds {
				fortest.OK(t, tr.apply(k, now, id))
			}
			err := tr.recheck()
			if !errors.Is(err, tt.err) || tr.Status != tt.status || !tr.paid().Equal(dec(tt.paid)) {
				t.Errorf("recheck = %v, %s, paid %s; want %v, %s, %s", err, tr.Status, tr.paid(),
					tt.err, tt.status, tt.paid)
			}
		})
	}
}

func TestToleranceBound(t *testing.T) {
	now := newClock().now()
	for amount, want := range map[string]Status{
		"24.74999999": Pending,
		"24.75":       Confirmed,
		"24.75000001": Confirmed,
		"25":          Confirmed,
		"1000":        Confirmed,
	} {
		tr, id := sample(now)
		if tr.receive(dec(amount), now, id); tr.Status != want {
			t.Errorf("after %s of 25 = %s; want %s", amount, tr.Status, want)
		}
	}
}

// TestPrice compares with fractions: pay_amount is the least amount of eight
// digits that is worth the order, and the shares add up.
func TestPrice(t *testing.T) {
	rat := func(d decimal.Decimal) *big.Rat { return d.Rat() }
	for _, price := range []string{"1", "0.9998", "3471.25", "612.4", "3.1875", "0.00000003", "7"} {
		for _, amount := range []string{
			"0.01", "0.1", "0.2", "0.3", "1", "19.99", "25", "33.33333333", "99999.99",
		} {
			tr := Transaction{AmountUSD: dec(amount), PriceInUSDT: dec(price), FeePercent: dec("1")}
			tr.price()
			worth := new(big.Rat).Mul(rat(tr.PayAmount), rat(tr.PriceInUSDT))
			less := new(big.Rat).Mul(rat(tr.PayAmount.Sub(dec("0.00000001"))), rat(tr.PriceInUSDT))
			if worth.Cmp(rat(tr.AmountUSD)) < 0 || less.Cmp(rat(tr.AmountUSD)) >= 0 {
				t.Errorf("pay_amount of %s at %s = %s", amount, price, tr.PayAmount)
			}
			if !tr.PlatformShare.Add(tr.MerchantShare).Equal(tr.AmountUSD) ||
				tr.PlatformShare.Exponent() < -8 {
				t.Errorf("shares of %s = %s + %s", amount, tr.PlatformShare, tr.MerchantShare)
			}
		}
	}
}

// TestWholeTransfers pays in a coin whose price makes more digits than a transfer can carry.
func TestWholeTransfers(t *testing.T) {
	now := newClock().now()
	for _, kinds := range [][]Kind{
		{KindPay},
		{KindHalf, KindPay},
		{KindParts, KindParts},
		{KindTolerated},
		{KindOver},
	} {
		tr, id := sample(now)
		tr.PriceInUSDT = dec("0.9998")
		tr.price()
		for _, k := range kinds {
			fortest.OK(t, tr.apply(k, now, id))
		}
		for _, m := range tr.Transfers {
			if !m.Amount.Equal(m.Amount.Truncate(6)) {
				t.Errorf("%v: a transfer of %s, which has more than six digits", kinds, m.Amount)
			}
		}
		if tr.Status != Confirmed {
			t.Errorf("%v of %s = %s, paid %s", kinds, tr.PayAmount, tr.Status, tr.paid())
		}
	}
}

// FuzzHistory applies any sequence of kinds and rechecks: confirmed is never
// left, a payment too small never confirms, and what is seen never shrinks.
func FuzzHistory(f *testing.F) {
	f.Add([]byte{1, 5, 9})
	f.Add([]byte{0, 0, 7, 9, 6})
	f.Fuzz(func(t *testing.T, steps []byte) {
		now := newClock().now()
		tr, id := sample(now)
		for _, step := range steps[:min(len(steps), 50)] {
			before := tr.clone()
			now = now.Add(time.Duration(step) * time.Second)
			if kinds := Kinds(); int(step)%10 < len(kinds) {
				tr.apply(kinds[step%10], now, id) // refusals are part of the history
			} else {
				tr.recheck()
			}
			if before.Status == Confirmed && tr.Status != Confirmed {
				t.Fatalf("confirmed became %s", tr.Status)
			}
			if tr.Status == Confirmed && tr.paid().LessThan(tr.minimum()) {
				t.Fatalf("confirmed with %s of %s", tr.paid(), tr.PayAmount)
			}
			if tr.paid().LessThan(before.paid()) || !tr.arrived().GreaterThanOrEqual(tr.paid()) {
				t.Fatalf("paid %s became %s, arrived %s", before.paid(), tr.paid(), tr.arrived())
			}
		}
	})
}
