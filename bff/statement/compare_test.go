package statement

import (
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"

	"github.com/shopspring/decimal"
)

var november = Month{2026, time.November}

func dec(text string) decimal.Decimal { return decimal.RequireFromString(text) }

func on(day int) time.Time { return time.Date(2026, 11, day, 12, 0, 0, 0, time.UTC) }

// paidSession is an order of 25 dollars that was paid with 25 USDT.
func paidSession(change func(*payment.Session)) payment.Session {
	s := payment.Session{
		ID:    "cs_1",
		Order: payment.Order{Ref: "1001", AmountUSD: dec("25")},
		Attempts: []payment.Attempt{{
			Number: 1, State: payment.Confirmed, TrackingCode: "T1", CurrencySymbol: "USDT",
			NetworkCode: "trc20", AmountUSD: dec("25"), PayAmount: dec("25"), Paid: dec("25"),
			PaidAt: on(5), TxID: "0xa",
		}},
	}
	change(&s)
	return s
}

// record is what the gateway lists of it.
func record(change func(*payment.Record)) payment.Record {
	r := payment.Record{
		TrackingCode: "T1", Status: "confirmed", CurrencyCode: "usdt_trc20", AmountUSD: dec("25"),
		PayAmount: dec("25"), PaidAmount: "25", Paid: dec("25"), PaidReadable: true, PaidAt: on(5),
		CreatedAt: on(5), PlatformShare: "0.25", MerchantShare: "24.75", FeePercent: "1",
	}
	change(&r)
	return r
}

func asIs(*payment.Session) {}

func asListed(*payment.Record) {}

// built returns the November of one session and the gateway's lists, in December.
func built(s payment.Session, list listed) Statement {
	st := Statement{Month: november, Zone: time.UTC, Read: on(1).AddDate(0, 1, 0)}
	known := knownMoney{rows: rowsOf(&s, nil), owners: map[string]owner{}}
	for _, a := range s.Attempts {
		known.owners[a.TrackingCode] = owner{s, a.Number}
	}
	c := comparison{month: november, zone: time.UTC}
	st.build(c, known, list, known.owners, newCoinNames(nil))
	return st
}

// A month is closed if and only if it equals the gateway's lists; each difference has its reason.
func TestFindings(t *testing.T) {
	attempt := func(change func(*payment.Attempt)) func(*payment.Session) {
		return func(s *payment.Session) { change(&s.Attempts[0]) }
	}
	paidOut := gatewaylist.Withdrawal{
		TrackingCode: "W1", Status: "confirmed", AmountUSD: dec("10"), AmountKnown: true,
		CreatedAt: on(9),
	}
	for name, c := range map[string]struct {
		session func(*payment.Session)
		record  func(*payment.Record) // nil = the gateway lists none
		payouts []gatewaylist.Withdrawal
		want    string // empty = closed
	}{
		"equal":           {asIs, asListed, []gatewaylist.Withdrawal{paidOut}, ""},
		"not there":       {asIs, nil, nil, whyNotListed},
		"another amount":  {asIs, func(r *payment.Record) { r.Paid = dec("24.99") }, nil, whyAmount},
		"another month":   {asIs, func(r *payment.Record) { r.PaidAt = on(40) }, nil, whyOtherMonth},
		"no time of pay":  {asIs, func(r *payment.Record) { r.PaidAt = time.Time{} }, nil, ""},
		"not paid here":   {attempt(unpaid), asListed, nil, whyPaidThere},
		"paid elsewhen":   {attempt(func(a *payment.Attempt) { a.PaidAt = on(40) }), asListed, nil, whyOtherMonth},
		"of another":      {asIs, func(r *payment.Record) { r.TrackingCode = "T9" }, nil, whyNotListed},
		"partial, no row": {attempt(half), nil, nil, ""},
		"partial, listed": {attempt(half), asListed, nil, whyPaidThere},
		"not over": {attempt(func(a *payment.Attempt) { half(a); a.State = payment.Waiting }), nil,
			nil, whyUnfinished},
		"in review": {attempt(func(a *payment.Attempt) {
			a.State = payment.InReview
			a.Reason = "paid_amount_short"
		}), asListed, nil, whyReview},
		"by an operator": {attempt(func(a *payment.Attempt) { a.ResolvedCount = 1 }), nil, nil,
			whyByOperator},
		"no value": {attempt(func(a *payment.Attempt) { half(a); a.PayAmount = decimal.Zero }), nil,
			nil, whyNoValue},
		"processing": {asIs, asListed, []gatewaylist.Withdrawal{{TrackingCode: "W1", Status: "processing",
			AmountKnown: true, CreatedAt: on(9)}}, whyNotPaidOut},
		"no amount": {asIs, asListed, []gatewaylist.Withdrawal{{TrackingCode: "W1",
			Status: "confirmed", AmountText: "?", CreatedAt: on(9)}}, whyNoAmount},
		"no time": {asIs, asListed, []gatewaylist.Withdrawal{{TrackingCode: "W1", Status: "confirmed",
			AmountKnown: true}}, whyNoTime},
	} {
		t.Run(name, func(t *testing.T) {
			list := listed{withdrawals: c.payouts}
			if c.record != nil {
				list.records = append(list.records, record(c.record))
			}
			st := built(paidSession(c.session), list)
			if c.want == "" {
				fortest.Equal(t, st.State, Closed, "state: %+v", st.Findings)
				return
			}
			fortest.Equal(t, st.State, Differs, "state")
			if len(st.Findings) == 0 || st.Findings[0].Why != c.want {
				t.Errorf("findings = %+v; want %q", st.Findings, c.want)
			}
		})
	}
}

