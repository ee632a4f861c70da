package simulation

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/payment"
)

const (
	// reconciled is after how long without faults every transaction is known. One whose create had
	// no usable tracking code is searched for two minutes after that create.
	reconciled = 150 * time.Second
	// longest is the most that anything may take.
	longest = 2 * time.Minute
)

// now is the session as it is stored; the zero value if it is not.
func (s *session) now() *payment.Session {
	if len(s.history) == 0 {
		return &payment.Session{}
	}
	return &s.history[len(s.history)-1]
}

// committed checks a change of a session when it is written.
func (w *world) committed(before, after payment.Session, events []payment.Event) {
	s := w.sessions[slices.IndexFunc(w.sessions, func(s *session) bool {
		return s.order.Ref == after.Order.Ref
	})]
	w.logf("    %s is %s, version %d", after.ID, after.Status, after.Version)
	if after.Version != int64(len(s.history))+1 {
		w.failf("I7: version %d of %s follows %d", after.Version, after.ID, len(s.history))
	}
	s.history = append(s.history, after)
	if !after.Order.AmountUSD.Equal(s.order.AmountUSD) {
		w.failf("I3: the amount of %s has become %s", after.ID, after.Order.AmountUSD)
	}
	w.checkConfirmed(s, &before, &after, events)
	w.checkEvents(s, &before, &after, events)
	w.checkReplaced(&before, &after)
	if !alike(&before, &after) {
		w.checkShown(s, &after)
	}
}

// checkConfirmed: confirmed is written once, with its event, if the money is there, and stays.
func (w *world) checkConfirmed(
	s *session, before, after *payment.Session, events []payment.Event,
) {
	is := func(e payment.Event) bool { return e.Type == payment.EventConfirmed }
	a, becomes := after.Current(), after.Status == wire.Confirmed && before.Status != wire.Confirmed
	if slices.ContainsFunc(events, is) != becomes {
		w.failf("I4: %s becomes %s, which was %s, with %d events", after.ID, after.Status,
			before.Status, len(events))
	}
	if before.Status == wire.Confirmed &&
		(after.Status != wire.Confirmed || a.TrackingCode != before.Current().TrackingCode) {
		w.failf("I8: %s is %s after it was confirmed", after.ID, after.Status)
	}
	if !becomes || a.ConfirmedByOperator() {
		return
	}
	undecided := func(a payment.Attempt) bool { return a.ResolvedCount > 0 }
	if slices.ContainsFunc(before.Attempts, undecided) {
		w.failf("I8: %s is confirmed after an operator has resolved it as unpaid", after.ID)
	}
	for _, o := range w.sessions {
		if b := o.now().Current(); o != s && o.now().Status == wire.Confirmed && b.TxID == a.TxID {
			w.failf("I4: %s is confirmed by %s, which has paid %s", after.ID, a.TxID, o.id)
		}
	}
	tx := w.transaction(a.TrackingCode)
	if why := unpaid(tx, s.order); why != "" {
		w.failf("I4: %s is confirmed by %s: %s", after.ID, a.TrackingCode, why)
	}
}

// unpaid returns why tx does not pay o; "" = it does.
func unpaid(tx checkouttest.Transaction, o payment.Order) string {
	switch {
	case tx.Status != "confirmed":
		return "the gateway says " + tx.Status
	case !tx.AmountUSD.Equal(o.AmountUSD):
		return "it is of " + tx.AmountUSD.String() + " USD"
	case tx.Paid.LessThan(tx.PayAmount.Mul(checkouttest.Dec("0.99"))):
		return tx.Paid.String() + " of " + tx.PayAmount.String() + " has come"
	}
	return ""
}

// checkEvents: a change of status is reported in its own transaction, and only as what it is.
func (w *world) checkEvents(
	s *session, before, after *payment.Session, events []payment.Event,
) {
	types := ""
	for _, e := range events {
		types += string(e.Type) + " "
	}
	w.logf("    events: %s", types)
	want := payment.EventType(after.Status.Event())
	is := func(e payment.Event) bool { return e.Type == want }
	if want != "" && after.Status != before.Status && !slices.ContainsFunc(events, is) {
		w.failf("I14: that %s is %s is not reported", after.ID, after.Status)
	}
	if len(before.Attempts) == 0 || s.canceled {
		return
	}
	code := before.Current().TrackingCode
	if payment.EventType(wire.Cancelled.Event()) == want && after.Status != before.Status {
		w.reported[code] = true
	}
	if len(after.Attempts) > len(before.Attempts) && w.canceledBy[code] == w.actor &&
		w.reported[code] {
		w.failf("I14: a change of coin of %s was reported as a cancellation", after.ID)
	}
}

