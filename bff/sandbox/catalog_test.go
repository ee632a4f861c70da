package sandbox

import (
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/token"
)

// The sandbox's coins have the digits that bff/token/tokens.yaml gives them.
func TestDecimalsAreThoseOfTheTokens(t *testing.T) {
	for _, currency := range defaultCurrencies() {
		for _, network := range currency.Networks {
			known, ok := token.Builtin().Token(currency.Symbol, network.Code)
			if !ok {
				t.Errorf("bff/token/tokens.yaml lacks %s on %s", currency.Symbol, network.Code)
			}
			fortest.Equal(t, network.Decimals, known.Decimals, "decimals of %s on %s",
				currency.Symbol, network.Code)
		}
	}
}
