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

// NetworkKey is a network's value in the form: several coins share the code of a network.
func NetworkKey(symbol, code string) string { return symbol + ":" + code }

// NetworkField is the name of the radios of a coin's networks.
func NetworkField(symbol string) string { return "network." + symbol }

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
func (p *Page) SoleCoin() bool {
	return len(p.View.Currencies) == 1 && CountAvailable(p.View.Currencies[0]) > 0
}

// SoleNetwork reports whether there is only one coin with one network.
func (p *Page) SoleNetwork() bool {
	return p.SoleCoin() && len(p.View.Currencies[0].Networks) == 1
}

// CountAvailable counts the networks of all coins that can be chosen.
func (p *Page) CountAvailable() (n int) {
	for _, currency := range p.View.Currencies {
		n += CountAvailable(currency)
	}
	return n
}

// InitialChoice returns the selection of a new page: the page's own as far as it is possible, and
// the best network of its coin. A coin is selected only if there is no other.
func (p *Page) InitialChoice() Choice {
	c := Choice{Symbol: p.Chosen, Network: p.ChosenNetwork}
	if c.Symbol == "" {
		c.Symbol = p.onlyCoin()
	}
	currency, _, ok := p.Coin(c.Network)
	if !ok || currency.Symbol != c.Symbol {
		c.Network = p.BestNetwork(c.Symbol)
	}
	return c
}

// onlyCoin returns the symbol of the coin if only one can be chosen, else "".
func (p *Page) onlyCoin() (symbol string) {
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

// BestNetwork returns the key of the cheapest network of a coin that most exchanges can send to,
// else of the cheapest; "" if none can be chosen. The view has the networks by cost.
func (p *Page) BestNetwork(symbol string) string {
	best := ""
	for _, currency := range p.View.Currencies {
		if currency.Symbol != symbol {
			continue
		}
		for _, n := range currency.Networks {
			switch {
			case !n.Available:
			case n.Exchanges:
				return NetworkKey(symbol, n.Code)
			case best == "":
				best = NetworkKey(symbol, n.Code)
			}
		}
	}
	return best
}

// Coin returns the currency and network of a key; false if it is not offered or unavailable.
func (p *Page) Coin(want string) (wire.Currency, wire.Network, bool) {
	for _, currency := range p.View.Currencies {
		rest, isCoin := strings.CutPrefix(want, currency.Symbol)
		code, isKey := strings.CutPrefix(rest, ":")
		if !isCoin || !isKey {
			continue
		}
		for _, network := range currency.Networks {
			if network.Code == code {
				return currency, network, network.Available
			}
		}
	}
	return wire.Currency{}, wire.Network{}, false
}

// CoinIcon is the path of a coin's logo; empty if it has none.
func (p *Page) CoinIcon(symbol string) string {
	for _, currency := range p.View.Currencies {
		if currency.Symbol == symbol {
			return currency.Icon
		}
	}
	return ""
}

// IsCheapest reports whether n gets the mark of the lowest fee: another network of the coin must be
// available for more.
func IsCheapest(c wire.Currency, n wire.Network) bool {
	dearer := func(other wire.Network) bool { return other.Available && !other.Lowest }
	return n.Available && n.Lowest && slices.ContainsFunc(c.Networks, dearer)
}
