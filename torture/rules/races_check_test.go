package rules

import (
	"encoding/json"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"
	"coinslot/bff/sandbox"

	"github.com/shopspring/decimal"
)

// checkShown notes the address that a shopper would see now. None that was shown
// before may be payable beside it.
func (w *world) checkShown() {
	s := w.load()
	v := checkout.View(&s, checkout.ViewOptions{Now: w.clock.Now(), Translate: func(key string, _ ...string) string { return key }})
	if v.Status != wire.Pending || v.Attempt == nil || v.Attempt.Address == "" {
		return
	}
	code := s.Current().TrackingCode
	w.mu.Lock()
	others := w.shown
	if len(others) == 0 || others[len(others)-1] != code {
		w.shown = append(w.shown[:len(others):len(others)], code)
	}
	w.mu.Unlock()
	for _, tx := range w.gateway.Transactions() {
		switch {
		case tx.TrackingCode == code && tx.WalletAddress != v.Attempt.Address:
			w.fail("%s is shown for %s, whose address is %s", v.Attempt.Address, code, tx.WalletAddress)
		case tx.TrackingCode != code && tx.Status == sandbox.Pending && strings.Contains(strings.Join(others, " "), tx.TrackingCode):
			w.fail("two addresses that were shown can be paid: %s and %s", tx.TrackingCode, code)
		}
	}
}

// event is an event with what its body says.
type event struct {
	Type payment.EventType
	Data payment.Object
}

// outbox takes the events of the session out of the database, oldest first.
func (w *world) outbox() (all []event) {
	far := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	list := fortest.Must(w.db.ClaimDeliveries(w.ctx, far, time.Hour, 100, []string{hook}))(w.t)
	for _, d := range list {
		var body event
		if err := json.Unmarshal(d.Body, &body); err != nil || body.Type != d.Type || d.Session != w.id {
			w.fail("event %s of %s: %v", d.Type, d.Session, err)
		}
		w.log("event "+string(d.Type), nil)
		all = append(all, body)
	}
	return all
}

// attemptState is what has become of the money that went to one transaction.
type attemptState struct {
	tx        sandbox.Transaction
	attempt   payment.Attempt
	arrived   decimal.Decimal
	completed time.Time // when enough had arrived; zero = never
}

// full reports whether all that was asked for has come, up to the tolerance.
func (f attemptState) full() bool { return !f.completed.IsZero() }

// attemptStates returns that of every transaction to which something was paid.
func (w *world) attemptStates() (all []attemptState) {
	s := w.load()
	for _, tx := range w.gateway.Transactions() {
		f := attemptState{tx: tx}
		least := tx.PayAmount.Mul(decimal.RequireFromString("0.99")).RoundCeil(8)
		for _, m := range tx.Transfers {
			f.arrived = f.arrived.Add(m.Amount)
			if f.completed.IsZero() && f.arrived.GreaterThanOrEqual(least) {
				f.completed = m.At
			}
		}
		for _, a := range s.Attempts {
			if a.TrackingCode == tx.TrackingCode {
				f.attempt = a
			}
		}
		if f.attempt.Number == 0 {
			w.fail("transaction %s is unknown to the checkout", tx.TrackingCode)
		}
		if f.arrived.IsPositive() {
			all = append(all, f)
		}
	}
	return all
}

// check holds the end of a round against what the gateway's records says.
func (w *world) check() {
	s, events, attemptStates := w.load(), w.outbox(), w.attemptStates()
	full, confirmed := 0, 0
	for _, f := range attemptStates {
		if f.full() {
			full++
		}
		if f.attempt.State == payment.Confirmed {
			confirmed++
		}
		w.checkAttempt(f, events)
	}
	switch {
	case full > 0 && (s.Status != wire.Confirmed || confirmed != 1):
		w.fail("%d transactions are paid in full and %d attempts confirmed; the session is %s", full, confirmed, s.Status)
	case full == 0 && (s.Status == wire.Confirmed || confirmed > 0):
		w.fail("confirmed without a payment")
	}
	w.checkEvents(s, events)
	for _, tx := range w.gateway.Transactions() {
		if tx.Status == sandbox.Pending {
			w.fail("%s can still be paid", tx.TrackingCode)
		}
	}
}

