package widget

import (
	"slices"
	"strings"

	"coinslot/app/wire"
)

// Choice is what the shopper has picked so far.
type Choice struct {
	Symbol  string // of the coin; empty = none
	Network string // "symbol:code"; empty = none
}

// NetworkKey is a network's value in the form: codes alone are not unique, because
// several coins travel on one network.
func NetworkKey(symbol, code string) string { return symbol + ":" + code }

// CountAvailable counts the networks of a coin that can be chosen.
func CountAvailable(c wire.Currency) int {
	n := 0
	for _, network := range c.Networks {
		if network.Available {
			n++
		}
	}
	return n
}

// soleNetwork returns the only network of a coin that can be chosen; false if there
// are several or none.
func soleNetwork(c wire.Currency) (wire.Network, bool) {
	if CountAvailable(c) != 1 {
		return wire.Network{}, false
	}
	i := slices.IndexFunc(c.Networks, func(n wire.Network) bool { return n.Available })
	return c.Networks[i], true
}

// SoleCoin reports whether there is but one coin, so that it is not asked for.
func (p Page) SoleCoin() bool {
	return len(p.View.Currencies) == 1 && CountAvailable(p.View.Currencies[0]) > 0
}

// SoleNetwork reports whether there is but one coin and one network: nothing is
// asked.
func (p Page) SoleNetwork() bool {
	return p.SoleCoin() && len(p.View.Currencies[0].Networks) == 1
}

// CountAvailable counts the coins' networks that can be chosen.
func (p Page) CountAvailable() int {
	n := 0
	for _, currency := range p.View.Currencies {
		n += CountAvailable(currency)
	}
	return n
}

// InitialChoice returns what is selected when the page opens: what the page
// says as far as it is possible, completed where nothing is left to choose.
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

// onlyCoin returns the symbol of the coin if there is just one to choose.
func (p Page) onlyCoin() string {
	found := ""
	for _, currency := range p.View.Currencies {
		switch {
		case CountAvailable(currency) == 0:
		case found != "":
			return ""
		default:
			found = currency.Symbol
		}
	}
	return found
}

// OnlyNetwork returns the key of symbol's network if there is just one to choose.
func (p Page) OnlyNetwork(symbol string) string {
	for _, currency := range p.View.Currencies {
		if currency.Symbol != symbol {
			continue
		}
		if network, only := soleNetwork(currency); only {
			return NetworkKey(symbol, network.Code)
		}
	}
	return ""
}

// Coin returns the currency and network of a key; false if it is not offered
// or cannot be chosen.
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

// codeOf returns the network code of a key.
func codeOf(k string) string {
	_, code, _ := strings.Cut(k, ":")
	return code
}

// OrderedCurrencies returns the coins in the order of the screen: the server's, which is
// by cost. Who pays from an exchange sees first what most exchanges can send,
// and that again in the server's order.
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

// exchangesCanSend reports whether most exchanges can send to a network that can be chosen.
func exchangesCanSend(n wire.Network) bool { return n.Available && n.Exchanges }

// partition returns list with what is wanted in front; otherwise it keeps the order.
func partition[T any](list []T, wanted func(T) bool) []T {
	front, rest := make([]T, 0, len(list)), []T(nil)
	for _, item := range list {
		if wanted(item) {
			front = append(front, item)
		} else {
			rest = append(rest, item)
		}
	}
	return append(front, rest...)
}

// IsCheapest reports whether n is to be marked as the one with the lowest fee:
// only where another network of the coin could be chosen for more.
func IsCheapest(c wire.Currency, n wire.Network) bool {
	dearer := func(other wire.Network) bool { return other.Available && !other.Lowest }
	return n.Available && n.Lowest && slices.ContainsFunc(c.Networks, dearer)
}

// WithExchange returns the page for a shopper who pays from an exchange, or who
// does not. Every form and link carries it along.
func (p Page) WithExchange(exchange bool) Page {
	from := ""
	if exchange {
		from = "exchange"
	}
	p = p.WithField("from", from)
	p.Exchange = exchange
	return p
}
