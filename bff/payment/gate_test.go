package payment

import (
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"

	"github.com/shopspring/decimal"
)

func dec(s string) decimal.Decimal { return decimal.RequireFromString(s) }

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

const env = "https://gateway.test#1"

// waiting returns a session with one attempt whose address is shown.
func waiting() *Session {
	return &Session{
		ID:          "cs_1",
		Version:     3,
		Status:      wire.Pending,
		Environment: env,
		Order:       Order{AmountUSD: dec("25.00")},
		ExpiresAt:   noon.Add(time.Hour),
		Attempts: []Attempt{{
			Number:         1,
			State:          Waiting,
			TrackingCode:   "T1",
			OrderID:        123456,
			CurrencySymbol: "USDT",
			NetworkCode:    "trc20",
			AmountUSD:      dec("25"),
			PayAmount:      dec("25.03"),
			PayText:        "25.03000000",
			Tolerance:      dec("1"),
			TTLMinutes:     30,
			Address:        "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
			StartedAt:      noon,
			ExpiresAt:      noon.Add(30 * time.Minute),
		}},
	}
}

// paid returns the record that proves the attempt of waiting.
func paid() Record {
	return Record{
		TrackingCode: "T1",
		Status:       "confirmed",
		OrderID:      123456,
		CurrencyCode: "usdt_trc20",
		NetworkCode:  "trc20",
		AmountUSD:    dec("25.00000000"),
		PayAmount:    dec("25.03000000"),
		PaidAmount:   "25.03",
		Paid:         dec("25.03"),
		PaidReadable: true, TxID: "0xa",
	}
}

// Each row differs from the proven case in one thing, so that removing a condition of the gate
// fails its row.
func TestGateConditions(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Session, *Record)
		want   string
	}{
		{
			"other gateway or key",
			func(s *Session, r *Record) { s.Environment = "https://gateway.test#2" },
			reasonEnvironment,
		},
		{"other order id", func(s *Session, r *Record) { r.OrderID = 123457 }, reasonOrderID},
		{"no order id", func(s *Session, r *Record) { r.OrderID = 0 }, reasonOrderID},
		{
			"other amount in the record",
			func(s *Session, r *Record) { r.AmountUSD = dec("25.01") },
			reasonAmountUSD,
		},
		{
			"other amount in the attempt",
			func(s *Session, r *Record) { s.Attempts[0].AmountUSD = dec("24") },
			reasonAmountUSD,
		},
		{
			"other amount in the order",
			func(s *Session, r *Record) { s.Order.AmountUSD = dec("26") },
			reasonAmountUSD,
		},
		{"other network", func(s *Session, r *Record) { r.NetworkCode = "erc20" }, reasonCurrency},
		{
			"other coin",
			func(s *Session, r *Record) { r.CurrencyCode = "usdc_trc20" },
			reasonCurrency,
		},
		{
			"other pay amount",
			func(s *Session, r *Record) { r.PayAmount = dec("25.03000001") },
			reasonPayAmount,
		},
		{"pay amount never known", func(s *Session, r *Record) {
			s.Attempts[0].PayAmount, r.PayAmount = decimal.Zero, decimal.Zero
		}, reasonPayAmount},
		{
			"paid amount unreadable",
			func(s *Session, r *Record) { r.PaidReadable = false },
			reasonPaidText,
		},
		{
			"paid too little",
			func(s *Session, r *Record) { r.Paid = dec("24.77969999") },
			reasonPaidShort,
		},
		{"paid dollars for coins", func(s *Session, r *Record) {
			s.Attempts[0].PayAmount, r.PayAmount, r.Paid = dec("0.0408"), dec("0.0408"), dec("25")
		}, reasonPaidExcess},
		{"confirmed already", func(s *Session, r *Record) {
			s.Attempts = append(s.Attempts,
				Attempt{Number: 2, State: Confirmed, TrackingCode: "T2"})
		}, reasonPaidTwice},
		{
			"resolved as unpaid",
			func(s *Session, r *Record) {
				s.Attempts[0].State, s.Attempts[0].ResolvedCount = Cancelled, 1
			},
			reasonResolved,
		},
		{"another attempt resolved as unpaid", func(s *Session, r *Record) {
			s.Attempts = append(s.Attempts,
				Attempt{Number: 2, State: Cancelled, TrackingCode: "T2", ResolvedCount: 1})
		}, reasonResolved},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, r := waiting(), paid()
			c.change(s, &r)
			fortest.OK(t, s.Apply(1, r, env, noon))
			if a := s.Attempts[0]; a.State != InReview || a.Reason != c.want {
				t.Errorf("attempt is %s for %q; want review for %q", a.State, a.Reason, c.want)
			}
		})
	}
}