// checkAttempt: money that came is reported as what it is.
func (w *world) checkAttempt(f attemptState, events []event) {
	a := f.attempt
	if f.full() && a.State != payment.Confirmed && a.State != payment.InReview {
		w.fail("%s of %s was paid for %s, which is %s", f.arrived, f.tx.PayAmount, a.TrackingCode, a.State)
	}
	if !f.full() && a.State == payment.Confirmed {
		w.fail("%s of %s is confirmed for %s", f.arrived, f.tx.PayAmount, a.TrackingCode)
	}
	if late := f.completed.Compare(f.tx.ExpiredAt) >= 0; a.State == payment.Confirmed && !w.called("cancel") && a.Late != late {
		w.fail("%s is late = %v, but was paid at %s of %s", a.TrackingCode, a.Late, f.completed, f.tx.ExpiredAt)
	}
	seen := decimal.Zero
	for _, m := range f.tx.Transfers {
		if m.Seen {
			seen = seen.Add(m.Amount)
		}
	}
	if f.tx.Status != sandbox.Confirmed && !seen.Equal(f.arrived) {
		w.fail("the gateway was not asked to check again for %s: it has seen %s of %s", a.TrackingCode, seen, f.arrived)
	}
	if !countEvents(events, a.TrackingCode, seen) {
		w.fail("%s paid for %s was not reported", seen, a.TrackingCode)
	}
}

// called reports whether something of that name, or a change of coin, which
// cancels too, was asked for.
func (w *world) called(name string) bool {
	text := strings.Join(w.trace, "\n")
	return strings.Contains(text, name) || strings.Count(text, "choose") > 2
}

// countEvents reports whether an event says that so much was paid.
func countEvents(events []event, code string, paid decimal.Decimal) bool {
	for _, e := range events {
		for _, a := range e.Data.Attempts {
			if a.TrackingCode == code && a.PaidAmount != "" && decimal.RequireFromString(a.PaidAmount).Equal(paid) {
				return true
			}
		}
	}
	return false
}

// checkEvents: paid is reported once, exactly if it is so, and nothing takes it back.
func (w *world) checkEvents(s payment.Session, events []event) {
	n, version := 0, int64(0)
	for _, e := range events {
		switch {
		case e.Type == payment.EventConfirmed:
			n++
			if e.Data.Status != wire.Confirmed {
				w.fail("%s says that the session is %s", e.Type, e.Data.Status)
			}
		case n > 0 && e.Type != payment.EventReview && e.Type != payment.EventPartial:
			w.fail("%s is reported after %s", e.Type, payment.EventConfirmed)
		}
		if e.Data.Version < version {
			w.fail("version %d is reported after %d", e.Data.Version, version)
		}
		version = e.Data.Version
	}
	if want := map[bool]int{true: 1}[s.Status == wire.Confirmed]; n != want {
		w.fail("%d confirmed events in status %s", n, s.Status)
	}
}

// checkEnd says in words how the round ended, for the figure.
func (w *world) checkEnd() []string {
	s := w.load()
	a := s.Current()
	var all []string
	switch {
	case s.Status != wire.Confirmed:
		return []string{"never paid in full"}
	case a.Late:
		all = append(all, "confirmed late")
	default:
		all = append(all, "confirmed in time")
	}
	if len(s.Attempts) > 1 {
		all = append(all, "confirmed after a change of coin")
	}
	for _, other := range s.Attempts {
		if other.State == payment.InReview {
			all = append(all, "paid twice and reviewed")
		}
	}
	return all
}
