package statement

import (
	"context"
	"errors"
	"fmt"
	"time"

	"coinslot/bff/gatewaylist"
	"coinslot/bff/payment"
)

// Sessions is what a statement needs of the database. storetest.Run tests this contract.
type Sessions interface {
	gatewaylist.AttemptFinder
	Session(ctx context.Context, id string) (payment.Session, error)
	// SessionsWithMoney returns the sessions of which money came or went at a time t of
	// payment.Session.MoneyTimes, from <= t < to: each in one page, whatever happens meanwhile. cursor
	// is the Next of the page before; empty = the first page.
	SessionsWithMoney(
		ctx context.Context, from, to time.Time, cursor string,
	) (SessionPage, error)
}

// SessionPage is a page of sessions; Next is empty on the last one.
type SessionPage struct {
	Sessions   []payment.Session
	Unreadable []string // ids of those that cannot be decoded
	Next       string
}

// Gateway is what a statement needs of the gateway.
type Gateway interface {
	gatewaylist.Lister
	gatewaylist.WithdrawalLister
}

// Source is where statements are read.
type Source struct {
	Sessions Sessions
	Gateway  Gateway
	// Currencies returns the gateway's coins, by whose names the coins of withdrawals are known.
	Currencies func(ctx context.Context) ([]payment.Currency, error)
	Coins      payment.Coins // nil = eight fractional digits for every coin
	// Zone is where days begin; nil = UTC.
	Zone *time.Location
	Shop string // its name; empty = none
	// Test says that all is a test, of which statements are made: else tests are left out.
	Test bool
	// Patience is how long to read the gateway's lists; zero = as long as it takes.
	Patience time.Duration
	Now      func() time.Time
}

const (
	// lookBack is how long before a month the transactions may have been opened that were paid in it
	// and are not known here; what is known is always looked for. Coinslot itself looks for late
	// money of any age every day: what that finds is known here.
	lookBack = 31
	// dateSlack is how many days more are read on each side: the time zone of the gateway's dates is
	// not documented.
	dateSlack = 2
)

// Read reads a month. A gateway that does not answer is a finding. Errors: the database's; that of
// the context.
func (s Source) Read(ctx context.Context, m Month) (Statement, error) {
	zone := s.Zone
	if zone == nil {
		zone = time.UTC
	}
	st := Statement{
		Month: m,
		Zone:  zone,
		Shop:  s.Shop,
		Test:  s.Test,
		Read:  s.Now().In(zone),
	}

	known, err := s.readSessions(ctx, m, zone)
	if err != nil {
		return st, err
	}
	list, coins := s.readGateway(ctx, m, known.oldest, st.Read)
	if ctx.Err() != nil {
		return st, ctx.Err()
	}
	c := comparison{month: m, zone: zone, tests: s.Test}
	owners, err := s.owners(ctx, list, known, c.isOfMonth)
	if err != nil {
		return st, err
	}

	names := newCoinNames(coins)
	for _, n := range known.names {
		names.add(n.CurrencyName, n.NetworkName, n.CurrencySymbol, n.NetworkCode)
	}
	st.build(c, known, list, owners, names)
	return st, nil
}

// build decides about the month, from everything that was read.
func (s *Statement) build(
	c comparison, known knownMoney, list listed, owners map[string]owner, names coinNames,
) {
	rows := known.rows
	records := map[string]payment.Record{}
	for _, r := range list.records {
		records[r.TrackingCode] = r
	}
	for i := range rows {
		if record, ok := records[rows[i].TrackingCode]; ok {
			rows[i].setShares(record)
		}
	}
	for _, w := range list.withdrawals {
		rows = append(rows, withdrawalRow(w, names))
	}
	s.Rows = inMonth(rows, s.Month, s.Zone)
	s.sum()

	s.compared = list.err == nil
	if s.compared {
		c.payments(s.Rows, list, owners)
		c.undated(list.withdrawals)
	} else {
		c.findings = append(c.findings, Finding{Why: whyNotRead, Gateway: list.err.Error()})
	}
	for _, id := range known.unreadable {
		c.findings = append(c.findings, Finding{Why: whyUnreadable, Session: id})
	}
	c.values(s.Rows)
	s.Findings = c.sorted()

	switch {
	case s.Read.Before(s.Month.End(s.Zone)):
		s.State = Open
	case !s.compared:
		s.State = Unchecked
	case len(s.Findings) > 0:
		s.State = Differs
	default:
		s.State = Closed
	}
}

