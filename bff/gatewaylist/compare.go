package gatewaylist

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"coinslot/bff/payment"
)

// Finding is one difference between gateway and database.
type Finding struct {
	Kind         FindingKind `json:"kind"`
	TrackingCode string      `json:"tracking_code,omitempty"`
	Session      string      `json:"session,omitempty"` // empty = none
	Attempt      int         `json:"attempt,omitempty"`
	OrderRef     string      `json:"order_ref,omitempty"`
	AtGateway    string      `json:"there,omitempty"` // what the gateway says
	InDatabase   string      `json:"here,omitempty"`  // what the database says
	Payable      bool        `json:"-"`               // of NotInDatabase: nothing was paid yet
}

// FindingKind is a kind of difference.
type FindingKind string

// The kinds of findings, most severe first.
const (
	FindingPaidAtGateway  FindingKind = "paid_there" // confirmed by the gateway only
	FindingPaidInDatabase FindingKind = "paid_here"  // confirmed in the database only
	FindingMoney          FindingKind = "money"      // amounts differ
	// has a marker of ours that the database lacks
	FindingNotInDatabase FindingKind = "unknown_here"
	FindingOrphan        FindingKind = "orphan"        // not yet stored with its attempt
	FindingDuplicate     FindingKind = "second"        // its attempt has another transaction
	FindingNotAtGateway  FindingKind = "unknown_there" // the gateway does not list it
	FindingEnded         FindingKind = "ended"         // ended on one side only
	// days whose transactions were not all read: nothing is known to be missing there
	FindingNotRead FindingKind = "not_read"
)

// Explanation explains a kind and what happens next.
func (k FindingKind) Explanation() string { return explanations[k] }

var explanations = map[FindingKind]string{
	FindingPaidAtGateway: "the next check confirms it or puts it into review: look again in a " +
		"few minutes",
	FindingPaidInDatabase: "a confirmation is never withdrawn automatically; a checkout.review " +
		"event reports it: ask the gateway",
	FindingMoney: "amounts must agree before a payment counts: ask the gateway, then resolve the " +
		"session's review",
	FindingNotInDatabase: "the database was restored from a backup, or another installation uses " +
		"the same key: find out which",
	FindingOrphan: "the answer to create was lost: the server finds and cancels the transaction " +
		"within two minutes once the gateway answers",
	FindingDuplicate: "the gateway opened two transactions for one create: the server cancels " +
		"the second",
	FindingNotAtGateway: "it may be just outside the dates; otherwise the key or the gateway has " +
		"changed",
	FindingEnded: "the next check updates it; if it lasts for hours, the server is not polling",
	FindingNotRead: "the gateway's list of these days is too long, or contradicts itself: what it " +
		"lacks was not looked for; ask the gateway for its records of these days",
}

// Result is the outcome of [Reconcile].
type Result struct {
	From, To     time.Time // dates, both inclusive
	Transactions int       // of the gateway, with a day on each side
	NotOurs      int       // of those: not opened by this checkout
	Attempts     int       // of the dates, in the database
	Findings     []Finding // most severe first
}

// SessionReader is what Reconcile needs of the database.
type SessionReader interface {
	AttemptFinder
	Session(ctx context.Context, id string) (payment.Session, error)
	List(ctx context.Context, f payment.Filter) (payment.Page, error)
}

// Reconcile compares the gateway's transactions of the days from…to with the database and
// changes nothing. It reads a day more on each side of the gateway's list, since the time zone of
// its days is unknown. Attempts since now, which the list may have been read before, are left out.
// Days whose list cannot be read completely are a finding, and nothing counts as missing in it.
// Errors: the gateway's; the store's.
func Reconcile(
	ctx context.Context, gateway Lister, database SessionReader, from, to, now time.Time,
) (Result, error) {
	return reconcile(ctx, gateway, database, Run{From: from, To: to, Began: now}, nil)
}

// comparison is one comparison under way.
type comparison struct {
	Result
	database SessionReader
	records  map[string]payment.Record // what the gateway lists, by tracking code
	partly   bool                      // it lists more
	progress Progress
	lease    *lease // nil = none
}