func unpaid(a *payment.Attempt) {
	a.State = payment.Waiting
	a.Paid = decimal.Zero
	a.PaidAt = time.Time{}
}

func half(a *payment.Attempt) {
	a.State = payment.Expired
	a.Paid = dec("12.50")
}

// A payment of the gateway that no session has keeps a month open.
func TestNotOurs(t *testing.T) {
	other := record(func(r *payment.Record) { r.TrackingCode = "T9" })
	st := built(paidSession(asIs), listed{records: []payment.Record{record(asListed), other}})
	fortest.Equal(t, st.State, Differs, "state")
	fortest.Equal(t, st.Findings[0].Why, whyNotOurs, "why")
}

// Shares are shown as they came, and are a fee only if both add up to the price.
func TestShares(t *testing.T) {
	for _, c := range []struct {
		platform, merchant string
		known              bool
	}{
		{"0.25", "24.75", true}, {"0.00000000", "25.00000000", true},
		{"0.25", "24.7", false}, {"1", "99", false}, {"", "25", false}, {"-1", "26", false},
		{"0,25", "24,75", false},
	} {
		st := built(paidSession(asIs), listed{records: []payment.Record{
			record(func(r *payment.Record) {
				r.PlatformShare = c.platform
				r.MerchantShare = c.merchant
			}),
		}})
		row := st.Rows[0]
		fortest.Equal(t, row.PlatformShare, c.platform, "the share as the gateway wrote it")
		if row.FeeKnown != c.known || c.known && !row.FeeUSD.Equal(dec(c.platform)) {
			t.Errorf("shares %q and %q: fee %s, known %t", c.platform, c.merchant, row.FeeUSD,
				row.FeeKnown)
		}
		fortest.Equal(t, st.Total.FeeUnknown == 0, c.known, "the sum knows all fees")
	}
}

// The money of one transaction counts once, although the gateway reports it for two orders.
func TestSharedTransactionCountsOnce(t *testing.T) {
	s := paidSession(func(s *payment.Session) {
		s.Attempts[0].State = payment.InReview
		s.Attempts[0].Reason = payment.ReasonTxUsed
	})
	st := built(s, listed{records: []payment.Record{record(asListed)}})
	fortest.Equal(t, st.Rows[0].Kind, Review, "kind")
	fortest.Equal(t, st.Total.GrossUSD.String(), "0", "sum")
}

// A test is in no statement of real money.
func TestTestsAreLeftOut(t *testing.T) {
	s := paidSession(func(s *payment.Session) { s.Test = true })
	source := Source{Sessions: stored{s}, Now: func() time.Time { return on(20) }}
	known, err := source.readSessions(t.Context(), november, time.UTC)
	fortest.OK(t, err)
	fortest.Equal(t, len(known.rows), 0, "rows of a real shop")
	source.Test = true
	known, err = source.readSessions(t.Context(), november, time.UTC)
	fortest.OK(t, err)
	fortest.Equal(t, len(known.rows), 1, "rows of a sandbox")
}
