package widget

import (
	"strings"

	"coinslot/app/wire"
)

// choice is what the shopper has picked so far.
type choice struct {
	Symbol  string // of the coin; empty = none
	Network string // "symbol:code"; empty = none
}

// key is a network's value in the form: codes alone are not unique, because
// several coins travel on one network.
func key(symbol, code string) string { return symbol + ":" + code }

// sole returns the only network of a coin that can be chosen; false if there
// are several or none.
func sole(c wire.Currency) (wire.Network, bool) {
	var found wire.Network
	n := 0
	for _, network := range c.Networks {
		if network.Available {
			found, n = network, n+1
		}
	}
	return found, n == 1
}

// startingChoice returns what is selected when the page opens: what the page
// says, completed where nothing is left to choose.
func (p Page) startingChoice() choice {
	c := choice{Symbol: p.Chosen, Network: p.ChosenNetwork}
	if c.Symbol == "" && len(p.View.Currencies) == 1 {
		c.Symbol = p.View.Currencies[0].Symbol
	}
	if c.Network == "" {
		c.Network = p.onlyNetwork(c.Symbol)
	}
	return c
}

// onlyNetwork returns the key of symbol's network if there is just one to choose.
func (p Page) onlyNetwork(symbol string) string {
	for _, currency := range p.View.Currencies {
		if currency.Symbol != symbol {
			continue
		}
		if network, only := sole(currency); only {
			return key(symbol, network.Code)
		}
	}
	return ""
}

// find returns the currency and network of a key; false if it is not offered
// or cannot be chosen.
func (p Page) find(want string) (wire.Currency, wire.Network, bool) {
	for _, currency := range p.View.Currencies {
		for _, network := range currency.Networks {
			if key(currency.Symbol, network.Code) == want {
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
