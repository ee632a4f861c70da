package token

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"regexp"

	"github.com/btcsuite/btcd/btcutil/base58"
)

var (
	hexHash   = regexp.MustCompile(`^[0-9a-fA-F]{64}$`)
	evmHash   = regexp.MustCompile(`^0x[0-9a-fA-F]{64}$`)
	otherHash = regexp.MustCompile(`^[!-~]{1,128}$`)
)

// TransactionKey returns what is the same for every way to write the id of one transaction, and
// differs between transactions. code is that of its network. It fails for text that is no id there;
// an id of a network that is not known can be all that is short, printable and without spaces.
//
// The key of 32 bytes is in lower case, as explorers write it.
func (r *Registry) TransactionKey(code, id string) (string, error) {
	n, ok := r.Network(code)
	if !ok {
		n.Kind = Other
	}
	return n.Kind.transactionKey(id)
}

func (k Kind) transactionKey(id string) (string, error) {
	switch k {
	case EVM: // "hash32" of the Ethereum JSON-RPC specification
		if !evmHash.MatchString(id) {
			return "", errors.New("transaction id is not 0x and 64 hexadecimal digits")
		}
		return lower(id), nil

	// "TXID" in Bitcoin's developer glossary, whose form Litecoin and Dogecoin have kept;
	// "transaction ID" in TRON's developer documentation
	case Bitcoin, Litecoin, Dogecoin, TRON:
		if !hexHash.MatchString(id) {
			return "", errors.New("transaction id is not 64 hexadecimal digits")
		}
		return lower(id), nil

	case Solana: // "transaction signature" in Solana's terminology: the first signature, of Ed25519
		if len(id) > 88 || len(base58.Decode(id)) != 64 {
			return "", errors.New("transaction id is not 64 bytes in base58")
		}
		return id, nil

	case TON:
		return tonHash(id)

	case Other:
	}

	switch {
	case hexHash.MatchString(id), evmHash.MatchString(id):
		return lower(id), nil // such as that of XRP, which its own software writes in capitals
	case otherHash.MatchString(id):
		return id, nil
	}
	return "", errors.New("transaction id is too long, or not plain characters without spaces")
}

// tonHash returns the hash of a TON transaction in hexadecimal digits. Wallets and explorers show
// those, and TON's own APIs base64 in either alphabet. Source: TON documentation, "Transaction".
func tonHash(id string) (string, error) {
	if hexHash.MatchString(id) {
		return lower(id), nil
	}

	written := urlSafe(id)
	if len(written) == 44 && written[43] == '=' {
		written = written[:43]
	}
	hash, err := base64.RawURLEncoding.Strict().DecodeString(written)
	if err != nil || len(hash) != 32 {
		return "", errors.New("transaction id is not 64 hexadecimal digits, or 32 bytes in base64")
	}
	return hex.EncodeToString(hash), nil
}