// checkReplaced: no create is replaced whose transaction was there when its answer was missed.
func (w *world) checkReplaced(before, after *payment.Session) {
	for i, a := range before.Attempts {
		if i >= len(after.Attempts)-1 || a.State != payment.Unknown || a.TrackingCode != "" ||
			after.Attempts[i].State != payment.Abandoned {
			continue
		}
		for _, tx := range w.gateway.All() {
			if tx.Comment == a.Marker && tx.CreatedAt.Before(a.UnknownAt.Add(-time.Second)) {
				w.failf("I2: attempt %d of %s is replaced; it is %s", a.Number, after.ID,
					tx.TrackingCode)
			}
		}
	}
}

// checkShown notes what can be paid on the page of this version.
func (w *world) checkShown(s *session, after *payment.Session) {
	v := checkout.View(after, checkout.ViewOptions{
		Now: time.Now(), Translate: func(key string, _ ...string) string { return key },
	})
	if v.Attempt == nil || v.Attempt.Address == "" && v.Attempt.PaymentURL == "" {
		return
	}
	a := after.Current()
	if v.Status == wire.Preparing || v.Status == wire.Open {
		w.failf("I1: %s shows %q while it is %s", after.ID, v.Attempt.Address, v.Status)
	}
	if v.Status == wire.Pending {
		if !slices.Contains(s.shown, a.TrackingCode) {
			s.shown = append(s.shown, a.TrackingCode)
		}
		tx := w.transaction(a.TrackingCode)
		if v.Attempt.Address != "" && v.Attempt.Address != tx.Address {
			w.failf("I11: %s shows %s, not %s", after.ID, v.Attempt.Address, tx.Address)
		}
		if !a.PayAmount.Equal(tx.PayAmount) {
			w.failf("I14: %s asks for %s of %s", after.ID, a.PayAmount, tx.PayAmount)
		}
	}
}

// check checks what the database, the gateway and the pages say against each other.
func (w *world) check() {
	status, markers := map[string]string{}, map[string]bool{}
	for _, tx := range w.gateway.All() {
		status[tx.TrackingCode] = tx.Status
		if markers[tx.Comment] {
			w.failf("I2: %s was created twice", tx.Comment)
		}
		markers[tx.Comment] = true
	}
	for _, s := range w.sessions {
		payable := 0
		for _, code := range s.shown {
			if status[code] == "pending" {
				payable++
			}
		}
		if payable > 1 {
			w.failf("I1: %d addresses of %s that were shown can be paid", payable, s.id)
		}
		now := s.now()
		for _, a := range now.Attempts {
			ended := a.State == payment.Expired || a.State == payment.Cancelled
			if ended && a.ResolvedCount == 0 && status[a.TrackingCode] == "pending" {
				w.failf("I14: attempt %d of %s is %s; it can be paid", a.Number, now.ID, a.State)
			}
		}
	}
}

// checkAnswer checks what a client was answered, who had seen version before when it asked.
func (w *world) checkAnswer(s *session, before int64, got payment.Session) {
	if s.id == "" {
		s.id = got.ID
	}
	switch {
	case got.ID != s.id:
		w.failf("I9: %s is answered for %s", got.ID, s.id)
	case got.Version > int64(len(s.history)) || got.Version < 1:
		w.failf("I6: version %d of %s is answered and not stored", got.Version, s.id)
	case got.Version < before:
		w.failf("I7: version %d of %s is answered after %d", got.Version, s.id, before)
	case !alike(&got, &s.history[got.Version-1]):
		w.failf("I6: version %d of %s is answered as %+v", got.Version, s.id, got)
	}
	s.acked = max(s.acked, got.Version)
}

// alike reports whether a page of both shows the same.
func alike(a, b *payment.Session) bool {
	return a.Status == b.Status && slices.EqualFunc(a.Attempts, b.Attempts,
		func(a, b payment.Attempt) bool {
			return a.State == b.State && a.Address == b.Address &&
				a.TrackingCode == b.TrackingCode && a.PayAmount.Equal(b.PayAmount) &&
				a.Paid.Equal(b.Paid)
		})
}

