package checkout_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"
	"coinslot/bff/checkout/checkouttest"
	"coinslot/bff/fortest"
	"coinslot/bff/payment"

	"github.com/google/go-cmp/cmp"
)

// check verifies the invariants of every session.
func (w *walk) check() {
	w.T.Helper()
	for _, id := range w.ids {
		s := w.Load(id)
		before, known := w.last[id]
		w.checkShown(s)
		w.checkEvents(s)
		if known {
			w.checkChange(before, s)
		}
		if before.Version != s.Version {
			w.checkLast(s)
		}
		w.last[id] = s
	}
}

// checkShown: at most one payable address is shown, and only a committed one.
func (w *walk) checkShown(s payment.Session) {
	w.T.Helper()
	v := checkout.View(&s, w.ViewOptions())
	if v.Status != wire.Pending {
		if v.Status == wire.Preparing && v.Attempt != nil && v.Attempt.Address != "" {
			w.fail(s.ID, "an address is shown while preparing")
		}
		return
	}
	a := s.Current()
	if v.Attempt.Address != a.Address || v.Attempt.Address == "" && v.Attempt.PaymentURL == "" {
		w.fail(s.ID, "the view shows %q, the row has %q", v.Attempt.Address, a.Address)
	}
	if w.shown[s.ID] == nil {
		w.shown[s.ID] = map[string]bool{}
	}
	for _, tx := range w.Gateway.All() {
		switch {
		case tx.TrackingCode == a.TrackingCode:
			if a.Address != "" && tx.Address != a.Address {
				w.fail(s.ID, "address %s is shown for %s", a.Address, tx.TrackingCode)
			}
		case tx.Status == "pending" && w.shown[s.ID][tx.Address]:
			w.fail(s.ID, "two addresses that were shown can be paid: %s and %s", tx.TrackingCode, a.TrackingCode)
		}
	}
	if a.Address != "" {
		w.shown[s.ID][a.Address] = true
	}
}

// checkEvents: confirmed is reported exactly once, exactly if it is so.
func (w *walk) checkEvents(s payment.Session) {
	w.T.Helper()
	n := 0
	for _, e := range w.Store.EventsOf(s.ID) {
		if e.Type == payment.EventConfirmed {
			n++
		}
	}
	if want := map[bool]int{true: 1}[s.Status == wire.Confirmed]; n != want {
		w.fail(s.ID, "%d confirmed events in status %s", n, s.Status)
	}
	if s.Status != wire.Confirmed || resolved(s) {
		return
	}
	for _, tx := range w.Gateway.All() {
		a := s.Current()
		if tx.TrackingCode == a.TrackingCode && (tx.Status != "confirmed" || tx.Paid.LessThan(a.PayAmount.Mul(checkouttest.Dec("0.99")))) {
			w.fail(s.ID, "confirmed, but the gateway has %s and %s paid", tx.Status, tx.Paid)
		}
	}
}

// checkLast: the last event matches the state of the session.
func (w *walk) checkLast(s payment.Session) {
	w.T.Helper()
	if s.Status == wire.Open || s.Status == wire.Preparing { // no event
		return
	}
	var body struct{ Data payment.Object }
	events := w.Store.EventsOf(s.ID)
	if len(events) > 0 {
		fortest.OK(w.T, json.Unmarshal(events[len(events)-1].Body, &body))
	}
	if body.Data.Status != s.Status {
		w.fail(s.ID, "the last of %v says that it is %q; it is %s", w.EventTypes(s.ID), body.Data.Status, s.Status)
	}
}

// checkChange: versions grow with every change, and confirmed never changes.
func (w *walk) checkChange(before, s payment.Session) {
	w.T.Helper()
	if before.Status != s.Status {
		if w.seen[before.Status] == nil {
			w.seen[before.Status] = map[wire.Status]int{}
		}
		w.seen[before.Status][s.Status]++
	}
	before.CheckedAt, before.DueAt, before.Epoch = s.CheckedAt, s.DueAt, s.Epoch // these change without a version
	if s.Version < before.Version || s.Version == before.Version && !reflect.DeepEqual(before, s) {
		w.fail(s.ID, "version %d after %d: %s", s.Version, before.Version, cmp.Diff(before, s))
	}
	if before.Status != wire.Confirmed {
		return
	}
	was, is := before.Current(), s.Current()
	if s.Status != wire.Confirmed || is.Paid.LessThan(was.Paid) || is.Address != was.Address {
		w.fail(s.ID, "confirmed became %s: %s", s.Status, cmp.Diff(before, s))
	}
}

