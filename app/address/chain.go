package address

import (
	"strconv"
	"strings"

	"coinslot/app/wire"
)

// chain is a network, and how texts name it.
type chain struct {
	name string // the same in every language
	id   uint64 // of EIP-155; zero = none
	coin uint64 // of SLIP-44, as in links of Trust Wallet
	// In lower case, with spaces around each: codes of gateways, URI schemes, short names of
	// EIP-3770, and words in the addresses of explorers and wallets.
	words string
}

// chains are those that wallets have. Sources: chainid.network, SLIP-44, EIP-3770.
var chains = [...]chain{
	{"Ethereum", 1, 60, " ethereum eth erc20 etherscan ethplorer "},
	{"BNB Smart Chain", 56, 20000714, " bsc bnb bep20 smartchain bnbchain bscscan bsctrace "},
	{"opBNB", 204, 0, " opbnb obnb opbnbscan "},
	{"Polygon", 137, 966, " polygon matic pol polygonscan "},
	{"Arbitrum", 42161, 10042221, " arbitrum arb arb1 arbiscan "},
	{"Optimism", 10, 10000070, " optimism op oeth optimistic "},
	{"Base", 8453, 8453, " base basescan "},
	{"Avalanche", 43114, 10009000, " avalanche avax avaxc avax-c snowtrace snowscan "},
	{"Gnosis", 100, 700, " gnosis gno xdai gnosisscan "},
	{"Fantom", 250, 10000250, " fantom ftm ftmscan "},
	{"Sonic", 146, 10000146, " sonic sonicscan "},
	{"Celo", 42220, 52752, " celo celoscan "},
	{"Linea", 59144, 59144, " linea lineascan "},
	{"zkSync", 324, 10000324, " zksync "},
	{"Scroll", 534352, 534352, " scroll scr scrollscan "},
	{"Mantle", 5000, 5000, " mantle mnt "},
	{"Cronos", 25, 10000025, " cronos cro cronoscan "},
	{"Ethereum Classic", 61, 61, " etc "},
	{"TRON", 728126428, 195, " tron trx trc20 tronscan "},
	{"TON", 0, 607, " ton tvm tonscan tonviewer tonkeeper tonhub "},
	{"Solana", 0, 501, " solana sol solscan "},
	{"Bitcoin", 0, 0, " bitcoin btc mempool blockstream 000000000019d6689c085ae165831e93 "},
	{"Litecoin", 0, 2, " litecoin ltc litecoinspace 12a765e31ffd4059bada1e25190f6e98 "},
	{"Dogecoin", 0, 3, " dogecoin doge dogechain 1a91e3dace36e2be3bf030a65679fe82 "},
	{"Bitcoin Cash", 0, 145, " bitcoincash bch "},
	{"Testnet", 0, 1, " testnet devnet sepolia goerli holesky hoodi amoy mumbai fuji shasta nile "},
}

// chainOf returns the name of the chain of a gateway's network code or hexadecimal chain id; empty
// if it is not known.
func chainOf(network string) string {
	if strings.HasPrefix(network, "0x") {
		return chainByID(network)
	}
	return chainByWord(strings.ToLower(network))
}

func chainByWord(word string) string {
	for i := range chains {
		if word != "" && strings.Contains(chains[i].words, " "+word+" ") {
			return chains[i].name
		}
	}
	return ""
}

// chainByID returns the name of the chain with an id of EIP-155, in decimal or hexadecimal digits;
// empty if it is no number.
func chainByID(text string) string {
	id, err := strconv.ParseUint(text, 0, 64)
	if err != nil || id == 0 {
		return ""
	}
	for i := range chains {
		if chains[i].id == id {
			return chains[i].name
		}
	}
	return "chain " + strconv.FormatUint(id, 10)
}

// chainByAsset reads "c60" or "c60_t0x…" of Trust Wallet's links, or the number alone.
func chainByAsset(text string) string {
	text, _, _ = strings.Cut(strings.TrimPrefix(text, "c"), "_")
	coin, err := strconv.ParseUint(text, 10, 64)
	for i := range chains {
		if err == nil && chains[i].coin == coin && (coin != 0 || chains[i].name == "Bitcoin") {
			return chains[i].name
		}
	}
	return ""
}

// namedChain returns the name of the chain that a text names besides its recipient; empty if it
// names none. head is the text before its query. Sources: EIP-681, EIP-3770, CAIP-2, CAIP-10.
func namedChain(head, query, recipient string) string {
	head = strings.ToLower(head)
	query = strings.ToLower(query)
	if i := strings.LastIndexByte(head, '@'); i >= 0 {
		id, _, _ := strings.Cut(head[i+1:], "/")
		if name := chainByID(id); name != "" {
			return name
		}
	}
	for _, key := range []string{"chainid", "chain_id", "chain", "network", "cluster"} {
		value := parameter(query, key)
		if name := chainByID(value); name != "" {
			return name
		}
		if name := chainByWord(value); name != "" {
			return name
		}
	}
	for _, key := range []string{"asset", "coin"} {
		if name := chainByAsset(parameter(query, key)); name != "" {
			return name
		}
	}
	words := strings.FieldsFunc(head, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
	})
	for i, word := range words {
		switch {
		case word == "eip155" && i+1 < len(words):
			return chainByID(words[i+1])
		case i == 0 && word == "ethereum" && familyOf(recipient) == wire.EVM:
			continue // EIP-681 without an id: the chain that the wallet shows
		}
		if name := chainByWord(word); name != "" {
			return name
		}
	}
	return ""
}

// parameter returns the value of a parameter of a query; empty if there is none.
func parameter(query, key string) string {
	_, value, _ := strings.Cut("&"+query, "&"+key+"=")
	end := strings.IndexAny(value, "&#")
	if end >= 0 {
		value = value[:end]
	}
	return value
}
