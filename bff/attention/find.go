package attention

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/https"
	"coinslot/bff/payment"
	"coinslot/bff/rates"
	"coinslot/bff/token"
	"coinslot/bff/webhook"
)

// Finder is where conditions are found. What is nil is not looked for.
type Finder struct {
	Stored  Stored // required
	Gateway interface {
		// Currencies reads the gateway's list, if it was not read for a minute.
		Currencies(ctx context.Context) ([]payment.Currency, error)
		// GatewayDownSince returns since when that fails; zero = it does not.
		GatewayDownSince() time.Time
	} // required
	Exchange *rates.Exchange
	// Gone returns the endpoints to which nothing is sent any more.
	Gone func() []string
	// Certificate reports on the certificate that the program serves with.
	Certificate func() https.Health
	// DiskFree returns how many bytes are left for the database; negative = not known.
	DiskFree func() int64
	// Alerts returns the targets that do not accept alerts.
	Alerts func(ctx context.Context) ([]Condition, error)
}

// Webhooks is what is read of deliveries.
type Webhooks interface {
	// Unrouted returns the URLs that are not configured, with what is open to each.
	Unrouted(ctx context.Context) ([]webhook.Backlog, error)
	// Backlogs returns what waits for each endpoint that is configured, in that order.
	Backlogs(ctx context.Context) ([]webhook.Backlog, error)
	// Deliveries returns the deliveries of events, newest event first, one for each endpoint.
	Deliveries(ctx context.Context, q webhook.DeliveryQuery) (webhook.DeliveryPage, error)
}