// reconcile does run, and reports its progress to l; nil = no reports. Errors: as for Reconcile;
// payment.ErrFenced.
func reconcile(
	ctx context.Context, gateway Lister, database SessionReader, run Run, l *lease,
) (Result, error) {
	c := comparison{
		Result:   Result{From: run.From, To: run.To},
		database: database,
		records:  map[string]payment.Record{},
		lease:    l,
	}
	if err := c.readList(ctx, gateway); err != nil {
		return c.Result, err
	}
	if err := c.checkListed(ctx); err != nil {
		return c.Result, err
	}
	if err := c.checkUnlisted(ctx, run.Began); err != nil {
		return c.Result, err
	}

	slices.SortFunc(c.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(severity(a.Kind), severity(b.Kind)),
			cmp.Compare(a.TrackingCode, b.TrackingCode))
	})
	return c.Result, nil
}

// readList reads what the gateway lists. Of a transaction that comes twice, the last record counts.
func (c *comparison) readList(ctx context.Context, gateway Lister) error {
	for days := newestFirst(c.From.AddDate(0, 0, -1), c.To.AddDate(0, 0, 1)); len(days) > 0; {
		q := days[0]
		days = days[1:]
		list := NewReader(gateway, q)
		for list.Next(ctx) {
			for _, r := range list.Page.Items {
				c.records[r.TrackingCode] = r
			}
			c.progress.Day = q.To
			c.progress.Page = list.Number
			c.progress.Pages = list.Page.LastPage
			if err := c.lease.report(ctx, c.progress); err != nil {
				return err
			}
		}

		err := list.Err()
		if halves, ok := split(q, err); ok {
			days = append(halves, days...)
			continue
		}
		if errors.Is(err, ErrUnreadable) {
			c.partly = true
			c.add(Finding{Kind: FindingNotRead, AtGateway: daysOf(q) + ": " + err.Error()})
			continue
		}
		if err != nil {
			return err
		}
	}

	c.Transactions = len(c.records)
	return nil
}

// FindingKinds returns all kinds, most severe first.
func FindingKinds() []FindingKind {
	return []FindingKind{FindingPaidAtGateway, FindingPaidInDatabase, FindingMoney,
		FindingNotRead, FindingNotInDatabase, FindingOrphan, FindingDuplicate,
		FindingNotAtGateway, FindingEnded}
}

func severity(k FindingKind) int { return slices.Index(FindingKinds(), k) }

// Counts returns the number of findings of every kind.
func (r Result) Counts() map[FindingKind]int {
	counts := map[FindingKind]int{}
	for _, k := range FindingKinds() {
		counts[k] = 0
	}
	for _, f := range r.Findings {
		counts[f.Kind]++
	}
	return counts
}

func (c *comparison) checkListed(ctx context.Context) error {
	keys := slices.Collect(maps.Keys(c.records))
	for _, r := range c.records {
		keys = append(keys, payment.MarkerText.FindString(r.Comment))
	}
	owners, err := ownersOf(ctx, c.database, keys)
	if err != nil {
		return err
	}

	for code, r := range c.records {
		marker := payment.MarkerText.FindString(r.Comment)
		known, here := owners[code]
		owner, owned := owners[marker]
		switch {
		case here:
			if err := c.compareRecord(ctx, known, r); err != nil {
				return err
			}
		case owned && owner.TrackingCode == "":
			c.add(Finding{
				Kind:         FindingOrphan,
				TrackingCode: code,
				Session:      owner.Session,
				Attempt:      owner.Number,
				AtGateway:    r.Status,
			})
		case owned:
			c.add(Finding{
				Kind:         FindingDuplicate,
				TrackingCode: code,
				Session:      owner.Session,
				Attempt:      owner.Number,
				AtGateway:    r.Status,
				InDatabase:   "has " + owner.TrackingCode,
			})
		case marker != "":
			c.add(Finding{
				Kind:         FindingNotInDatabase,
				TrackingCode: code,
				AtGateway: fmt.Sprintf("%s of %s %s for $%s, order %d of %s, %s",
					withPaid(r.Status, r.PaidAmount), payment.FormatAmount(r.PayAmount),
					r.CurrencyCode, payment.FormatAmount(r.AmountUSD), r.OrderID,
					r.CreatedAt.UTC().Format("2006-01-02 15:04:05Z"), marker),
				Payable: r.Status == "pending" && !r.ShowsMoney(),
			})
		default:
			c.NotOurs++
		}
	}

	return nil
}

// ownersOf returns the attempts that have keys, tracking codes and markers, by key.
func ownersOf(
	ctx context.Context, database AttemptFinder, keys []string,
) (map[string]payment.AttemptRef, error) {
	keys = slices.DeleteFunc(keys, func(key string) bool { return key == "" })
	list, err := database.FindAttempts(ctx, keys)
	if err != nil {
		return nil, fmt.Errorf("looking up attempts: %w", err)
	}

	owners := map[string]payment.AttemptRef{}
	for _, a := range list {
		owners[a.Marker] = a
		owners[a.TrackingCode] = a
	}

	delete(owners, "")
	return owners, nil
}

