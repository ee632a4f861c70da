package checkout

import (
	"cmp"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/payment"
	"coinslot/bff/token"
)

// Translate returns the sentence for a key in one language, with pairs of placeholder and value
// filled in: translate("reason.minimum", "amount", "10").
type Translate func(key string, pairs ...string) string

// ViewOptions configures [View].
type ViewOptions struct {
	Now        time.Time
	Currencies []payment.Currency // never changed
	Translate  Translate
	// ShopName is the shop's name for orders without one of their own; may be empty.
	ShopName string
	// Support is the https: or mailto: URL of the shop's support; may be empty.
	Support string
	// Icon returns the path of a coin's icon; nil = no icons.
	Icon func(symbol string) string
	// Tokens describes coins and networks; nil = the built-in registry.
	Tokens  *token.Registry
	Receipt payment.Receipt // nil = none
}

// notice returns the notice with a code, about attempt a, which may be nil. Without Translate, it
// has no sentence.
func (opts ViewOptions) notice(code wire.Code, a *payment.Attempt) *wire.Notice {
	n := &wire.Notice{Code: code}
	switch {
	case opts.Translate == nil:
	case a == nil || a.CurrencySymbol == "":
		n.Message = opts.Translate("problem." + string(code))
	default:
		n.Message = opts.Translate(
			"problem."+string(code), "coin", a.CurrencySymbol, "network", a.NetworkName,
		)
	}
	return n
}

// View returns all that a browser gets to see of s.
func View(s *payment.Session, opts ViewOptions) wire.View {
	a := s.Current()
	v := wire.View{
		Version: s.Version, Session: s.ID, Status: s.Status, Test: s.Test,
		Order: wire.Order{
			Ref: s.Order.Ref, Title: s.Order.Title, Description: s.Order.Description,
			AmountUSD: s.Order.AmountUSD.StringFixed(2),
			ShopName:  cmp.Or(strings.TrimSpace(s.Order.ShopName), opts.ShopName),
		},
		Currencies: currenciesView(s.Order, opts),
		Actions:    s.Actions(opts.Now),
		SuccessURL: s.Order.SuccessURL, CancelURL: s.Order.CancelURL, Support: opts.Support,
		Receipt: opts.Receipt.Of(s), CheckedMsAgo: -1,
	}
	if !s.CheckedAt.IsZero() {
		v.CheckedMsAgo = max(0, opts.Now.Sub(s.CheckedAt).Milliseconds())
	}
	switch {
	case s.Notice.Code != "":
		v.Notice = opts.notice(s.Notice.Code, a)
	case a != nil && a.IsAbsent(): // the page of a review says: reported as paid
		v.Notice = opts.notice(wire.CodePaymentInProgress, a)
		v.Notice.Code = ""
	}
	// in an open session, it has ended before the order was asked for again
	if a != nil && a.IsVisible() && s.Status != wire.Open {
		v.Attempt = viewAttempt(a, opts.Now, opts.Tokens)
		v.Attempt.ExtendMinutes = s.ExtendMinutes(opts.Currencies, opts.Now)
		if v.Attempt.ExtendMinutes > 0 {
			v.Actions = append(v.Actions, wire.Extend)
		}
	}
	return v
}

