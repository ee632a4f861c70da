package metrics

import (
	"slices"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
)

// findings are states of an attempt that may need attention.
var findings = []string{
	string(payment.InReview), string(payment.Abandoned), string(payment.Rejected),
	string(payment.Duplicate),
}

// CountTransition counts an opened or changed session; see checkout.Config.
func (s *Set) CountTransition(before, after payment.Session) {
	for i := range after.Attempts {
		s.countFinding(before, &after.Attempts[i])
	}
	if before.Status == after.Status {
		return
	}
	coin, network := "none", "none"
	if a := after.Current(); a != nil {
		var isListed bool
		if coin, network, isListed = s.Token(a.CurrencySymbol, a.NetworkCode); !isListed {
			coin, network = "other", "other"
		}
		s.observeDetection(after, a)
	}
	s.counter("coinslot_payments_total", string(after.Status), coin, network).Inc()
}

// countFinding counts an attempt that has newly become a finding.
func (s *Set) countFinding(before payment.Session, a *payment.Attempt) {
	if was := before.Attempt(a.Number); was != nil && was.State == a.State {
		return
	}
	if slices.Contains(findings, string(a.State)) {
		s.counter("coinslot_findings_total", string(a.State)).Inc()
	}
}

// observeDetection measures the delay between the event and its new status.
func (s *Set) observeDetection(after payment.Session, a *payment.Attempt) {
	now := s.Now()
	var since time.Time
	switch after.Status {
	case wire.Pending:
		since = a.StartedAt
	case wire.Confirmed:
		since = a.PaidAt
		s.observe("coinslot_checkout_paid_seconds", max(0, now.Sub(after.CreatedAt)))
	case wire.Expired:
		since = a.ExpiresAt
	case wire.Open, wire.Preparing, wire.Cancelled, wire.Review: // nothing tells since when
	}
	if !since.IsZero() {
		s.observe("coinslot_payment_detection_seconds", max(0, now.Sub(since)),
			string(after.Status))
	}
}
