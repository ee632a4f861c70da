package checkout

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/locale"
	"coinslot/bff/payment"
	"coinslot/bff/token"
	"coinslot/bff/wallet"
)

// Translate returns the sentence for a key in one language, with pairs of placeholder and value
// filled in: translate("reason.minimum", "amount", "10").
type Translate func(key string, pairs ...string) string

// ViewOptions configures [View].
type ViewOptions struct {
	Now        time.Time
	Currencies []payment.Currency // never changed
	// Translate writes sentences of the language Lang, a BCP 47 tag.
	Translate Translate
	Lang      string
	// ShopName is the shop's name for orders without one of their own; may be empty.
	ShopName string
	// Support is the https: or mailto: URL of the shop's support; may be empty.
	Support string
	// Icon returns the path of a coin's icon; nil = no icons.
	Icon func(symbol string) string
	// Tokens describes coins and networks; nil = the built-in registry.
	Tokens *token.Registry
	// Wallets has links of wallets for phones; nil = the built-in registry.
	Wallets *wallet.Registry
	// Page is the base URL of the checkout pages, as in [Config]; "" = no wallet opens the page.
	Page    string
	Receipt payment.Receipt // nil = none
}

// notice returns the notice with a code, about attempt a, which may be nil. Without Translate, it
// has no sentence.
func (o ViewOptions) notice(code wire.Code, a *payment.Attempt) *wire.Notice {
	n := &wire.Notice{Code: code}
	key := "problem." + string(code)
	switch {
	case o.Translate == nil:
	case a == nil || a.CurrencySymbol == "":
		n.Message = o.Translate(key)
	default:
		coin, network := o.names(a)
		n.Message = o.Translate(key, "coin", coin, "network", network)
	}
	return n
}

// names returns coin and network of a as shoppers read them.
func (o ViewOptions) names(a *payment.Attempt) (coin, network string) {
	token, _ := o.Tokens.Token(a.CurrencySymbol, a.NetworkCode)
	known, _ := o.Tokens.Network(a.NetworkCode)
	return cmp.Or(token.NewSymbol, a.CurrencySymbol), cmp.Or(known.Name, a.NetworkName)
}

// View returns all that a browser gets to see of s.
func View(s *payment.Session, o ViewOptions) wire.View {
	a := s.Current()
	v := wire.View{
		Version: s.Version,
		Session: s.ID,
		Status:  s.Status,
		Test:    s.Test,
		Order: wire.Order{
			Ref:         s.Order.Ref,
			Title:       s.Order.Title,
			Description: s.Order.Description,
			ShopName:    cmp.Or(strings.TrimSpace(s.Order.ShopName), o.ShopName),
		},
		Currencies:   currenciesView(s.Order, o),
		Actions:      s.Actions(o.Now),
		SuccessURL:   s.Order.SuccessURL,
		CancelURL:    s.Order.CancelURL,
		Support:      o.Support,
		Receipt:      o.Receipt.Of(s),
		CheckedMsAgo: -1,
	}
	addPrice(&v.Order, s.Order, o)
	if !s.CheckedAt.IsZero() {
		v.CheckedMsAgo = max(0, o.Now.Sub(s.CheckedAt).Milliseconds())
	}

	v.Refunds = refundsView(s, o)

	switch {
	case s.Notice.Code != "":
		v.Notice = o.notice(s.Notice.Code, a)
	case a != nil && a.IsAbsent(): // the page of a review says: reported as paid
		v.Notice = o.notice(wire.CodePaymentInProgress, a)
		v.Notice.Code = ""
	}

	// The attempt of an open session has ended before the order was asked for again.
	if a == nil || !a.IsVisible() || s.Status == wire.Open {
		return v
	}
	v.Attempt = viewAttempt(s, o)
	v.Attempt.ExtendMinutes = s.ExtendMinutes(o.Currencies, o.Now)
	if v.Attempt.ExtendMinutes > 0 {
		v.Actions = append(v.Actions, wire.Extend)
	}
	return v
}

