package widget

import (
	"slices"

	"coinslot/app/wire"
)

// Choice is what the shopper has picked so far.
type Choice struct {
	Symbol  string // of the coin; empty = none
	Network string // "symbol:code"; empty = none
}

// NetworkKey is a network's value in the form: several coins share the code of a network.
func NetworkKey(symbol, code string) string { return symbol + ":" + code }

// CountAvailable counts the networks of a coin that can be chosen.
func CountAvailable(c wire.Currency) (n int) {
	for _, network := range c.Networks {
		if network.Available {
			n++
		}
	}
	return n
}

// SoleCoin reports whether there is only one coin, so that the page does not ask for it.
func (p Page) SoleCoin() bool {
	return len(p.View.Currencies) == 1 && CountAvailable(p.View.Currencies[0]) > 0
}

// SoleNetwork reports whether there is only one coin with one network.
func (p Page) SoleNetwork() bool {
	return p.SoleCoin() && len(p.View.Currencies[0].Networks) == 1
}

// CountAvailable counts the networks of all coins that can be chosen.
func (p Page) CountAvailable() (n int) {
	for _, currency := range p.View.Currencies {
		n += CountAvailable(currency)
	}
	return n
}

// InitialChoice returns the selection of a new page: the page's own as far as it is possible,
// completed where there is only one choice.
func (p Page) InitialChoice() Choice {
	c := Choice{Symbol: p.Chosen, Network: p.ChosenNetwork}
	if c.Symbol == "" {
		c.Symbol = p.onlyCoin()
	}
	if currency, _, ok := p.Coin(c.Network); !ok || currency.Symbol != c.Symbol {
		c.Network = p.OnlyNetwork(c.Symbol)
	}
	return c
}

// onlyCoin returns the symbol of the coin if only one can be chosen, else "".
func (p Page) onlyCoin() (symbol string) {
	for _, currency := range p.View.Currencies {
		switch {
		case CountAvailable(currency) == 0:
		case symbol != "":
			return ""
		default:
			symbol = currency.Symbol
		}
	}
	return symbol
}

// OnlyNetwork returns the key of symbol's network if only one can be chosen, else "".
func (p Page) OnlyNetwork(symbol string) string {
	for _, currency := range p.View.Currencies {
		if currency.Symbol == symbol && CountAvailable(currency) == 1 {
			isAvailable := func(n wire.Network) bool { return n.Available }
			i := slices.IndexFunc(currency.Networks, isAvailable)
			return NetworkKey(symbol, currency.Networks[i].Code)
		}
	}
	return ""
}

// Coin returns the currency and network of a key; false if it is not offered or unavailable.
func (p Page) Coin(want string) (wire.Currency, wire.Network, bool) {
	for _, currency := range p.View.Currencies {
		for _, network := range currency.Networks {
			if NetworkKey(currency.Symbol, network.Code) == want {
				return currency, network, network.Available
			}
		}
	}
	return wire.Currency{}, wire.Network{}, false
}

// OrderedCurrencies returns the coins in the order of the screen: the server's, which is by cost.
// For payments from an exchange, what most exchanges can send comes first.
func (p Page) OrderedCurrencies() []wire.Currency {
	if !p.Exchange {
		return p.View.Currencies
	}
	list := partition(p.View.Currencies, func(c wire.Currency) bool {
		return slices.ContainsFunc(c.Networks, exchangesCanSend)
	})
	for i := range list {
		list[i].Networks = partition(list[i].Networks, exchangesCanSend)
	}
	return list
}

// exchangesCanSend reports whether n is available and most exchanges can send to it.
func exchangesCanSend(n wire.Network) bool { return n.Available && n.Exchanges }

// partition returns a copy of list with the wanted items in front, otherwise in the same order.
func partition[T any](list []T, wanted func(T) bool) []T {
	front := slices.DeleteFunc(slices.Clone(list), func(item T) bool { return !wanted(item) })
	return append(front, slices.DeleteFunc(slices.Clone(list), wanted)...)
}

// IsCheapest reports whether n gets the mark of the lowest fee: another network of the coin must be
// available for more.
func IsCheapest(c wire.Currency, n wire.Network) bool {
	dearer := func(other wire.Network) bool { return other.Available && !other.Lowest }
	return n.Available && n.Lowest && slices.ContainsFunc(c.Networks, dearer)
}

// WithExchange returns the page with Exchange set or cleared, also in Carry.
func (p Page) WithExchange(exchange bool) Page {
	p = p.WithField("from", TextIf(exchange, "exchange"))
	p.Exchange = exchange
	return p
}
