package payment

import (
	"testing"
	"time"

	"coinslot/bff/fortest"

	"github.com/shopspring/decimal"
)

// partPaid returns a session, and a record of what was paid in some transactions so far.
func partPaid() (s *Session, report func(status, paid, tx string) Record) {
	s = &Session{Environment: "g", Attempts: []Attempt{{
		Number: 1, State: Waiting, TrackingCode: "T1", OrderID: 123456, CurrencySymbol: "USDT",
		NetworkCode: "trc20", AmountUSD: decimal.NewFromInt(25), PayAmount: decimal.NewFromInt(25),
	}}}
	s.Order.AmountUSD = decimal.NewFromInt(25)
	report = func(status, paid, tx string) Record {
		return Record{
			TrackingCode: "T1", Status: status, OrderID: 123456, CurrencyCode: "usdt_trc20",
			NetworkCode: "trc20", AmountUSD: decimal.NewFromInt(25),
			PayAmount: decimal.NewFromInt(25), PaidAmount: paid,
			Paid: decimal.RequireFromString(paid), PaidReadable: true, TxID: tx,
			TxURL: "https://scan.example/tx/" + tx,
		}
	}
	return s, report
}

// Every transaction that the gateway reports is kept, in order and once, also after the end.
func TestTransactionsAreKept(t *testing.T) {
	s, report := partPaid()
	now := time.Now()
	for _, r := range []Record{
		report("pending", "5", "0x1"), report("pending", "12", "0x2"),
		report("pending", "12", "0x1"), // a replica that lags
		report("expired", "12", "0x2"), report("confirmed", "25", "0x3"),
		report("confirmed", "25", "0x3"), report("confirmed", "40", "0x4"),
	} {
		fortest.OK(t, s.Apply(1, r, "g", now))
	}
	a := s.Attempts[0]
	fortest.Equal(t, a.State, Confirmed, "state")
	fortest.Equal(t, a.TxID, "0x3", "the transaction that confirmed")
	var ids []string
	for _, tx := range s.Object(EventOptions{}).Attempts[0].Transactions {
		ids = append(ids, tx.ID)
		fortest.Equal(t, tx.URL, "https://scan.example/tx/"+tx.ID, "link")
	}
	fortest.Diff(t, ids, []string{"0x1", "0x2", "0x3", "0x4"}, "transactions")
	fortest.Diff(t, a.HeldTxIDs(), ids[:3], "held")
}

// A new transaction is a change even if nothing else has changed.
func TestTransactionIsAChange(t *testing.T) {
	s, report := partPaid()
	now := time.Now()
	fortest.OK(t, s.Apply(1, report("confirmed", "25", "0x1"), "g", now))
	changed, err := s.changedBy(1, report("confirmed", "25", "0x2"), "g", now)
	if err != nil || !changed {
		t.Errorf("changed: %t, %v", changed, err)
	}
}

// An attempt without a transaction has an empty list.
func TestNoTransactions(t *testing.T) {
	none := Attempt{}
	if list := none.object(nil).Transactions; list == nil || len(list) > 0 {
		t.Errorf("%v; want an empty list", list)
	}
}

// An unsafe link is not shown.
func TestLinksOfTransactions(t *testing.T) {
	a := Attempt{Txs: []Tx{{"0x1", "javascript:alert(1)"}, {"0x2", "http://scan.example"}}}
	for _, tx := range a.object(nil).Transactions {
		fortest.Equal(t, tx.URL, "", "link of %s", tx.ID)
	}
}
