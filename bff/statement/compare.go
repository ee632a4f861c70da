package statement

import (
	"cmp"
	"slices"
	"time"

	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
)

// Finding is one reason why a month is not closed.
type Finding struct {
	Why          string // in words: what differs, and what to do
	TrackingCode string
	Session      string // empty = none
	OrderRef     string
	Gateway      string // what the gateway says; empty = nothing
	Here         string // what is known here; empty = nothing
}

// The reasons of findings.
const (
	whyNotRead = "The gateway's lists could not be read completely, so nothing was compared. " +
		"Try again later."
	whyUnreadable = "A stored session with money in this month cannot be read. The overview of " +
		"the console names it; repair it first."
	whyNotListed = "The gateway does not list it as confirmed. Ask the gateway with the tracking " +
		"code."
	whyByOperator = "An operator resolved it as paid, and the gateway does not list it as " +
		"confirmed. The gateway may not pay it out: ask it."
	whyAmount = "The amounts differ. The next check of the payment reads the gateway's: look " +
		"again in a few minutes, then ask the gateway."
	whyOtherMonth = "The gateway lists another month for it. The next check of the payment reads " +
		"the gateway's time."
	whyPaidThere = "The gateway lists it as confirmed, and here it is not. The next check of the " +
		"payment confirms it or puts it into review: look again in a few minutes."
	whyNotOurs = "The gateway lists a payment that no session here has. Something else uses the " +
		"same key, or the database was restored from a backup: run coinslot reconcile."
	whyReview     = "It is in review. Resolve it as paid or as unpaid."
	whyUnfinished = "Money came, and the time to pay is not over yet. Look again when it is."
	whyNoValue    = "Nothing says what it is worth in dollars, so it is in no sum of dollars. " +
		"Value it yourself."
	whyNotPaidOut = "The gateway has not confirmed the withdrawal yet, so it is in no sum. Look " +
		"again when it has."
	whyNoAmount = "The gateway states an amount of the withdrawal that cannot be read."
	whyNoTime   = "The gateway lists the withdrawal near this month, without a time: it may be of " +
		"this month or of another."
)

// listed is what the gateway lists around a month.
type listed struct {
	records     []payment.Record // confirmed
	withdrawals []gatewaylist.Withdrawal
	err         error // why they could not be read completely; nil = they were
}

// owner is the attempt that a record of the gateway belongs to.
type owner struct {
	session payment.Session
	number  int
}

// attempt returns nil if the session has none of that number.
func (o owner) attempt() *payment.Attempt { return o.session.Attempt(o.number) }

// comparison compares the rows of a month with what the gateway lists.
type comparison struct {
	month    Month
	zone     *time.Location
	tests    bool // tests count
	findings []Finding
}

// payments compares the payments of the month. owners are those of the records, by tracking code.
func (c *comparison) payments(rows []Row, list listed, owners map[string]owner) {
	records := map[string]payment.Record{}
	for _, r := range list.records {
		records[r.TrackingCode] = r
	}

	ours := map[string]bool{}
	for _, row := range rows {
		if !row.Kind.IsPayment() {
			continue
		}
		ours[row.TrackingCode] = true
		record, found := records[row.TrackingCode]
		c.payment(row, record, found, owners[row.TrackingCode])
	}

	for _, record := range list.records {
		if !ours[record.TrackingCode] && c.isOfMonth(record) {
			c.missing(record, owners[record.TrackingCode])
		}
	}
}

