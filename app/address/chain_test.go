package address

import (
	"strings"
	"testing"
)

// A text around the right address that names another chain is never "the right address", and one
// that names ours, or none, is.
func TestCompareChains(t *testing.T) {
	const solOurs = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV"
	for _, c := range []struct {
		network, ours, pasted string
		want                  string // the other network; empty = the right address
	}{
		// URI schemes and short names of EIP-3770
		{"erc20", evmOurs, "bnb:A", "BNB Smart Chain"},
		{"erc20", evmOurs, "BNB:A", "BNB Smart Chain"},
		{"erc20", evmOurs, "matic:A", "Polygon"},
		{"erc20", evmOurs, "polygon:A?amount=1", "Polygon"},
		{"erc20", evmOurs, "arb1:A", "Arbitrum"},
		{"erc20", evmOurs, "oeth:A", "Optimism"},
		{"erc20", evmOurs, "base:A", "Base"},
		{"erc20", evmOurs, "avax:A", "Avalanche"},
		{"erc20", evmOurs, "smartchain:A", "BNB Smart Chain"},
		{"erc20", evmOurs, "BEP20: A", "BNB Smart Chain"},
		{"erc20", evmOurs, "eth:A", ""},
		{"bep20", evmOurs, "eth:A", "Ethereum"},
		{"bep20", evmOurs, "bnb:A", ""},
		{"bep20", evmOurs, "ethereum:A", ""}, // no id: what the wallet shows
		{"erc20", evmOurs, "Address: A", ""},
		{"trc20", tronOurs, "tron:A?amount=25", ""},
		{"trc20", tronOurs, "trx:A", ""},
		{"trc20", tronOurs, "ethereum:A", "Ethereum"},
		{"bitcoin", btcOurs, "bitcoin:A?amount=0.1", ""},
		{"bitcoin", btcOurs, "litecoin:A", "Litecoin"},
		{"ltc", "ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9", "bitcoin:A", "Bitcoin"},
		{"solana", solOurs, "solana:A?amount=1&spl-token=EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", ""},
		{"ton", tonOurs, "ton://transfer/A?amount=5", ""},

		// chain ids of EIP-681
		{"erc20", evmOurs, "ethereum:A@56?value=7", "BNB Smart Chain"},
		{"erc20", evmOurs, "ethereum:A@0x38", "BNB Smart Chain"},
		{"erc20", evmOurs, "ethereum:pay-A@137", "Polygon"},
		{"erc20", evmOurs, "A@56", "BNB Smart Chain"},
		{"erc20", evmOurs, "ethereum:A@1?value=7", ""},
		{"erc20", evmOurs, "ethereum:A@97", "chain 97"},
		{"erc20", evmOurs, "ethereum:0x55d398326f99059fF775485246999027B3197955@56/transfer?address=A&uint256=5", "BNB Smart Chain"},
		{"bep20", evmOurs, "ethereum:A@56?value=7", ""},
		{"0x38", evmOurs, "ethereum:A@56?value=7", ""},
		{"0x38", evmOurs, "ethereum:A@1", "Ethereum"},

		// CAIP-10
		{"erc20", evmOurs, "eip155:56:A", "BNB Smart Chain"},
		{"erc20", evmOurs, "eip155:1:A", ""},
		{"bep20", evmOurs, "eip155:1:A", "Ethereum"},
		{"trc20", tronOurs, "tron:728126428:A", ""},
		{"bitcoin", btcOurs, "bip122:000000000019d6689c085ae165831e93:A", ""},
		{"bitcoin", btcOurs, "bip122:12a765e31ffd4059bada1e25190f6e98:A", "Litecoin"},
		{"solana", solOurs, "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:A", ""},

		// explorers
		{"erc20", evmOurs, "https://etherscan.io/address/A", ""},
		{"erc20", evmOurs, "https://etherscan.io/address/A#tokentxns", ""},
		{"erc20", evmOurs, "etherscan.io/address/A", ""},
		{"erc20", evmOurs, "https://etherscan.io/token/0xdAC17F958D2ee523a2206206994597C13D831ec7?a=A", ""},
		{"erc20", evmOurs, "https://eth.blockscout.com/address/A", ""},
		{"erc20", evmOurs, "https://blockchair.com/ethereum/address/A", ""},
		{"erc20", evmOurs, "https://blockscan.com/address/A", ""},
		{"erc20", evmOurs, "https://bscscan.com/address/A", "BNB Smart Chain"},
		{"erc20", evmOurs, "https://polygonscan.com/address/A", "Polygon"},
		{"erc20", evmOurs, "https://arbiscan.io/address/A", "Arbitrum"},
		{"erc20", evmOurs, "https://optimistic.etherscan.io/address/A", "Optimism"},
		{"erc20", evmOurs, "https://sepolia.etherscan.io/address/A", "Testnet"},
		{"erc20", evmOurs, "https://base.blockscout.com/address/A", "Base"},
		{"bep20", evmOurs, "https://opbnb.bscscan.com/address/A", "opBNB"},
		{"bep20", evmOurs, "https://etherscan.io/address/A", "Ethereum"},
		{"trc20", tronOurs, "https://tronscan.org/#/address/A", ""},
		{"trc20", tronOurs, "https://nile.tronscan.org/#/address/A", "Testnet"},
		{"bitcoin", btcOurs, "https://mempool.space/address/A", ""},
		{"bitcoin", btcOurs, "https://www.blockchain.com/explorer/addresses/btc/A", ""},
		{"solana", solOurs, "https://solscan.io/account/A", ""},
		{"solana", solOurs, "https://explorer.solana.com/address/A?cluster=devnet", "Testnet"},
		{"ton", tonOurs, "https://tonviewer.com/A", ""},
		{"ton", tonOurs, "https://tonscan.org/address/A", ""},

		// wallets
		{"erc20", evmOurs, "https://metamask.app.link/send/A@1?value=1e16", ""},
		{"erc20", evmOurs, "https://metamask.app.link/send/A@56", "BNB Smart Chain"},
		{"erc20", evmOurs, "https://metamask.app.link/send/pay-A@0x89", "Polygon"},
		{"bep20", evmOurs, "https://metamask.app.link/send/0x55d398326f99059fF775485246999027B3197955@56/transfer?address=A&uint256=5", ""},
		{"erc20", evmOurs, "https://link.trustwallet.com/send?asset=c60&address=A&amount=1", ""},
		{"erc20", evmOurs, "https://link.trustwallet.com/send?asset=c20000714_t0x55d398326f99059fF775485246999027B3197955&address=A", "BNB Smart Chain"},
		{"erc20", evmOurs, "trust://send?asset=c966&address=A", "Polygon"},
		{"erc20", evmOurs, "wallet://send?to=A&chainId=8453", "Base"},
		{"erc20", evmOurs, "https://wallet.example/send?to=A&chain=bsc", "BNB Smart Chain"},
		{"erc20", evmOurs, "https://wallet.example/send?to=A&network=ethereum", ""},
		{"ton", tonOurs, "https://app.tonkeeper.com/transfer/A?amount=5", ""},

		{"unheard-of", evmOurs, "bnb:A", ""}, // we cannot tell
	} {
		pasted := replaceAlone(c.pasted, c.ours)
		t.Run(c.network+" "+c.pasted, func(t *testing.T) {
			got := Compare(c.ours, c.network, pasted)
			want := Same
			if c.want != "" {
				want = OtherNetwork
			}
			if got.Match != want || got.Network != c.want {
				t.Errorf("%q = %s %q; want %s %q", pasted, got.Match.Name(), got.Network,
					want.Name(), c.want)
			}
		})
	}
}

// replaceAlone replaces an A that has no letter or digit beside it.
func replaceAlone(s, address string) string {
	alone := func(i int) bool {
		return i < 0 || i >= len(s) || !consistsOf(s[i:i+1], base58Digits+"0OIl")
	}
	for i := range len(s) {
		if s[i] == 'A' && alone(i-1) && alone(i+1) {
			return s[:i] + address + s[i+1:]
		}
	}
	return s
}

// A wrong address is wrong in every link.
func TestCompareWrongInLink(t *testing.T) {
	for _, pasted := range []string{
		"https://etherscan.io/address/B", "bnb:B", "eip155:56:B", "ethereum:B@56",
		"https://link.trustwallet.com/send?asset=c60&address=B",
	} {
		pasted = strings.Replace(pasted, "B", evmPlain, 1)
		if got := Compare(evmOurs, "erc20", pasted); got.Match != Other {
			t.Errorf("%q = %s; want other", pasted, got.Match.Name())
		}
	}
}
