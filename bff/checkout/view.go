package checkout

import (
	"time"

	"coinslot/app/wire"
	"coinslot/bff/token"
)

// Words turns a key and pairs of placeholder and value into a sentence in one
// language: words("reason.minimum", "amount", "10").
type Words func(key string, pairs ...string) string

// Showing is what View needs besides the session.
type Showing struct {
	Now        time.Time
	Currencies []Currency
	Words      Words
	// Support is where shoppers are answered, an https: or mailto: URL; may be empty.
	Support string
	// Icon returns the path of a coin's mark; nil = no icons.
	Icon func(symbol string) string
	// Tokens is what is known of coins and networks; nil = what is built in.
	Tokens  *token.Registry
	Receipt Receipt // nil = there are none
}

// problem is the sentence about a code; empty if there are no words.
func (show Showing) problem(code wire.Code) string {
	if show.Words == nil {
		return ""
	}
	return show.Words("problem." + string(code))
}

// View returns what a browser is told of s, and nothing else of it leaves for one.
func View(s *Session, show Showing) wire.View {
	a := s.Current()
	v := wire.View{
		Version: s.Version, Session: s.ID, Status: s.Status, Test: s.Test,
		Order:      viewOrder(s.Order),
		Currencies: currenciesView(s.Order, show),
		Actions:    s.actions(show.Now),
		SuccessURL: s.Order.SuccessURL, CancelURL: s.Order.CancelURL, Support: show.Support,
		Receipt: show.Receipt.of(s), CheckedMsAgo: -1,
	}
	if !s.CheckedAt.IsZero() {
		v.CheckedMsAgo = max(0, show.Now.Sub(s.CheckedAt).Milliseconds())
	}
	switch {
	case s.Notice.Code != "":
		v.Notice = &wire.Notice{Code: s.Notice.Code, Message: show.problem(s.Notice.Code)}
	case a != nil && a.isAbsent(): // the page of a review says that it was reported as paid
		v.Notice = &wire.Notice{Message: show.problem(wire.CodePaymentInProgress)}
	}
	if a != nil && a.shown() {
		v.Attempt = viewAttempt(a, show.Now, show.Tokens)
		if v.Attempt.ExtendMinutes = s.extendMinutes(show.Currencies, show.Now); v.Attempt.ExtendMinutes > 0 {
			v.Actions = append(v.Actions, wire.Extend)
		}
	}
	return v
}

func viewOrder(o Order) wire.Order {
	return wire.Order{Ref: o.Ref, Title: o.Title, Description: o.Description, AmountUSD: o.AmountUSD.StringFixed(2)}
}

// shown reports whether the shopper is told of a at all: an attempt that came
// to nothing before it had an address is told by a notice only.
func (a *Attempt) shown() bool {
	return a.State != Refused && a.State != Rejected && a.State != Lost
}

func viewAttempt(a *Attempt, now time.Time, tokens *token.Registry) *wire.Attempt {
	network, _ := tokens.Network(a.NetworkCode)
	w := &wire.Attempt{
		Number: a.Number, CurrencySymbol: a.CurrencySymbol, CurrencyName: a.CurrencyName,
		NetworkCode: a.NetworkCode, NetworkName: a.NetworkName, NetworkMark: network.Mark(), Late: a.Late,
	}
	if a.TrackingCode == "" {
		return w
	}
	digits := tokens.Places(a.CurrencySymbol, a.NetworkCode)
	w.PaidAmount, w.MissingAmount, w.OverpaidAmount = a.paid(), a.missing(digits), a.overpaid(digits)
	w.TolerancePercent = plain(a.Tolerance)
	w.TxID, w.TxURL, w.TrackingCode = a.TxID, explorer(a.TxURL), a.TrackingCode
	if !a.PaidAt.IsZero() {
		w.PaidAt = a.PaidAt.UTC().Format(time.RFC3339)
	}
	w.ExpiresInMs = max(0, a.ExpiresAt.Sub(now).Milliseconds())
	if a.State == Creating || a.State == Unknown || a.isAbsent() {
		return w // not to be paid: it may be about to be cancelled, or not to exist
	}
	w.PaymentURL = a.PaymentURL
	w.PayAmount, w.PayableAmount = a.PayText, plain(a.PayAmount.RoundCeil(digits))
	addWallets(w, a, tokens)
	return w
}

// actions lists what would not be refused now.
func (s *Session) actions(now time.Time) []wire.Action {
	a := s.Current()
	var list []wire.Action
	add := func(ok bool, action wire.Action) {
		if ok {
			list = append(list, action)
		}
	}
	switch s.Status {
	case wire.Open:
		add(s.mayOpen(now) == nil && now.Before(s.ExpiresAt), wire.Choose)
		add(true, wire.Cancel)
	case wire.Pending:
		add(!a.Paid.IsPositive(), wire.Cancel)
		add(s.mayChange(a.Number, now) == nil, wire.Change)
	case wire.Expired, wire.Cancelled:
		add(a != nil, wire.Recheck)
		add(s.mayOpen(now) == nil, wire.Retry)
	case wire.Review:
		add(true, wire.Recheck)
	}
	if list == nil {
		return []wire.Action{}
	}
	return list
}

// currenciesView lists what can be chosen, coin by coin, as [ranked] says.
func currenciesView(o Order, show Showing) []wire.Currency {
	list := []wire.Currency{}
	all := ranked(offers(o, show.Currencies))
	least := leastFees(all)
	for _, offer := range all {
		if n := len(list); n == 0 || list[n-1].Symbol != offer.Currency.Symbol {
			list = append(list, wire.Currency{Symbol: offer.Currency.Symbol, Name: offer.Currency.Name, Icon: show.icon(offer.Currency.Symbol)})
		}
		last := &list[len(list)-1]
		n := viewNetwork(offer, o, show)
		n.Lowest = n.Available && offer.Network.Fee.Equal(least[offer.Currency.Symbol])
		last.Networks = append(last.Networks, n)
	}
	return list
}

func (show Showing) icon(symbol string) string {
	if show.Icon == nil {
		return ""
	}
	return show.Icon(symbol)
}

func viewNetwork(o Offer, order Order, show Showing) wire.Network {
	words := show.Words
	network, _ := show.Tokens.Network(o.Network.Code)
	coin, _ := show.Tokens.Token(o.Currency.Symbol, o.Network.Code)
	n := wire.Network{
		Code: o.Network.Code, Name: o.Network.Name, Fee: plain(o.Network.Fee), Available: o.Code == "",
		Estimate: estimate(order.AmountUSD, o.Currency, show.Tokens.Places(o.Currency.Symbol, o.Network.Code)),
		Mark:     network.Mark(), Exchanges: coin.Exchanges,
	}
	if o.Network.MinimumUSD.IsPositive() {
		n.MinimumUSD = plain(o.Network.MinimumUSD)
	}
	if o.Network.MaximumUSD.IsPositive() {
		n.MaximumUSD = plain(o.Network.MaximumUSD)
	}
	switch o.Code {
	case wire.CodeAmountBelowMinimum:
		n.Reason = words("reason.minimum", "amount", n.MinimumUSD)
	case wire.CodeAmountAboveMaximum:
		n.Reason = words("reason.maximum", "amount", n.MaximumUSD)
	}
	return n
}

// Preview is the view of an order that is stored nowhere yet.
func Preview(o Order, show Showing, test bool) wire.View {
	s := Session{Order: o, Status: wire.Open, Test: test, ExpiresAt: show.Now.Add(defaultExpiry)}
	v := View(&s, show)
	v.Actions = []wire.Action{wire.Choose}
	return v
}