func (c *comparison) compareRecord(
	ctx context.Context, h payment.AttemptRef, r payment.Record,
) error {
	c.progress.Payments++
	if err := c.lease.report(ctx, c.progress); err != nil {
		return err
	}

	s, err := c.database.Session(ctx, h.Session)
	if errors.Is(err, payment.ErrUnreadable) {
		return nil // an alert is about it, and it is compared after it was repaired
	}
	if err != nil {
		return fmt.Errorf("reading session %q: %w", h.Session, err)
	}

	a := s.Attempt(h.Number)
	if a == nil {
		return nil // replaced between two reads
	}
	if kind := difference(a, r); kind != "" {
		f := Finding{
			Kind:         kind,
			TrackingCode: r.TrackingCode,
			Session:      s.ID,
			Attempt:      a.Number,
			OrderRef:     s.Order.Ref,
			AtGateway:    withPaid(r.Status, r.PaidAmount),
			InDatabase:   withPaid(string(a.State), a.PaidText()),
		}
		if kind == FindingMoney {
			f.AtGateway += ", asks " + payment.FormatAmount(r.PayAmount) + " for $" +
				payment.FormatAmount(r.AmountUSD)
			f.InDatabase += ", asks " + payment.FormatAmount(a.PayAmount) + " for $" +
				payment.FormatAmount(a.AmountUSD)
		}

		c.add(f)
	}

	return nil
}

// difference returns how a and r differ, or "".
func difference(a *payment.Attempt, r payment.Record) FindingKind {
	confirmed := r.Status == "confirmed"
	waiting := a.State == payment.Waiting || a.State == payment.Unknown ||
		a.State == payment.Creating
	switch {
	case confirmed && a.State != payment.Confirmed && a.State != payment.InReview:
		return FindingPaidAtGateway
	case !confirmed && a.State == payment.Confirmed:
		return FindingPaidInDatabase
	case !r.AmountUSD.Equal(a.AmountUSD),
		a.PayAmount.IsPositive() && !r.PayAmount.Equal(a.PayAmount),
		r.PaidReadable && r.Paid.GreaterThan(a.Paid):
		return FindingMoney
	case payment.HasEnded(r.Status) && waiting,
		r.Status == "pending" && (a.State == payment.Expired || a.State == payment.Cancelled):
		return FindingEnded
	}

	return ""
}

func withPaid(state, paid string) string {
	if paid == "" {
		return state
	}
	return state + ", " + paid + " paid"
}

// checkUnlisted looks for attempts that the gateway should list and does not, and counts the
// attempts of the days. Those since now are left out.
func (c *comparison) checkUnlisted(ctx context.Context, now time.Time) error {
	from := c.From
	to := c.To.AddDate(0, 0, 1)
	for f := (payment.Filter{To: to, Limit: 100}); ; { // later sessions have no earlier attempts
		page, err := c.database.List(ctx, f)
		if err != nil {
			return fmt.Errorf("listing sessions: %w", err)
		}

		c.progress.Payments += len(page.Sessions)
		if err := c.lease.report(ctx, c.progress); err != nil {
			return err
		}

		for _, s := range page.Sessions {
			for _, a := range s.Attempts {
				if a.TrackingCode == "" || a.StartedAt.Before(from) ||
					!a.StartedAt.Before(to) || a.StartedAt.After(now) {
					continue
				}

				c.Attempts++
				_, listed := c.records[a.TrackingCode]
				if !listed && !c.partly {
					c.add(Finding{
						Kind:         FindingNotAtGateway,
						TrackingCode: a.TrackingCode,
						Session:      s.ID,
						Attempt:      a.Number,
						OrderRef:     s.Order.Ref,
						InDatabase:   withPaid(string(a.State), a.PaidText()),
					})
				}
			}
		}

		f.Cursor = page.Next
		if f.Cursor == "" {
			return nil
		}

		last := len(page.Sessions) - 1 // -1 = none of the page is readable
		if last >= 0 && page.Sessions[last].CreatedAt.Add(maxSessionAge).Before(from) {
			return nil
		}
	}
}

// maxSessionAge is how long before its attempt a session can have been created.
const maxSessionAge = payment.MaxExpiresIn + 31*24*time.Hour

func (c *comparison) add(f Finding) { c.Findings = append(c.Findings, f) }