// viewAttempt is the view of the session's current attempt.
func viewAttempt(s *payment.Session, o ViewOptions) *wire.Attempt {
	a := s.Current()
	tokens := o.Tokens
	network, _ := tokens.Network(a.NetworkCode)
	coin, _ := tokens.Token(a.CurrencySymbol, a.NetworkCode)
	w := &wire.Attempt{
		Number:         a.Number,
		CurrencySymbol: a.CurrencySymbol,
		CurrencyName:   cmp.Or(coin.Name, a.CurrencyName),
		DisplaySymbol:  coin.NewSymbol,
		Formerly:       coin.Former,
		NetworkCode:    a.NetworkCode,
		NetworkName:    cmp.Or(network.Name, a.NetworkName),
		NetworkMark:    network.Mark(),
		Late:           a.Late,
	}
	if a.TrackingCode == "" {
		return w
	}

	digits := tokens.Places(a.CurrencySymbol, a.NetworkCode)
	w.PaidAmount = a.PaidText()
	w.MissingAmount = a.Missing(digits)
	if excess := s.Excess(tokens); excess.IsPositive() {
		w.OverpaidAmount = payment.FormatAmount(excess)
	}
	w.TolerancePercent = payment.FormatAmount(a.Tolerance)

	w.TrackingCode = a.TrackingCode
	w.TxID = a.TxID
	w.TxURL = payment.ExplorerURL(a.TxURL)
	for _, tx := range a.Txs {
		link := payment.ExplorerURL(tx.URL)
		w.Transactions = append(w.Transactions, wire.Transaction{TxID: tx.ID, TxURL: link})
	}

	if !a.PaidAt.IsZero() {
		w.PaidAt = payment.FormatTime(a.PaidAt)
	}
	w.ExpiresInMs = max(0, a.ExpiresAt.Sub(o.Now).Milliseconds())

	// A transaction that may get canceled, or may not exist, must not be paid.
	if a.State == payment.Creating || a.State == payment.Unknown || a.IsAbsent() {
		return w
	}
	w.PaymentURL = a.PaymentURL
	w.PayAmount = a.PayText
	w.PayableAmount = payment.FormatAmount(a.PayAmount.RoundCeil(digits))
	addWallets(w, s, o)
	return w
}

// refundsView lists what was sent back, the oldest first; nil = nothing.
func refundsView(s *payment.Session, o ViewOptions) (list []wire.Refund) {
	for _, r := range s.Refunds {
		coin, _ := o.Tokens.Token(r.CurrencySymbol, r.NetworkCode)
		list = append(list, wire.Refund{
			Amount: payment.FormatAmount(r.Amount),
			Symbol: cmp.Or(coin.NewSymbol, r.CurrencySymbol),
			Day:    locale.FormatDay(o.Lang, r.RecordedAt),
			TxID:   r.TxID,
			TxURL:  s.RefundURL(r, o.Tokens),
		})
	}
	return list
}

// currenciesView lists the choices by coin, in the order of [payment.RankOffers].
func currenciesView(order payment.Order, o ViewOptions) []wire.Currency {
	list := []wire.Currency{}
	offers := payment.RankOffers(order, payment.Offers(order, o.Currencies))
	for _, offer := range offers {
		if isRepeated(list, offer, o.Tokens) {
			continue
		}
		isNext := len(list) == 0 || list[len(list)-1].Symbol != offer.Currency.Symbol
		if isNext {
			list = append(list, viewCurrency(offer.Currency, o))
		}
		last := &list[len(list)-1]
		last.Networks = append(last.Networks, viewNetwork(offer, order, o))
	}

	return list
}

// isRepeated reports whether list has the coin of an offer already, on the same network by its
// other symbol: a gateway may list a renamed coin by both.
func isRepeated(list []wire.Currency, offer payment.Offer, tokens *token.Registry) bool {
	coin, _ := tokens.Token(offer.Currency.Symbol, offer.Network.Code)
	if coin.Former == "" {
		return false
	}
	symbol := cmp.Or(coin.NewSymbol, coin.Symbol)
	return slices.ContainsFunc(list, func(c wire.Currency) bool {
		return c.Symbol != offer.Currency.Symbol && payment.SameName(c.Shown(), symbol) &&
			slices.ContainsFunc(c.Networks, func(n wire.Network) bool {
				return payment.SameName(n.Code, offer.Network.Code)
			})
	})
}