// checkEnd: whatever is asked ends in time, with an error that has a meaning.
func (w *world) checkEnd(e end) {
	if e.in.dead {
		return
	}
	if e.took > longest && e.in.thaws.IsZero() {
		w.failf("I12: %s took %v", e.actor, e.took)
	}
	var problem *wire.Error
	var refused *payment.RefusedError
	var unknown *payment.UnknownError
	if e.err == nil || errors.As(e.err, &problem) || errors.As(e.err, &refused) ||
		errors.As(e.err, &unknown) {
		return
	}
	for _, known := range []error{errDisk, payment.ErrFenced, context.Canceled} {
		if errors.Is(e.err, known) {
			return
		}
	}
	w.failf("I12: %s: %v", e.actor, e.err)
}

// known returns the session and attempt of a tracking code.
func (w *world) known(code string) (*session, *payment.Attempt) {
	for _, s := range w.sessions {
		now := s.now()
		for i := range now.Attempts {
			if now.Attempts[i].TrackingCode == code {
				return s, &now.Attempts[i]
			}
		}
	}
	return nil, nil
}

// checkKnown: a while after the last fault, no transaction is an orphan.
func (w *world) checkKnown() {
	for _, tx := range w.gateway.All() {
		if s, _ := w.known(tx.TrackingCode); s == nil && !w.belated[tx.TrackingCode] {
			w.failf("I2: %s of %q is %s and unknown", tx.TrackingCode, tx.Comment, tx.Status)
		}
	}
	for _, s := range w.sessions {
		if s.now().Status == wire.Preparing {
			w.failf("I2: %s is still preparing", s.id)
		}
	}
}

var ten = checkouttest.Dec("10")

// checkFinal: when nothing is due any more, all money is accounted for.
func (w *world) checkFinal() {
	w.belated = nil
	w.checkKnown()
	confirmed := map[string]int{} // by session
	reported := map[string]bool{} // tracking code and amount
	for _, body := range w.received {
		var e struct {
			Type payment.EventType
			Data struct {
				ID       string
				Attempts []struct {
					TrackingCode string `json:"tracking_code"`
					PaidAmount   string `json:"paid_amount"`
				}
			}
		}
		if err := json.Unmarshal(body, &e); err != nil {
			w.failf("I5: an event cannot be read: %v", err)
		}
		if e.Type == payment.EventConfirmed {
			confirmed[e.Data.ID]++
		}
		for _, a := range e.Data.Attempts {
			reported[a.TrackingCode+" "+a.PaidAmount] = true
		}
	}
	for _, s := range w.sessions {
		now := s.now()
		n := confirmed[now.ID]
		if want := map[bool]int{true: 1}[now.Status == wire.Confirmed]; n != want {
			w.failf("I5: %s is %s; %d events say confirmed", now.ID, now.Status, n)
		}
	}
	for _, tx := range w.gateway.All() {
		s, a := w.known(tx.TrackingCode)
		if s == nil || s.resolved {
			continue
		}
		status := s.now().Status
		key := tx.TrackingCode + " " + payment.FormatAmount(a.Paid)
		if tx.Paid.IsPositive() && !reported[key] {
			w.failf("I13: %s paid for %s is not reported", tx.Paid, tx.TrackingCode)
		}
		if a.Paid.LessThan(tx.Paid) && !w.misled[tx.TrackingCode] {
			w.failf("I13: %s paid for %s is known as %s", tx.Paid, tx.TrackingCode, a.Paid)
		}
		prompt := !w.lossy && tx.TxID != shared && tx.Paid.LessThan(tx.PayAmount.Mul(ten)) &&
			slices.Contains(s.shown, tx.TrackingCode)
		if tx.Status == "confirmed" && status != wire.Confirmed &&
			(prompt || status != wire.Review) {
			w.failf("I13: %s is paid; %s is %s", tx.TrackingCode, s.id, status)
		}
		ended := a.State == payment.Expired || a.State == payment.Cancelled
		if len(w.unseen[tx.TrackingCode]) > 0 && ended {
			w.failf("I13: the gateway was not asked again about %s", tx.TrackingCode)
		}
	}
}

// ends counts how sessions have ended.
func (w *world) ends() map[string]int {
	ends := map[string]int{}
	for _, s := range w.sessions {
		ends[string(s.now().Status)]++
	}
	return ends
}
