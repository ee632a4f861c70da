package payment

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/fortest"
	"coinslot/bff/token"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"
)

// txID returns the id of a transaction on TRON, all of whose digits are d.
func txID(d string) string { return strings.Repeat(d, 64) }

// refunded is a session that 12.5 USDT arrived for on TRON, 3 of which went back, and 7 TON.
func refunded() Session {
	const explorer = "https://tronscan.example/#/transaction/"
	return Session{
		ID: "cs_1",
		Attempts: []Attempt{
			{
				Number: 1, State: Expired, CurrencySymbol: "USDT", NetworkCode: "trc20",
				Paid: decimal.RequireFromString("2.5"), TxID: txID("2"),
				Txs: []Tx{{ID: txID("1")}, {ID: txID("2")}},
			},
			{
				Number: 2, State: Confirmed, CurrencySymbol: "USDT", NetworkCode: "trc20",
				PayAmount: decimal.RequireFromString("8"), Paid: decimal.RequireFromString("10"),
				TxID: txID("b"), TxURL: explorer + txID("b"),
			},
			{Number: 3, State: Expired, CurrencySymbol: "USDT", NetworkCode: "erc20"},
			{
				Number: 4, State: Expired, CurrencySymbol: "TON", NetworkCode: "ton",
				Paid: decimal.RequireFromString("7"), TxID: txID("7"),
			},
		},
		Refunds: []Refund{refund("3", "c")},
	}
}

// refund is one of USDT on TRON by the transaction of that digit.
func refund(amount, digit string) Refund {
	return Refund{
		Amount:         decimal.RequireFromString(amount),
		CurrencySymbol: "USDT",
		NetworkCode:    "trc20",
		TxID:           txID(digit),
		By:             ByMerchant,
	}
}

func terms(confirmExcess bool) RefundTerms {
	return RefundTerms{ConfirmExcess: confirmExcess, Coins: token.Builtin()}
}

