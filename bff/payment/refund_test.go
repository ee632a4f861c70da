package payment

import (
	"errors"
	"strings"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
)

// refunded is a session that 12.5 USDT arrived for, 3 of which went back.
func refunded() Session {
	return Session{
		ID: "cs_1",
		Attempts: []Attempt{
			{
				Number: 1, State: Expired, CurrencySymbol: "USDT", NetworkCode: "trc20",
				Paid: decimal.RequireFromString("2.5"), TxID: "a1", Txs: []Tx{{ID: "a0"}, {ID: "a1"}},
			},
			{
				Number: 2, State: Confirmed, CurrencySymbol: "USDT", NetworkCode: "trc20",
				Paid: decimal.RequireFromString("10"), TxID: "b1",
			},
			{Number: 3, State: Expired, CurrencySymbol: "USDT", NetworkCode: "erc20"},
		},
		Refunds: []Refund{refund("3", "back1")},
	}
}

func refund(amount, tx string) Refund {
	return Refund{
		Amount:         decimal.RequireFromString(amount),
		CurrencySymbol: "USDT",
		NetworkCode:    "trc20",
		TxID:           tx,
		By:             ByMerchant,
	}
}

func TestRefund(t *testing.T) {
	now := time.Date(2026, 11, 29, 1, 0, 0, 0, time.UTC)
	onOther := refund("1", "back2")
	onOther.NetworkCode = "erc20"
	for _, c := range []struct {
		name   string
		refund Refund
		more   bool
		err    error // nil = it is recorded
	}{
		{"all that is left", refund("9.5", "back2"), false, nil},
		{"more than is left", refund("9.51", "back2"), false, &wire.Error{Code: wire.CodeRefundExceeds}},
		{"more than is left, confirmed", refund("9.51", "back2"), true, nil},
		{"on a network without money", onOther, false, &wire.Error{Code: wire.CodeRefundExceeds}},
		{"on a network without money, confirmed", onOther, true, nil},
		{"the same again", refund("3.00", "back1"), false, ErrUnchanged},
		{"another amount by the same transaction", refund("4", "back1"), true,
			&wire.Error{Code: wire.CodeRefundConflict}},
		{"by the shopper's own transaction", refund("1", "b1"), true,
			&wire.Error{Code: wire.CodeInvalid}},
		{"by a transaction of another attempt", refund("1", "a0"), true,
			&wire.Error{Code: wire.CodeInvalid}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := refunded()
			err := s.Refund(c.refund, c.more, now)
			if !errors.Is(err, c.err) {
				t.Fatalf("Refund = %v, want %v", err, c.err)
			}
			if err != nil {
				if diff := cmp.Diff(refunded(), s); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
				return
			}

			want := c.refund
			want.RecordedAt = now
			if diff := cmp.Diff([]Refund{refund("3", "back1"), want}, s.Refunds); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestRefundWithoutMoney(t *testing.T) {
	unpaid := Session{Attempts: []Attempt{{State: Waiting, CurrencySymbol: "USDT"}}}
	deleted := refunded()
	deleted.Deleted = true
	full := refunded()
	full.Refunds = make([]Refund, maxRefunds)
	for name, s := range map[string]Session{"unpaid": unpaid, "deleted": deleted, "full": full} {
		err := s.Refund(refund("1", "back9"), true, time.Now())
		if !errors.Is(err, &wire.Error{Code: wire.CodeNotPossible}) {
			t.Errorf("%s: Refund = %v, want not_possible", name, err)
		}
	}
}

// Each refund is one event, whose body has it; the order stays confirmed.
func TestRefundEvents(t *testing.T) {
	s := refunded()
	before := s.Snapshot()
	now := time.Date(2026, 11, 29, 1, 0, 0, 0, time.UTC)
	if err := s.Refund(refund("1", "back2"), false, now); err != nil {
		t.Fatal(err)
	}

	before.Status = wire.Confirmed
	events := s.Events(before, now, EventOptions{})
	if len(events) != 1 || events[0].Type != EventRefund {
		t.Fatalf("events are %v, want one checkout.refund", events)
	}
	if body := string(events[0].Body); !strings.Contains(body, `"tx_id":"back2"`) {
		t.Errorf("the body lacks the refund: %s", body)
	}
	fortest.Equal(t, s.Status, wire.Confirmed, "the status")
}

// Why a refund was paid may name a person; that it was paid belongs to the books.
func TestRefundErased(t *testing.T) {
	s := refunded()
	s.Refunds[0].Reason = "Ms. Lind sent it back"
	s.Erase(ErasePersonal, time.Now())
	if diff := cmp.Diff([]Refund{refund("3", "back1")}, s.Refunds); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRefundValidate(t *testing.T) {
	valid := refund("1.25", "back1")
	if err := valid.Validate(2); err != nil {
		t.Fatal(err)
	}
	for param, spoil := range map[string]func(*Refund){
		"amount":          func(r *Refund) { r.Amount = decimal.RequireFromString("1.255") },
		"currency_symbol": func(r *Refund) { r.CurrencySymbol = "US DT" },
		"tx_id":           func(r *Refund) { r.TxID = "a\nb" },
		"reason":          func(r *Refund) { r.Reason = strings.Repeat("a", 501) },
	} {
		r := valid
		spoil(&r)
		var err *wire.Error
		if !errors.As(r.Validate(2), &err) || err.Param != param {
			t.Errorf("Validate = %v, want an error for %s", err, param)
		}
	}
}