func TestGateTakesOnlyItsOwnRecord(t *testing.T) {
	for name, change := range map[string]func(*Session, *Record){
		"other tracking code": func(s *Session, r *Record) { r.TrackingCode = "T2" },
		"case of the code":    func(s *Session, r *Record) { r.TrackingCode = "t1" },
		"no tracking code": func(s *Session, r *Record) {
			s.Attempts[0].TrackingCode, r.TrackingCode = "", ""
		},
	} {
		s, r := waiting(), paid()
		change(s, &r)
		err := s.Apply(1, r, env, noon)
		if err != ErrOtherTransaction || s.Attempts[0].State != Waiting {
			t.Errorf("%s: Apply = %v, attempt %s; want ErrOtherTransaction and nothing changed",
				name, err, s.Attempts[0].State)
		}
		r.Status = "confirmed"
		why := checkGate(s, &s.Attempts[0], r, env)
		if name != "no tracking code" && why != reasonTracking {
			t.Errorf("%s: checkGate = %q; want %q", name, why, reasonTracking)
		}
	}
	s, r := waiting(), paid()
	r.Status = "pending"
	fortest.Equal(t, checkGate(s, &s.Attempts[0], r, env), reasonTracking,
		"checkGate of a pending record")
	if err := s.Apply(2, paid(), env, noon); err != ErrOtherTransaction {
		t.Errorf("Apply to an attempt that is not there = %v; want ErrOtherTransaction", err)
	}
}

func TestGateWithoutOrderID(t *testing.T) {
	s, r := waiting(), paid()
	s.Attempts[0].OrderID, r.OrderID = 0, 777777
	fortest.Equal(t, checkGate(s, &s.Attempts[0], r, env), "",
		"checkGate without an order id of ours")
}

func TestGateAtTheFloor(t *testing.T) {
	for _, c := range []struct {
		pay, tolerance, paid string
		want                 State
	}{
		{"25.03", "1", "24.7797", Confirmed},
		{"25.03", "1", "24.77969999", InReview},
		{"25.03", "1", "24.77970001", Confirmed},
		{"25.03", "0", "25.03", Confirmed},
		{"25.03", "0", "25.02999999", InReview},
		{"25.03", "100", "24.5294", Confirmed}, // capped at two percent
		{"25.03", "100", "24.52939999", InReview},
		{"25.03", "-5", "25.03", Confirmed}, // a negative one tolerates nothing
		{"25.03", "-5", "25.02999999", InReview},
		{"0.3", "0", "0.3", Confirmed}, // 0.1 + 0.2, exactly
		{"0.00000001", "2", "0.00000001", Confirmed},
		{"0.00000001", "2", "0", InReview},
		{"25.03", "1", "-25.03", InReview},
		{"25.03", "1", "250.29999999", Confirmed},
		{"25.03", "1", "25030000", InReview},
	} {
		s, r := waiting(), paid()
		s.Attempts[0].PayAmount, s.Attempts[0].Tolerance = dec(c.pay), dec(c.tolerance)
		r.PayAmount, r.Paid = dec(c.pay), dec(c.paid)
		s.Apply(1, r, env, noon)
		fortest.Equal(t, s.Attempts[0].State, c.want,
			"%s paid for %s within %s%%", c.paid, c.pay, c.tolerance)
	}
}

func TestGateAtTheCeiling(t *testing.T) {
	for _, c := range []struct {
		usd, pay, paid string
		want           State
	}{
		{"25", "25.03", "25.04", Confirmed}, // an ordinary overpayment
		{"25", "25.03", "50.06", Confirmed}, // paid twice
		{"25", "25.03", "250.29999999", Confirmed},
		{"25", "25.03", "250.3", InReview}, // ten times
		{"25", "25.03", "250.30000001", InReview},
		{"25", "0.0408", "25", InReview}, // dollars for BNB
		{"1", "0.00163265", "1", InReview},
		{"1", "1", "50", Confirmed},           // the least that an exchange sends out
		{"1", "1", "100.99999999", Confirmed}, // less than 100 USD too much
		{"1", "1", "101", InReview},
		{"0.01", "0.00000001", "0.0000001", Confirmed}, // the least amounts that there are
		{"0.01", "0.00000001", "0.00010001", InReview},
		{"11.11", "10", "100", Confirmed}, // ten times, and 99.99 USD too much
		{"11.12", "10", "100", InReview},
	} {
		s, r := waiting(), paid()
		s.Order.AmountUSD, s.Attempts[0].AmountUSD, r.AmountUSD = dec(c.usd), dec(c.usd), dec(c.usd)
		s.Attempts[0].PayAmount, r.PayAmount, r.Paid = dec(c.pay), dec(c.pay), dec(c.paid)
		s.Apply(1, r, env, noon)
		fortest.Equal(t, s.Attempts[0].State, c.want,
			"%s paid for %s, which is %s USD", c.paid, c.pay, c.usd)
	}
}

// Division at sixteen digits lowered the floor.
func TestLeastPaidIsExact(t *testing.T) {
	if got := LeastPaid(dec("1"), dec("0.9999999999999999999999")); !got.Equal(dec("0.99000001")) {
		t.Errorf("LeastPaid = %s; want 0.99000001", got)
	}
}