// knownMoney is what the database knows of the money of a month.
type knownMoney struct {
	rows       []Row // of the sessions, of any month
	owners     map[string]owner
	names      []payment.Attempt // one of each coin
	unreadable []string
	oldest     time.Time // when the first of their attempts was started; zero = there is none
}

func (s Source) readSessions(
	ctx context.Context, m Month, zone *time.Location,
) (known knownMoney, err error) {
	known.owners = map[string]owner{}
	coins := map[string]bool{}
	for cursor, first := "", true; first || cursor != ""; first = false {
		page, err := s.Sessions.SessionsWithMoney(ctx, m.Start(zone), m.End(zone), cursor)
		if err != nil {
			return known, fmt.Errorf("reading the payments of %s: %w", m, err)
		}

		known.unreadable = append(known.unreadable, page.Unreadable...)
		for _, session := range page.Sessions {
			if session.Test && !s.Test {
				continue
			}
			known.rows = append(known.rows, rowsOf(&session, s.Coins)...)
			for _, a := range session.Attempts {
				known.owners[a.TrackingCode] = owner{session, a.Number}
				if known.oldest.IsZero() || a.StartedAt.Before(known.oldest) {
					known.oldest = a.StartedAt
				}
				coin := coinName(a.CurrencySymbol, a.NetworkCode)
				if !coins[coin] {
					coins[coin] = true
					known.names = append(known.names, a)
				}
			}
		}
		cursor = page.Next
	}
	delete(known.owners, "")
	return known, nil
}

// readGateway reads what the gateway lists around a month; oldest is when the first of the
// transactions was opened that it must have.
func (s Source) readGateway(
	ctx context.Context, m Month, oldest, now time.Time,
) (list listed, coins []payment.Currency) {
	if s.Patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.Patience)
		defer cancel()
	}
	list, coins = s.readLists(ctx, m, oldest, now)
	if list.err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		list.err = fmt.Errorf("they were not read in %s: coinslot statement %s waits as long as it "+
			"takes", s.Patience, m)
	}
	return list, coins
}

func (s Source) readLists(
	ctx context.Context, m Month, oldest, now time.Time,
) (list listed, coins []payment.Currency) {
	first := m.Start(time.UTC)
	last := m.End(time.UTC)
	today := now.UTC().Truncate(24 * time.Hour)
	if last.After(today) {
		last = today
	}
	last = last.AddDate(0, 0, dateSlack)
	from := first.AddDate(0, 0, -lookBack)
	if !oldest.IsZero() && oldest.Before(from) {
		from = oldest.UTC().Truncate(24 * time.Hour)
	}
	if last.Before(first) {
		return list, nil // it has not begun
	}

	list.records, list.err = gatewaylist.ReadTransactions(
		ctx, s.Gateway, "confirmed", from.AddDate(0, 0, -dateSlack), last,
	)
	if list.err != nil {
		return list, nil
	}
	list.withdrawals, list.err = gatewaylist.ReadWithdrawals(
		ctx, s.Gateway, first.AddDate(0, 0, -dateSlack), last,
	)
	if list.err != nil {
		return list, nil
	}
	coins, list.err = s.Currencies(ctx)
	return list, coins
}

// owners returns the attempts that records belong to, by tracking code: those of known, and of records
// of the month that are not in it.
func (s Source) owners(
	ctx context.Context, list listed, known knownMoney, ofMonth func(payment.Record) bool,
) (map[string]owner, error) {
	all := known.owners
	byMarker := map[string]string{} // tracking codes
	var keys []string
	for _, r := range list.records {
		if _, ok := all[r.TrackingCode]; ok || !ofMonth(r) {
			continue
		}
		keys = append(keys, r.TrackingCode)
		if marker := payment.MarkerText.FindString(r.Comment); marker != "" {
			keys = append(keys, marker)
			byMarker[marker] = r.TrackingCode
		}
	}

	refs, err := s.Sessions.FindAttempts(ctx, keys)
	if err != nil {
		return nil, fmt.Errorf("looking up the gateway's payments: %w", err)
	}
	for _, ref := range refs {
		session, err := s.Sessions.Session(ctx, ref.Session)
		if errors.Is(err, payment.ErrUnreadable) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading session %q: %w", ref.Session, err)
		}

		o := owner{session, ref.Number}
		all[ref.TrackingCode] = o
		code := byMarker[ref.Marker]
		if _, ok := all[code]; !ok { // a second transaction of one request, or not stored yet
			all[code] = o
		}
	}
	delete(all, "")
	return all, nil
}