func viewAttempt(a *payment.Attempt, now time.Time, tokens *token.Registry) *wire.Attempt {
	network, _ := tokens.Network(a.NetworkCode)
	w := &wire.Attempt{
		Number: a.Number, CurrencySymbol: a.CurrencySymbol, CurrencyName: a.CurrencyName,
		NetworkCode: a.NetworkCode, NetworkName: a.NetworkName, NetworkMark: network.Mark(),
		Late: a.Late,
	}
	if a.TrackingCode == "" {
		return w
	}
	digits := tokens.Places(a.CurrencySymbol, a.NetworkCode)
	w.PaidAmount, w.MissingAmount = a.PaidText(), a.Missing(digits)
	w.OverpaidAmount = a.Overpaid(digits)
	w.TolerancePercent = payment.FormatAmount(a.Tolerance)
	w.TxID, w.TxURL, w.TrackingCode = a.TxID, payment.ExplorerURL(a.TxURL), a.TrackingCode
	for _, tx := range a.Txs {
		link := payment.ExplorerURL(tx.URL)
		w.Transactions = append(w.Transactions, wire.Transaction{TxID: tx.ID, TxURL: link})
	}
	if !a.PaidAt.IsZero() {
		w.PaidAt = payment.FormatTime(a.PaidAt)
	}
	w.ExpiresInMs = max(0, a.ExpiresAt.Sub(now).Milliseconds())
	if a.State == payment.Creating || a.State == payment.Unknown || a.IsAbsent() {
		return w // must not be paid: it may get canceled, or not exist
	}
	w.PaymentURL = a.PaymentURL
	w.PayAmount, w.PayableAmount = a.PayText, payment.FormatAmount(a.PayAmount.RoundCeil(digits))
	addWallets(w, a, tokens)
	return w
}

// currenciesView lists the choices by coin, in the order of [payment.RankOffers].
func currenciesView(o payment.Order, opts ViewOptions) []wire.Currency {
	list := []wire.Currency{}
	all := payment.RankOffers(o, payment.Offers(o, opts.Currencies))
	for _, offer := range all {
		if n := len(list); n == 0 || list[n-1].Symbol != offer.Currency.Symbol {
			c := wire.Currency{Symbol: offer.Currency.Symbol, Name: offer.Currency.Name}
			if opts.Icon != nil {
				c.Icon = opts.Icon(c.Symbol)
			}
			list = append(list, c)
		}
		last := &list[len(list)-1]
		last.Networks = append(last.Networks, viewNetwork(offer, o, opts))
	}
	return list
}

func viewNetwork(o payment.Offer, order payment.Order, opts ViewOptions) wire.Network {
	translate := opts.Translate
	network, _ := opts.Tokens.Network(o.Network.Code)
	coin, _ := opts.Tokens.Token(o.Currency.Symbol, o.Network.Code)
	digits := opts.Tokens.Places(o.Currency.Symbol, o.Network.Code)
	n := wire.Network{
		Code: o.Network.Code, Name: o.Network.Name, Fee: payment.FormatAmount(o.Network.Fee),
		Available: o.Code == "", Lowest: o.Lowest,
		Estimate: payment.EstimateAmount(order.AmountUSD, o.Currency, digits),
		Mark:     network.Mark(), Exchanges: coin.Exchanges,
	}
	if o.Network.MinimumUSD.IsPositive() {
		n.MinimumUSD = payment.FormatAmount(o.Network.MinimumUSD)
	}
	if o.Network.MaximumUSD.IsPositive() {
		n.MaximumUSD = payment.FormatAmount(o.Network.MaximumUSD)
	}
	switch o.Code {
	case wire.CodeAmountBelowMinimum:
		n.Reason = translate("reason.minimum", "amount", n.MinimumUSD)
	case wire.CodeAmountAboveMaximum:
		n.Reason = translate("reason.maximum", "amount", n.MaximumUSD)
	}
	return n
}

// Preview returns the view of an order that is not stored yet.
func Preview(o payment.Order, opts ViewOptions, test bool) wire.View {
	s := payment.Session{
		Order: o, Status: wire.Open, Test: test, ExpiresAt: opts.Now.Add(payment.DefaultExpiry),
	}
	v := View(&s, opts)
	v.Actions = []wire.Action{wire.Choose}
	return v
}

// addWallets fills in what wallets use: the family of the address, and links for the amount due.
func addWallets(w *wire.Attempt, a *payment.Attempt, r *token.Registry) {
	if w.Address = a.Address; r.CheckAddress(a.NetworkCode, a.Address) == nil {
		w.Family = r.Family(a.NetworkCode, a.Address)
	}
	p := token.Payment{
		Symbol: a.CurrencySymbol, Network: a.NetworkCode, Address: a.Address,
		Amount: a.AmountDue(a.Digits(r)),
	}
	w.URI, w.TokenURI = r.URI(p)
	w.Call = r.Call(p)
}