// viewCurrency is a coin without networks. It has its present name if it was renamed on all of
// them: on one network, the old symbol can be another token that still exists.
func viewCurrency(currency payment.Currency, o ViewOptions) wire.Currency {
	c := wire.Currency{Symbol: currency.Symbol, Name: currency.Name}
	if coin, ok := sameOnAll(currency, o.Tokens); ok {
		c.Name = cmp.Or(coin.Name, currency.Name)
		c.DisplaySymbol = coin.NewSymbol
		c.Formerly = coin.Former
	}
	if o.Icon != nil {
		c.Icon = o.Icon(c.Shown())
	}
	return c
}

// sameOnAll returns a coin as the registry has it on one of its networks; ok reports whether it has
// the same names on all of them.
func sameOnAll(c payment.Currency, tokens *token.Registry) (coin token.Token, ok bool) {
	for i, network := range c.Networks {
		next, _ := tokens.Token(c.Symbol, network.Code)
		if i > 0 && (next.NewSymbol != coin.NewSymbol || next.Name != coin.Name ||
			next.Former != coin.Former) {
			return token.Token{}, false
		}
		coin = next
	}
	return coin, true
}

func viewNetwork(offer payment.Offer, order payment.Order, o ViewOptions) wire.Network {
	currency := offer.Currency
	network := offer.Network
	known, _ := o.Tokens.Network(network.Code)
	coin, _ := o.Tokens.Token(currency.Symbol, network.Code)
	digits := o.Tokens.Places(currency.Symbol, network.Code)

	n := wire.Network{
		Code:      network.Code,
		Name:      cmp.Or(known.Name, network.Name),
		Fee:       payment.FormatAmount(network.Fee),
		Available: offer.Code == "",
		Lowest:    offer.Lowest,
		Estimate:  payment.EstimateAmount(order.AmountUSD, currency, digits),
		Mark:      known.Mark(),
		Exchanges: coin.Exchanges,
	}
	if network.MinimumUSD.IsPositive() {
		n.MinimumUSD = payment.FormatAmount(network.MinimumUSD)
	}
	if network.MaximumUSD.IsPositive() {
		n.MaximumUSD = payment.FormatAmount(network.MaximumUSD)
	}

	switch offer.Code {
	case wire.CodeAmountBelowMinimum:
		n.Reason = o.Translate("reason.minimum", "amount", n.MinimumUSD)
	case wire.CodeAmountAboveMaximum:
		n.Reason = o.Translate("reason.maximum", "amount", n.MaximumUSD)
	}

	return n
}

// Preview returns the view of an order that is not stored yet.
func Preview(order payment.Order, o ViewOptions, test bool) wire.View {
	s := payment.Session{
		Order:     order,
		Status:    wire.Open,
		Test:      test,
		ExpiresAt: o.Now.Add(payment.DefaultExpiry),
	}
	v := View(&s, o)
	v.Actions = []wire.Action{wire.Choose}
	return v
}

// addWallets fills in what wallets use: the family of the address, and links for the amount due.
// The links are the same for every reader, so the page that they open is in the reader's language.
func addWallets(w *wire.Attempt, s *payment.Session, o ViewOptions) {
	a := s.Current()
	r := o.Tokens
	w.Address = a.Address
	if r.CheckAddress(a.NetworkCode, a.Address) == nil {
		w.Family = r.Family(a.NetworkCode, a.Address)
	}

	p := token.Payment{
		Symbol:  a.CurrencySymbol,
		Network: a.NetworkCode,
		Address: a.Address,
		Amount:  a.AmountDue(a.Digits(r)),
	}
	w.URI, w.TokenURI = r.URI(p)
	if w.URI != "" && r.ScansLinks(p.Symbol, p.Network) {
		w.QR = "uri"
	}
	w.Call = r.Call(p)

	page := ""
	if o.Page != "" {
		page = o.Page + s.ID
	}
	w.Wallets = o.Wallets.Links(p, r, page)
}
