package payment

import (
	"slices"
	"strconv"
	"testing"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
)

// Money that pays for nothing is unsettled, and nothing else.
func TestUnsettled(t *testing.T) {
	late := Attempt{State: Confirmed, Paid: dec("25.03"), Late: true}
	resolved := Attempt{State: Confirmed, Paid: dec("99"), ResolvedCount: 1}
	settled := Attempt{State: Confirmed, Paid: dec("27"), Settled: dec("27")}
	again := Attempt{State: Confirmed, Paid: dec("28"), Settled: dec("27")}
	takenBack := Attempt{State: Confirmed, Paid: dec("25.03"), Alert: reasonRegressed, Regressions: 3}
	confirmed := takenBack
	confirmed.Regressions = 0
	byOperator := takenBack
	byOperator.ResolvedCount = 1

	for name, c := range map[string]struct {
		attempt  Attempt
		closedBy Closer
		want     bool
	}{
		"paid exactly":              {Attempt{State: Confirmed, Paid: dec("25.03")}, "", false},
		"paid too much":             {Attempt{State: Confirmed, Paid: dec("27")}, "", true},
		"paid too little, in time":  {Attempt{State: Waiting, Paid: dec("5")}, "", false},
		"paid too little, ended":    {Attempt{State: Expired, Paid: dec("5")}, "", true},
		"paid after a cancellation": {Attempt{State: Cancelled, Paid: dec("25.03")}, "", true},
		"never paid":                {Attempt{State: Expired}, ClosedByTime, false},
		"late, the order still on":  {late, ClosedByTime, false},
		"late, the order canceled":  {late, ClosedByMerchant, true},
		"in review":                 {Attempt{State: InReview, Paid: dec("99")}, "", false},
		"resolved by an operator":   {resolved, "", false},
		"settled":                   {settled, "", false},
		"paid again after settling": {again, "", true},
		"taken back":                {takenBack, "", true},
		"confirmed again":           {confirmed, "", false},
		"confirmed by an operator":  {byOperator, "", true},
	} {
		c.attempt.Number = 1
		c.attempt.PayAmount = dec("25.03")
		s := Session{ClosedBy: c.closedBy, Attempts: []Attempt{c.attempt}}
		fortest.Equal(t, len(s.Unsettled(nil)) == 1, c.want, "%s", name)
	}
}

// Settling needs a reason and something to settle, and changes no status.
func TestSettle(t *testing.T) {
	s := waiting()
	fortest.Fails(t, s.Settle("sent back", "console:ann", nil, noon), "settling what is pending")

	s.Attempts[0].State = Expired
	s.Attempts[0].Paid = dec("5")
	s.Status = wire.Expired
	for _, reason := range []string{"", "two\nlines"} {
		fortest.Fails(t, s.Settle(reason, "console:ann", nil, noon), "the reason %q", reason)
	}
	fortest.Equal(t, s.UnsettledAmount(1, nil), "5", "what is to be dealt with")

	before := s.Snapshot()
	fortest.OK(t, s.Settle("sent back", "console:ann", nil, noon))
	fortest.Equal(t, len(s.Unsettled(nil)), 0, "what is still unsettled")
	fortest.Equal(t, len(s.Events(before, noon, EventOptions{})), 0, "events")
	fortest.Equal(t, s.Status, wire.Expired, "the status")
	settled := slices.ContainsFunc(s.Timeline, func(e TimelineEntry) bool {
		return e.What == "session.settled" && e.By == "console:ann" && e.Detail == "sent back"
	})
	fortest.Equal(t, settled, true, "the timeline has it")
}

// What went back is dealt with: first that of attempts that have ended, then the excess.
func TestRefundsSettle(t *testing.T) {
	session := func(refunds ...string) *Session {
		s := refunded() // 2.5 of an ended attempt, and 2 too much
		s.Refunds = nil
		for i, amount := range refunds {
			s.Refunds = append(s.Refunds, refund(amount, string(rune('c'+i))))
		}
		return &s
	}
	for _, c := range []struct {
		session *Session
		want    string
	}{
		{session(), "1: 2.5, 2: 2, 4: 7, "},
		{session("1"), "1: 1.5, 2: 2, 4: 7, "},
		{session("2.5"), "2: 2, 4: 7, "},
		{session("2.5", "0.5"), "2: 1.5, 4: 7, "},
		{session("4.5"), "4: 7, "},
		{session("12.5"), "4: 7, "}, // in another coin
	} {
		got := ""
		for _, number := range c.session.Unsettled(nil) {
			got += strconv.Itoa(number) + ": " + c.session.UnsettledAmount(number, nil) + ", "
		}
		fortest.Equal(t, got, c.want, "unsettled after %v", c.session.Refunds)
	}
	excess := session("3").Excess(nil).String()
	fortest.Equal(t, excess, "1.5", "the excess after 2.5 of the other attempt went back, too")
}

// What a confirmed order owes: all of it if the merchant had canceled it, also if the gateway has
// reported no amount; else the excess that came since it was last settled.
func TestUnsettledAmount(t *testing.T) {
	paid := Attempt{
		Number: 1, State: Confirmed, PayAmount: dec("25"), Paid: dec("28"),
		CurrencySymbol: "USDT", NetworkCode: "trc20",
	}
	amountless := paid
	amountless.Paid = dec("0")
	settled := paid
	settled.Settled = dec("27")
	for name, c := range map[string]struct {
		attempt  Attempt
		closedBy Closer
		want     string
	}{
		"an excess":                        {paid, NotClosed, "3"},
		"more after it was settled":        {settled, NotClosed, "1"},
		"a canceled order":                 {paid, ClosedByMerchant, "28"},
		"a canceled order, no amount":      {amountless, ClosedByMerchant, "25"},
		"an order canceled by the shopper": {paid, ClosedByShopper, "3"},
	} {
		s := Session{ClosedBy: c.closedBy, Attempts: []Attempt{c.attempt}}
		fortest.Equal(t, len(s.Unsettled(nil)), 1, "%s: attempts that are unsettled", name)
		fortest.Equal(t, s.UnsettledAmount(1, nil), c.want, "%s", name)
	}
}
