//go:build linux

package torture

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"

	"coinslot/app/wire"
)

// session is what the world knows of one order: what was acknowledged to its
// merchant and what was shown to its shoppers.
type session struct {
	id, amount, ref string
	plan            string      // what its first shopper wants to do
	operated        atomic.Bool // an operator has changed it

	// Guarded by world.mu.
	seen      map[int64]viewState // the first sight of each version
	shown     []shownPayment      // payable displays, each tracking code once for each version
	confirmed bool                // a shopper has seen that
}

// viewState is what must be the same whenever one version is looked at.
type viewState struct {
	status  wire.Status
	number  int
	address string
}

// shownPayment is something that could be paid when it was on a screen.
type shownPayment struct {
	version   int64
	number    int
	address   string
	payAmount string
	code      string // of the transaction that would be paid
}

// object is the session as its merchant sees it.
type object struct {
	ID        string
	Status    string
	Version   int64
	AmountUSD string `json:"amount_usd"`
	OrderRef  string `json:"order_ref"`
	Deleted   bool   // but for a tombstone
	ErasedAt  string `json:"erased_at"`
	Attempts  []attempt
	Timeline  []struct{ By string } `json:"timeline"`
}

type attempt struct {
	Number       int
	Status       string
	TrackingCode string `json:"tracking_code"`
	Address      string
	PayAmount    string `json:"pay_amount"`
	PaidAmount   string `json:"paid_amount"`
	Late         bool
	Reason       string
}

// acknowledged remembers a session whose creation was answered by a 2xx, and
// holds a repeated answer against the first.
func (w *world) acknowledged(o object, amount, ref, plan string) *session {
	w.mu.Lock()
	s := w.sessions[o.ID]
	if s == nil {
		s = &session{id: o.ID, amount: amount, ref: ref, plan: plan, seen: map[int64]viewState{}}
		w.sessions[o.ID] = s
	}
	same := s.amount == o.AmountUSD && s.ref == o.OrderRef
	w.mu.Unlock()
	w.note(o.ID, "acknowledged: %s USD, ref %s, the shopper will %s", amount, ref, plan)
	if !same {
		w.violate(o.ID, "I3: the session is of %s USD and ref %q; the merchant asked for %s and %q",
			o.AmountUSD, o.OrderRef, s.amount, s.ref)
	}
	return s
}

// recordView writes down that client was shown v, and checks what can be checked at
// once; checkHistories checks the order of versions.
func (w *world) recordView(client string, s *session, v wire.View) {
	now := viewState{status: v.Status}
	var d shownPayment
	if a := v.Attempt; a != nil {
		now.number, now.address = a.Number, a.Address
		if v.Status == wire.Pending {
			d = shownPayment{
				version:   v.Version,
				number:    a.Number,
				address:   a.Address,
				payAmount: a.PayAmount,
				code:      w.payable(a)}
		}
	}
	w.mu.Lock()
	before, known := s.seen[v.Version]
	if !known {
		s.seen[v.Version] = now
	}
	s.confirmed = s.confirmed || v.Status == wire.Confirmed
	w.mu.Unlock()
	if !known {
		w.note(s.id, "%s sees version %d: %s, attempt %d %s %s", client, v.Version, now.status,
			now.number, now.address, d.code)
	}
	if known && before != now {
		w.violate(s.id, "I7: version %d was %+v and is %+v", v.Version, before, now)
	}
	if v.Status == wire.Pending {
		w.checkOlderShown(s, d)
	}
}

// payable returns the tracking code of what a shopper can pay, "" if the
// gateway knows nothing of it.
func (w *world) payable(a *wire.Attempt) string {
	if a.Address != "" {
		return w.gateway.code(a.Address)
	}
	page := w.gateway.web.URL + "/pay/"
	if len(a.PaymentURL) > len(page) && a.PaymentURL[:len(page)] == page {
		return a.PaymentURL[len(page):]
	}
	return ""
}

// checkOlderShown checks that nothing else which was on a screen before can still be
// paid (I1), and that the gateway has issued what is there now (I11).
func (w *world) checkOlderShown(s *session, d shownPayment) {
	if d.code == "" {
		w.violate(s.id, "I11: version %d shows %q to pay, which the gateway has not issued",
			d.version, d.address)
		return
	}
	w.mu.Lock()
	var older []shownPayment
	for _, e := range s.shown {
		if e.version == d.version && e.code == d.code {
			w.mu.Unlock()
			return // was checked when it came first
		}
		if e.code != d.code && e.version < d.version {
			older = append(older, e)
		}
	}
	s.shown = append(s.shown, d)
	w.mu.Unlock()
	if len(older) == 0 {
		return
	}
	records := w.gateway.records()
	for _, e := range older {
		if records[e.code].Status == "pending" {
			w.violate(s.id, "I1: version %d shows %s while %s of version %d can still be paid",
				d.version, d.code, e.code, e.version)
		}
	}
}

// checkEvent checks an event at the moment it first arrives: that the gateway has
// the money which it reports (I5).
func (w *world) checkEvent(e event) {
	w.note(e.session, "event %s %s: version %d %s", e.id, e.kind, e.version, e.status)
	w.observed.notified("webhook", e.session,
		sight{version: e.version, status: wire.Status(e.status)})
	if e.kind != "checkout.confirmed" {
		return
	}
	records := w.gateway.records()
	for _, a := range e.attempts {
		if a.Status == "confirmed" && records[a.TrackingCode].Status != "confirmed" {
			w.violate(e.session, "I5: %s reports that %s is paid; the gateway says %s", e.id,
				a.TrackingCode, records[a.TrackingCode].Status)
		}
	}
}

// read returns the session as its merchant sees it.
func (w *world) read(ctx context.Context, id string) (object, error) {
	var o object
	status, body, err := w.merchant(ctx, http.MethodGet, "/v1/sessions/"+id, "")
	if err != nil {
		return o, err
	}
	if status != http.StatusOK {
		return o, fmt.Errorf("GET /v1/sessions/%s answers %d %.200s", id, status, body)
	}
	return o, json.Unmarshal(body, &o)
}