func TestRefund(t *testing.T) {
	now := time.Date(2026, 11, 29, 1, 0, 0, 0, time.UTC)
	onOther := refund("1", "d")
	onOther.NetworkCode = "erc20"
	onOther.TxID = "0x" + onOther.TxID
	for _, c := range []struct {
		name   string
		refund Refund
		more   bool
		err    error // nil = it is recorded
	}{
		{"all that is left", refund("9.5", "d"), false, nil},
		{"more than is left", refund("9.51", "d"), false,
			&wire.Error{Code: wire.CodeRefundExceeds}},
		{"more than is left, confirmed", refund("9.51", "d"), true, nil},
		{"on a network without money", onOther, false, &wire.Error{Code: wire.CodeRefundExceeds}},
		{"on a network without money, confirmed", onOther, true, nil},
		{"the same again", refund("3.00", "c"), false, ErrUnchanged},
		{"the same again, in capitals", refund("3", "C"), false, ErrUnchanged},
		{"another amount by the same transaction", refund("4", "c"), true,
			&wire.Error{Code: wire.CodeRefundConflict}},
		{"by the shopper's own transaction", refund("1", "b"), true,
			&wire.Error{Code: wire.CodeInvalid}},
		{"by the shopper's own transaction, in capitals", refund("1", "B"), true,
			&wire.Error{Code: wire.CodeInvalid}},
		{"by a transaction of another attempt", refund("1", "1"), true,
			&wire.Error{Code: wire.CodeInvalid}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := refunded()
			err := s.Refund(c.refund, terms(c.more), now)
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
			if diff := cmp.Diff([]Refund{refund("3", "c"), want}, s.Refunds); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A renamed coin is the one that arrived, by each of its symbols.
func TestRefundOfRenamedCoin(t *testing.T) {
	s := refunded()
	r := refund("7", "d")
	r.CurrencySymbol = "gram"
	r.NetworkCode = "TON"
	fortest.OK(t, s.Refund(r, terms(false), time.Now()))
	got := s.Refunds[1]
	fortest.Equal(t, got.CurrencySymbol+" "+got.NetworkCode, "TON ton", "coin and network")

	r.CurrencySymbol = "TON"
	err := s.Refund(r, terms(false), time.Now())
	if !errors.Is(err, ErrUnchanged) {
		t.Errorf("the same by its other symbol: %v", err)
	}
}

func TestRefundWithoutMoney(t *testing.T) {
	unpaid := Session{Attempts: []Attempt{{State: Waiting, CurrencySymbol: "USDT"}}}
	deleted := refunded()
	deleted.Deleted = true
	full := refunded()
	full.Refunds = make([]Refund, maxRefunds)
	for name, s := range map[string]Session{"unpaid": unpaid, "deleted": deleted, "full": full} {
		err := s.Refund(refund("1", "9"), terms(true), time.Now())
		if !errors.Is(err, &wire.Error{Code: wire.CodeNotPossible}) {
			t.Errorf("%s: Refund = %v, want not_possible", name, err)
		}
	}
}

// The gateway may leave out the amount of a confirmed payment: then the requested one arrived.
func TestRefundOfUnknownAmount(t *testing.T) {
	s := refunded()
	s.Attempts[1].Paid = decimal.Zero // 8 were asked for, and 2.5 came before
	fortest.OK(t, s.Refund(refund("7.5", "d"), terms(false), time.Now()))
	err := s.Refund(refund("0.1", "e"), terms(false), time.Now())
	if !errors.Is(err, &wire.Error{Code: wire.CodeRefundExceeds}) {
		t.Errorf("more than that: %v, want refund_exceeds", err)
	}
}

// Each refund is one event, whose body has it; the order stays confirmed.
func TestRefundEvents(t *testing.T) {
	s := refunded()
	before := s.Snapshot()
	now := time.Date(2026, 11, 29, 1, 0, 0, 0, time.UTC)
	fortest.OK(t, s.Refund(refund("1", "d"), terms(false), now))

	before.Status = wire.Confirmed
	events := s.Events(before, now, EventOptions{})
	if len(events) != 1 || events[0].Type != EventRefund {
		t.Fatalf("events are %v, want one checkout.refund", events)
	}
	if body := string(events[0].Body); !strings.Contains(body, `"tx_id":"`+txID("d")) {
		t.Errorf("the body lacks the refund: %s", body)
	}
	fortest.Equal(t, s.Status, wire.Confirmed, "the status")
}

// Why a refund was paid may name a person; that it was paid belongs to the books.
func TestRefundErased(t *testing.T) {
	s := refunded()
	s.Refunds[0].Reason = "Ms. Lind sent it back"
	s.Erase(ErasePersonal, time.Now())
	fortest.Diff(t, s.Refunds, []Refund{refund("3", "c")}, "refunds")
}

func TestRefundIsValidated(t *testing.T) {
	for param, spoil := range map[string]func(*Refund){
		"amount":          func(r *Refund) { r.Amount = decimal.RequireFromString("1.2345678") },
		"currency_symbol": func(r *Refund) { r.CurrencySymbol = "US DT" },
		"network_code":    func(r *Refund) { r.NetworkCode = "" },
		"tx_id":           func(r *Refund) { r.TxID = "0x" + r.TxID },
		"reason":          func(r *Refund) { r.Reason = strings.Repeat("a", 501) },
	} {
		s := refunded()
		r := refund("1", "d")
		spoil(&r)
		var err *wire.Error
		if !errors.As(s.Refund(r, terms(true), time.Now()), &err) || err.Param != param {
			t.Errorf("Refund = %v, want an error for %s", err, param)
		}
	}
}

func TestParseRefundAmount(t *testing.T) {
	for text, code := range map[string]wire.Code{
		"2.5": "", "0.123456789012345678": "", "100": "",
		"": wire.CodeInvalid, "0": wire.CodeAmountInvalid, "0.00": wire.CodeAmountInvalid,
		"-1": wire.CodeAmountInvalid, "1e3": wire.CodeAmountInvalid, "1,5": wire.CodeAmountInvalid,
		"01": wire.CodeAmountInvalid, ".5": wire.CodeAmountInvalid, " 1": wire.CodeAmountInvalid,
		strings.Repeat("9", 31): wire.CodeAmountInvalid,
	} {
		_, err := ParseRefundAmount(text)
		known, _ := errors.AsType[*wire.Error](err)
		switch {
		case code == "" && err != nil:
			t.Errorf("%q is refused: %v", text, err)
		case code != "" && (known == nil || known.Code != code || known.Param != "amount"):
			t.Errorf("%q: %v, want %s", text, err, code)
		}
	}
}

// What has arrived in each coin, without what went back; the confirmed one first.
func TestHoldings(t *testing.T) {
	s := refunded()
	want := []string{"9.5 USDT trc20, 1.5 too much", "7 TON ton, 0 too much"}
	var got []string
	for _, h := range s.Holdings(token.Builtin()) {
		got = append(got, h.Amount.String()+" "+h.Attempt.CurrencySymbol+" "+
			h.Attempt.NetworkCode+", "+
			h.Excess.String()+" too much")
	}
	fortest.Diff(t, got, want, "holdings")
}

// The page of a refund in an explorer is that of the payment, with its own id in it, spelled as
// there; without a link of the gateway on that network, there is none.
func TestRefundURL(t *testing.T) {
	const onTON = "https://tonscan.example/tx?hash="
	base64 := "/+" + strings.Repeat("A", 41) + "="
	ton := func(id string) Refund { return Refund{NetworkCode: "ton", TxID: id} }
	for _, c := range []struct {
		name    string
		tx, url string // of the payment on TON
		refund  Refund
		want    string
	}{
		{"by its own id", "", "", refund("1", "D"),
			"https://tronscan.example/#/transaction/" + txID("d")},
		{"hexadecimal digits", txID("7"), onTON + txID("7"), ton(base64),
			onTON + "ffe" + strings.Repeat("0", 61)},
		{"base64", "_7" + strings.Repeat("A", 41), onTON + "_7" + strings.Repeat("A", 41),
			ton(base64), onTON + "%2F%2B" + strings.Repeat("A", 41) + "%3D"},
		{"without a link", txID("7"), "", ton(txID("d")), ""},
		{"a link without the id", txID("7"), onTON, ton(txID("d")), ""},
		{"an unsafe link", txID("7"), "javascript:" + txID("7"), ton(txID("d")), ""},
	} {
		s := refunded()
		last := &s.Attempts[3]
		last.TxID, last.TxURL = c.tx, c.url
		fortest.Equal(t, s.RefundURL(c.refund, token.Builtin()), c.want, "%s", c.name)
	}
}

// The event of a refund follows that of a change that it comes with.
func TestRefundIsTheLastEvent(t *testing.T) {
	s := refunded()
	before := s.Snapshot()
	before.Refunds = nil
	before.Status = wire.Review
	var types []EventType
	for _, e := range s.Events(before, time.Now(), EventOptions{}) {
		types = append(types, e.Type)
	}
	fortest.Equal(t, slices.Index(types, EventConfirmed), len(types)-2, "confirmed, in %v", types)
	fortest.Equal(t, slices.Index(types, EventRefund), len(types)-1, "the refund, in %v", types)
}
