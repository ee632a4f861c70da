package checkout

import (
	"fmt"
	"strings"

	"github.com/shopspring/decimal"
)

// places returns how many fractional digits a token can carry, capped at the
// eight in which the gateway speaks. USDT and USDC carry six everywhere but on
// BNB Smart Chain, which gives them eighteen.
func places(symbol, network string) int32 {
	switch strings.ToUpper(symbol) {
	case "USDT", "USDC":
		switch strings.ToLower(network) {
		case "bep20", "bsc", "bnb", "opbnb":
			return 8
		}
		return 6
	}
	return 8
}

// payable rounds the amount to pay up to what the token can carry, so that it
// can be typed into a wallet and is never too little.
func payable(symbol, network string, amount decimal.Decimal) decimal.Decimal {
	return amount.RoundCeil(places(symbol, network))
}

// plain writes an amount without trailing zeros; zero as "0".
func plain(d decimal.Decimal) string {
	s := d.String() // never an exponent
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

// evmChains are the chain ids of networks on which the coin is the chain's own.
// Source: EIP-155 chain ids, chainid.network.
var evmChains = map[string]int{ // by "symbol:network", lower case
	"eth:erc20": 1, "eth:eth": 1, "eth:ethereum": 1,
	"eth:arbitrum": 42161, "eth:optimism": 10, "eth:base": 8453,
	"bnb:bep20": 56, "bnb:bsc": 56, "bnb:bnb": 56,
}

// paymentURI returns what "open in wallet" links to, or "" where no form is
// standard and safe: wallets that read only the target of a token
// transfer send money to the token's contract, so tokens have none here.
// Sources: EIP-681; TON deep links, "ton://transfer".
func paymentURI(symbol, network, address string, amount decimal.Decimal) string {
	key := strings.ToLower(symbol + ":" + network)
	if chain, ok := evmChains[key]; ok {
		return fmt.Sprintf("ethereum:%s@%d?value=%s", address, chain, amount.Shift(18).StringFixed(0))
	}
	if key == "ton:ton" {
		return fmt.Sprintf("ton://transfer/%s?amount=%s", address, amount.Shift(9).StringFixed(0))
	}
	return ""
}
