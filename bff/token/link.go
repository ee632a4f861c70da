package token

import (
	"fmt"
	"math/big"
	"strings"

	"coinslot/app/wire"

	"github.com/shopspring/decimal"
)

// Payment is what a wallet is to send.
type Payment struct {
	Symbol  string          // "USDT"
	Network string          // the gateway's code, "erc20"
	Address string          // to whom
	Amount  decimal.Decimal // in the coin
}

// URI returns the link that asks a wallet for p, "" where no form is standard,
// the coin is not known, the address fails its check, or the amount cannot be
// sent digit for digit. contract reports that the link names a token's contract
// as well: wallets that read only the target would pay the contract.
//
// Sources: EIP-681; BIP-21; Solana Pay specification, "transfer request"; TON
// documentation, "Deep links". TRON has none that wallets agree on.
func (r *Registry) URI(p Payment) (uri string, contract bool) {
	t, units, ok := r.Sendable(p)
	if !ok {
		return "", false
	}
	switch t.Network.Kind {
	case EVM:
		return t.ethereum(p.Address, units), !t.Native
	case TON:
		uri = t.ton(p.Address, units)
		return uri, uri != "" && !t.Native
	case Solana:
		return t.solana(p), !t.Native
	case Bitcoin, Litecoin, Dogecoin:
		return fmt.Sprintf("%s:%s?amount=%s", t.Network.Kind, p.Address, p.Amount), false
	case TRON, Other:
	}
	return "", false
}

// Call returns p as a transaction for a wallet in the browser; nil for networks
// other than EVM's and for what [Registry.URI] has no link for.
func (r *Registry) Call(p Payment) *wire.Call {
	t, units, ok := r.Sendable(p)
	if !ok || t.Network.Kind != EVM {
		return nil
	}
	call := &wire.Call{
		ChainID: fmt.Sprintf("%#x", t.Network.ChainID),
		To:      p.Address,
		Value:   fmt.Sprintf("%#x", units),
		Data:    "0x",
	}
	if !t.Native {
		call.To, call.Value = t.Contract, "0x0"
		call.Data = fmt.Sprintf("0x%s%024d%s%064x", transferSelector, 0,
			strings.ToLower(p.Address[2:]), units)
	}
	return call
}

// transferSelector is the first four bytes of the hash of
// "transfer(address,uint256)". Source: EIP-20, Solidity ABI specification.
const transferSelector = "a9059cbb"

// maxBits is how large an amount in a kind's smallest unit can be; TRX has 63 bits.
var maxBits = map[Kind]int{
	EVM: 256, TRON: 63, TON: 120, Solana: 64, Bitcoin: 64, Litecoin: 64, Dogecoin: 64,
}

// Sendable returns the coin of p and its amount in the coin's smallest unit. ok reports whether
// exactly that can be sent to that address: without it, there are no links.
func (r *Registry) Sendable(p Payment) (t Token, units *big.Int, ok bool) {
	t, ok = r.Token(p.Symbol, p.Network)
	if !ok || t.Contract == "" && !t.Native || t.Network.Kind.check(p.Address) != nil {
		return t, nil, false
	}
	shifted := p.Amount.Shift(t.Decimals)
	if !shifted.IsPositive() || shifted.NumDigits()+int(shifted.Exponent()) > 80 ||
		!shifted.IsInteger() {
		return t, nil, false
	}
	units = shifted.BigInt()
	return t, units, units.BitLen() <= maxBits[t.Network.Kind]
}

func (t Token) ethereum(address string, units *big.Int) string {
	if t.Native {
		return fmt.Sprintf("ethereum:%s@%d?value=%d", address, t.Network.ChainID, units)
	}
	return fmt.Sprintf("ethereum:%s@%d/transfer?address=%s&uint256=%d", t.Contract,
		t.Network.ChainID, address, units)
}

func (t Token) ton(address string, units *big.Int) string {
	address = t.LinkAddress(address)
	switch {
	case address == "":
		return ""
	case t.Native:
		return fmt.Sprintf("ton://transfer/%s?amount=%d", address, units)
	}
	return fmt.Sprintf("ton://transfer/%s?jetton=%s&amount=%d", address, t.Contract, units)
}

// LinkAddress returns an address of t's network that passes its check as links name it: TON's in
// the alphabet that needs no escaping. "" = not in a link: TON's raw form has no checksum, and not
// every wallet reads it there.
func (t Token) LinkAddress(address string) string {
	switch {
	case t.Network.Kind != TON:
		return address
	case rawTON.MatchString(address):
		return ""
	}
	return urlSafe(address)
}

func (t Token) solana(p Payment) string {
	link := fmt.Sprintf("solana:%s?amount=%s", p.Address, p.Amount)
	if t.Native {
		return link
	}
	return link + "&spl-token=" + t.Contract
}