// payment compares one payment with the gateway's record of it.
func (c *comparison) payment(row Row, record payment.Record, found bool, o owner) {
	f := Finding{
		TrackingCode: row.TrackingCode,
		Session:      row.Session,
		OrderRef:     row.OrderRef,
		Here:         row.Kind.Words() + ", " + exact(row.Amount, 0) + " " + row.Symbol,
	}
	if found {
		f.Gateway = describeRecord(record, c.zone)
	}

	settled := row.Kind == Partial || row.Kind == Unpaid // the gateway may not list these
	shared := row.Amount.IsZero()                        // of another payment's money
	switch {
	case row.Kind == Review:
		f.Why = whyReview
	case found && row.Kind == Partial:
		f.Why = whyPaidThere
	case !found && o.attempt() != nil && o.attempt().ConfirmedByOperator():
		f.Why = whyByOperator
	case !found && !settled:
		f.Why = whyNotListed
	case found && !shared && record.PaidReadable && !record.Paid.Equal(row.Amount):
		f.Why = whyAmount
	case found && !record.PaidAt.IsZero() && !c.month.has(record.PaidAt, c.zone):
		f.Why = whyOtherMonth
	case o.attempt() != nil && o.attempt().Live():
		f.Why = whyUnfinished
	default:
		return
	}
	c.findings = append(c.findings, f)
}

// isOfMonth reports whether the gateway says that a transaction was paid in the month. If it states
// no time of payment, that of its creation counts.
func (c *comparison) isOfMonth(r payment.Record) bool {
	at := r.PaidAt
	if at.IsZero() {
		at = r.CreatedAt
	}
	return c.month.has(at, c.zone)
}

// missing notes a payment that the gateway lists and the month lacks.
func (c *comparison) missing(record payment.Record, o owner) {
	f := Finding{
		TrackingCode: record.TrackingCode,
		Gateway:      describeRecord(record, c.zone),
		Why:          whyNotOurs,
	}
	a := o.attempt()
	switch {
	case a == nil:
	case o.session.Test && !c.tests:
		return
	case a.HasMoney() && record.PaidAt.IsZero():
		return // it is in the month in which it was seen here
	default:
		f.Session = o.session.ID
		f.OrderRef = o.session.Order.Ref
		f.Here = string(a.State)
		f.Why = whyPaidThere
		if a.HasMoney() {
			f.Here += " of " + a.ReceivedAt().In(c.zone).Format(time.DateOnly)
			f.Why = whyOtherMonth
		}
	}
	c.findings = append(c.findings, f)
}

func describeRecord(r payment.Record, zone *time.Location) string {
	text := r.Status
	if r.PaidAmount != "" {
		text += ", " + r.PaidAmount + " " + r.CurrencyCode
	}
	if !r.PaidAt.IsZero() {
		text += " of " + r.PaidAt.In(zone).Format(time.DateOnly)
	}
	return text
}

// values notes rows that are in no sum of dollars.
func (c *comparison) values(rows []Row) {
	for _, row := range rows {
		f := Finding{
			TrackingCode: row.TrackingCode,
			Session:      row.Session,
			OrderRef:     row.OrderRef,
			Here:         row.Kind.Words(),
		}
		switch {
		case row.Kind != Withdrawal && !row.Valued:
			f.Why = whyNoValue
			f.Here += ", " + exact(row.Amount, 0) + " " + row.Symbol
		case row.Kind == Withdrawal && !row.Valued:
			f.Why = whyNoAmount
		case row.Kind == Withdrawal && !row.isPaidOut():
			f.Why = whyNotPaidOut
			f.Here = ""
			f.Gateway = row.Status
		default:
			continue
		}
		c.findings = append(c.findings, f)
	}
}

// isPaidOut reports whether the gateway has confirmed a withdrawal.
func (r Row) isPaidOut() bool { return r.Kind == Withdrawal && r.Status == "confirmed" }

// undated notes withdrawals that may be of the month.
func (c *comparison) undated(list []gatewaylist.Withdrawal) {
	for _, w := range list {
		if w.CreatedAt.IsZero() {
			c.findings = append(c.findings, Finding{
				Why:          whyNoTime,
				TrackingCode: w.TrackingCode,
				Gateway:      w.Status + ", $" + w.Amount(),
			})
		}
	}
}

// sorted returns the findings by reason, in the order in which reasons were found first.
func (c *comparison) sorted() []Finding {
	place := map[string]int{}
	for _, f := range c.findings {
		if _, known := place[f.Why]; !known {
			place[f.Why] = len(place)
		}
	}
	slices.SortStableFunc(c.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(place[a.Why], place[b.Why]),
			cmp.Compare(a.TrackingCode, b.TrackingCode))
	})
	return c.findings
}