func (w *walk) fail(id, format string, args ...any) {
	w.T.Helper()
	text := ""
	for _, a := range w.Load(id).Attempts {
		text += fmt.Sprintf("\n#%d %s %s %s paid %s due %v", a.Number, a.State, a.TrackingCode, a.Address, a.Paid, a.EndedAt)
	}
	for _, tx := range w.Gateway.All() {
		text += fmt.Sprintf("\n%s %s %s paid %s %q", tx.TrackingCode, tx.Status, tx.Address, tx.Paid, tx.Comment)
	}
	w.T.Fatalf("session %s at %s: %s%s\n%s", id, w.Clock.Now().Format(time.TimeOnly), fmt.Sprintf(format, args...), text, w.Timeline(id))
}

// settle ends the faults and verifies that everything completes.
func (w *walk) finishAll() {
	w.T.Helper()
	w.faults = 0
	for range 130 {
		w.Clock.Move(time.Second)
		w.Process()
		w.check()
	}
	for _, id := range w.ids {
		if s := w.Load(id); s.Status == wire.Preparing {
			w.fail(id, "still preparing two minutes after the last fault")
		}
	}
	w.checkKnown(func(tx checkouttest.Transaction) bool { return tx.Status == "pending" && !w.woken[tx.Comment] })
	for range 80 {
		w.Clock.Move(time.Minute)
		w.Process()
		w.check()
	}
	w.checkKnown(func(checkouttest.Transaction) bool { return true })
	for range 320 {
		w.Clock.Move(30 * time.Minute)
		fortest.OK(w.T, w.Process())
	}
	w.check()
	w.checkReported()
	for _, id := range w.ids {
		if due := w.Load(id).DueAt; !due.IsZero() {
			w.fail(id, "due at %v although everything is over", due)
		}
	}
}

// checkKnown: every transaction of the gateway is known.
func (w *walk) checkKnown(of func(checkouttest.Transaction) bool) {
	w.T.Helper()
	for _, tx := range w.Gateway.All() {
		if !of(tx) {
			continue
		}
		if _, err := w.Store.Lookup(w.T.Context(), tx.TrackingCode); err != nil {
			marker, _, _ := strings.Cut(tx.Comment, " ")
			owner, _ := w.Store.Lookup(w.T.Context(), marker)
			w.fail(owner.ID, "%s is %s at the gateway and unknown here", tx.TrackingCode, tx.Status)
		}
	}
}

// checkReported: every payment is reported to the merchant.
func (w *walk) checkReported() {
	w.T.Helper()
	for _, tx := range w.Gateway.All() {
		s, err := w.Store.Lookup(w.T.Context(), tx.TrackingCode)
		if !tx.Paid.IsPositive() || err != nil || resolved(s) {
			continue
		}
		notified := false
		for _, e := range w.Store.EventsOf(s.ID) {
			notified = notified || tells(w.T, e, tx)
		}
		if !notified {
			w.fail(s.ID, "%s paid for %s was not reported: %v", tx.Paid, tx.TrackingCode, w.EventTypes(s.ID))
		}
	}
}

func tells(t *testing.T, e payment.Event, tx checkouttest.Transaction) bool {
	var body struct{ Data payment.Object }
	if err := json.Unmarshal(e.Body, &body); err != nil {
		t.Fatalf("body of %s: %v", e.Type, err)
	}
	for _, a := range body.Data.Attempts {
		if a.TrackingCode == tx.TrackingCode && a.PaidAmount != "" && checkouttest.Dec(a.PaidAmount).Equal(tx.Paid) {
			return true
		}
	}
	return false
}