// Find returns what needs attention at now, the gravest first. It may send one request to the
// gateway and waits two seconds for it at most. Errors: the database's; then nothing is known.
func (f *Finder) Find(ctx context.Context, now time.Time) (all []Condition, err error) {
	for _, find := range []func(context.Context, time.Time) ([]Condition, error){
		f.unreadable,
		f.disk,
		f.review,
		f.takenBack,
		f.gateway,
		f.preparing,
		f.certificate,
		f.unrouted,
		f.endpoints,
		f.unsettled,
		f.rates,
		f.origins,
		f.alerts,
	} {
		found, err := find(ctx, now)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func (f *Finder) unreadable(ctx context.Context, _ time.Time) ([]Condition, error) {
	list, err := f.Stored.Unreadable(ctx, MaxItems+1)
	if err != nil || len(list) == 0 {
		return nil, err
	}

	c := Condition{Kind: Unreadable, Grave: true, Count: len(list)}
	for _, u := range list[:min(len(list), MaxItems)] {
		c.Items = append(c.Items, Item{ID: u.ID, Since: u.Since, Row: u.Kind, Error: u.Error})
	}
	return []Condition{c}, nil
}

// leastFree is how many bytes the volume of the database should have left.
const leastFree = 1 << 30

func (f *Finder) disk(context.Context, time.Time) ([]Condition, error) {
	if f.DiskFree == nil {
		return nil, nil
	}
	free := f.DiskFree()
	if free < 0 || free >= leastFree {
		return nil, nil
	}
	return []Condition{{Kind: Disk, Grave: true}}, nil
}

func (f *Finder) review(ctx context.Context, _ time.Time) ([]Condition, error) {
	n, err := f.Stored.Count(ctx, string(wire.Review))
	if err != nil || n == 0 {
		return nil, err
	}
	found, err := f.Stored.List(ctx, payment.Filter{Status: string(wire.Review), Limit: MaxItems})
	if err != nil {
		return nil, err
	}

	c := Condition{Kind: Review, Grave: true, Count: n}
	for _, s := range found.Sessions {
		c.Items = append(c.Items, Item{ID: s.ID, Since: s.CreatedAt, Session: s})
	}
	return []Condition{c}, nil
}

// gatewayTimeout is how long the gateway is waited for.
const gatewayTimeout = 2 * time.Second

func (f *Finder) gateway(ctx context.Context, now time.Time) ([]Condition, error) {
	asking, cancel := context.WithTimeout(ctx, gatewayTimeout)
	defer cancel()
	_, err := f.Gateway.Currencies(asking)
	since := f.Gateway.GatewayDownSince()
	if err != nil && since.IsZero() {
		since = now.Add(-gatewayTimeout)
	}
	if since.IsZero() {
		return nil, nil
	}
	return []Condition{{Kind: Gateway, Grave: true, Since: since}}, nil
}

// usuallyPreparing is how many payments wait for an address at a time in a busy shop.
const usuallyPreparing = 2

func (f *Finder) preparing(ctx context.Context, _ time.Time) ([]Condition, error) {
	n, err := f.Stored.Count(ctx, string(wire.Preparing))
	if err != nil || n <= usuallyPreparing {
		return nil, err
	}
	return []Condition{{Kind: Preparing, Count: n}}, nil
}

// lastDay is when a certificate that is not renewed is an emergency.
const lastDay = 24 * time.Hour

func (f *Finder) certificate(_ context.Context, now time.Time) ([]Condition, error) {
	if f.Certificate == nil {
		return nil, nil
	}
	health := f.Certificate()
	near := health.Expires.Sub(now) < lastDay // also if there is none yet
	if health.FailingSince.IsZero() && (!near || health.Expires.IsZero()) {
		return nil, nil
	}
	return []Condition{{
		Kind:  Certificate,
		Grave: near,
		Since: health.FailingSince,
		Error: health.Warning(),
	}}, nil
}

func (f *Finder) unrouted(ctx context.Context, _ time.Time) (list []Condition, err error) {
	backlogs, err := f.Stored.Unrouted(ctx)
	for _, b := range backlogs {
		list = append(list, Condition{
			Kind:     Unrouted,
			Grave:    true,
			Count:    b.Waiting,
			Endpoint: b.Endpoint,
		})
	}
	return list, err
}

// late is for how long a webhook may be due before its endpoint counts as slow.
const late = 5 * time.Minute

// endpoints returns at most one condition for each endpoint of the merchant.
func (f *Finder) endpoints(ctx context.Context, now time.Time) (list []Condition, err error) {
	backlogs, err := f.Stored.Backlogs(ctx)
	if err != nil {
		return nil, err
	}

	var gone []string
	if f.Gone != nil {
		gone = f.Gone()
	}
	for _, b := range backlogs {
		c := Condition{Grave: true, Endpoint: b.Endpoint, Tried: b.Retrying}
		if !b.OldestAt.IsZero() && now.Sub(b.OldestAt) > late {
			c.Since = b.OldestAt
		}

		switch {
		case slices.Contains(gone, b.Endpoint):
			c.Kind = Gone
		case b.Abandoned > 0:
			c.Kind = Abandoned
			c.Count = b.Abandoned
		case b.Retrying > 0 || !c.Since.IsZero():
			c.Kind = Waiting
			c.Grave = false
			c.Count = b.Waiting
			c.Error, err = f.lastAnswer(ctx, b.Endpoint)
			if err != nil {
				return nil, err
			}
		default:
			continue
		}
		list = append(list, c)
	}
	return list, nil
}

// lastAnswer returns the HTTP status of an endpoint, in words, to the newest webhook that it has
// not accepted; empty = it gave none, or others have failed since.
func (f *Finder) lastAnswer(ctx context.Context, endpoint string) (string, error) {
	failed, err := f.Stored.Deliveries(ctx, webhook.DeliveryQuery{
		State: webhook.DeliveryRetrying,
		Limit: MaxItems,
	})
	for _, d := range failed.Rows {
		if d.Endpoint == endpoint && d.Status != 0 {
			return strconv.Itoa(d.Status) + " " + http.StatusText(d.Status), nil
		}
	}
	return "", err
}

// maxRecent is how many unsettled payments are looked at for one that was taken back. The gateway is
// asked for some days after a confirmation, so those are among the newest.
const maxRecent = 1000

// takenBack returns the payments whose confirmation the gateway took back.
func (f *Finder) takenBack(ctx context.Context, _ time.Time) ([]Condition, error) {
	sessions, _, err := f.Stored.Unsettled(ctx, maxRecent)
	if err != nil {
		return nil, err
	}

	c := Condition{Kind: TakenBack, Grave: true}
	for _, s := range sessions {
		for i := range s.Attempts {
			if a := &s.Attempts[i]; a.IsTakenBack() {
				c.Items = append(c.Items, itemOf(s, a))
			}
		}
	}
	c.Count = len(c.Items)
	if c.Count == 0 {
		return nil, nil
	}
	c.Items = c.Items[:min(len(c.Items), MaxItems)]
	return []Condition{c}, nil
}

// itemOf is the money of an attempt that is unsettled.
func itemOf(s payment.Session, a *payment.Attempt) Item {
	return Item{
		ID:      s.ID,
		Since:   s.CreatedAt,
		Session: s,
		Amount:  s.UnsettledAmount(a.Number, token.Builtin()),
		Coin:    a.CurrencySymbol,
	}
}

// unsettled returns the payments with money that pays for nothing.
func (f *Finder) unsettled(ctx context.Context, _ time.Time) (list []Condition, err error) {
	sessions, count, err := f.Stored.Unsettled(ctx, MaxItems)
	if err != nil {
		return nil, err
	}

	over := Condition{Kind: Overpaid}
	ended := Condition{Kind: EndedMoney}
	for _, s := range sessions {
		for _, number := range s.Unsettled(token.Builtin()) {
			a := s.Attempt(number)
			switch {
			case a.IsTakenBack(): // a condition of its own
			case a.State == payment.Confirmed && s.ClosedBy != payment.ClosedByMerchant:
				over.Items = append(over.Items, itemOf(s, a))
			default:
				ended.Items = append(ended.Items, itemOf(s, a))
			}
		}
	}

	more := max(0, count-len(sessions)) // of which kind is not known
	for _, c := range []Condition{over, ended} {
		c.Count = len(c.Items) + more
		if c.Count > 0 {
			list = append(list, c)
		}
	}
	return list, nil
}

// rates returns exchange rates that wait for an operator, and a source without usable ones.
func (f *Finder) rates(ctx context.Context, now time.Time) (list []Condition, err error) {
	if f.Exchange == nil {
		return nil, nil
	}
	state, err := f.Exchange.Load(ctx)
	if err != nil {
		return nil, err
	}

	held := Condition{Kind: HeldRates}
	tooOld := 0
	for _, code := range slices.Sorted(maps.Keys(state.Currencies)) {
		entry := state.Currencies[code]
		_, reason := entry.Usable(now)
		if reason == rates.TooOld {
			tooOld++
		}
		if entry.Held != nil {
			held.Items = append(held.Items, Item{ID: code, Rate: entry})
			held.Grave = held.Grave || reason != "" // prices are refused
		}
	}

	failures := state.Schedule.Failures
	if tooOld > 0 || failures > 0 {
		list = append(list, Condition{
			Kind:  Rates,
			Grave: tooOld > 0 || len(state.Currencies) == 0, // nothing can be opened
			Since: state.Schedule.FailingSince,
			Count: tooOld,
			Tried: failures,
			Error: state.Schedule.Failure,
		})
	}
	held.Count = len(held.Items)
	if held.Count > 0 {
		list = append(list, held)
	}
	return list, nil
}

// origins returns the host pages that wanted to show a payment in the last day. Without a payment,
// anybody can pretend to be any: those do not count.
func (f *Finder) origins(ctx context.Context, now time.Time) ([]Condition, error) {
	refused, err := f.Stored.RefusedOrigins(ctx)
	if err != nil {
		return nil, err
	}

	c := Condition{Kind: Origins}
	for _, o := range refused {
		if o.Sessions > 0 && now.Sub(o.LastAt) < 24*time.Hour {
			c.Items = append(c.Items, Item{ID: o.Origin, Since: o.LastAt, Times: o.Times})
		}
	}
	c.Count = len(c.Items)
	if c.Count == 0 {
		return nil, nil
	}
	return []Condition{c}, nil
}

func (f *Finder) alerts(ctx context.Context, _ time.Time) ([]Condition, error) {
	if f.Alerts == nil {
		return nil, nil
	}
	return f.Alerts(ctx)
}
