package token

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"coinslot/app/address"

	"github.com/btcsuite/btcd/btcutil/base58"
	"github.com/btcsuite/btcd/btcutil/bech32"
	"golang.org/x/crypto/sha3"
)

var (
	evmAddress   = regexp.MustCompile(`^0x[0-9a-fA-F]{40}$`)
	otherAddress = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9:_.+/=-]{9,127}$`)
	rawTON       = regexp.MustCompile(`^(0|-1):[0-9a-fA-F]{64}$`)
)

// check returns what is wrong with an address of the kind, nil for nothing.
func (k Kind) check(address string) error {
	switch k {
	case EVM:
		return checkEVM(address)
	case TRON:
		return checkTRON(address)
	case TON:
		return checkTON(address)
	case Solana:
		return checkSolana(address)
	case Bitcoin:
		return checkCoin(address, "bc", 0x00, 0x05)
	case Litecoin:
		return checkCoin(address, "ltc", 0x30, 0x32, 0x05)
	case Dogecoin:
		return checkCoin(address, "", 0x1e, 0x16)
	case Other:
	}
	if !otherAddress.MatchString(address) {
		return errors.New("address is not well formed")
	}
	return nil
}

func guessKind(address string) Kind {
	switch {
	case strings.HasPrefix(address, "0x") && len(address) <= len("0x")+40:
		// longer ones are of Sui, Aptos, Starknet
		return EVM
	case len(address) == 34 && address[0] == 'T':
		return TRON
	}
	return Other
}

// checkEVM verifies the mixed-case checksum. Source: EIP-55.
func checkEVM(address string) error {
	if !evmAddress.MatchString(address) {
		return errors.New("EVM address is not 0x and 40 hexadecimal digits")
	}
	digits := address[2:]
	if digits == strings.ToLower(digits) || digits == strings.ToUpper(digits) {
		return nil
	}
	if digits != eip55(digits) {
		return errors.New("EVM address has a wrong EIP-55 checksum")
	}
	return nil
}

func eip55(digits string) string {
	lower := []byte(strings.ToLower(digits))
	h := sha3.NewLegacyKeccak256()
	h.Write(lower)
	sum := hex.EncodeToString(h.Sum(nil))
	for i, c := range lower {
		if c >= 'a' && sum[i] >= '8' {
			lower[i] = c - 'a' + 'A'
		}
	}
	return string(lower)
}

// checkTRON verifies base58check with version byte 0x41. Source: TRON
// documentation, "Account address format".
func checkTRON(address string) error {
	if err := checkBase58(address, 0x41); err != nil {
		return fmt.Errorf("TRON address %w", err)
	}
	return nil
}

// checkBase58 verifies base58check of a version byte and 20 bytes. Errors go on after "address".
func checkBase58(address string, versions ...byte) error {
	account, version, err := base58.CheckDecode(address)
	switch {
	case errors.Is(err, base58.ErrChecksum):
		return errors.New("has a wrong checksum")
	case err != nil || len(account) != 20 || !slices.Contains(versions, version):
		return errors.New("is not base58 of a known version byte and 24 bytes")
	}
	return nil
}

// checkTON verifies the user-friendly form: tag, workchain, 32 bytes, CRC16.
// The raw form has no checksum and is accepted. Source: TEP-2.
func checkTON(text string) error {
	if rawTON.MatchString(text) {
		return nil
	}
	raw, err := base64.URLEncoding.Strict().DecodeString(urlSafe(text))
	if err != nil || len(raw) != 36 || len(text) != 48 { // the decoder skips line breaks
		return errors.New("TON address is not base64 of 36 bytes")
	}
	if tag := raw[0] &^ 0x80; tag != 0x11 && tag != 0x51 {
		return errors.New("TON address has an unknown tag")
	}
	if address.CRC16(raw) != 0 {
		return errors.New("TON address has a wrong checksum")
	}
	return nil
}

// urlSafe writes base64 in the alphabet that needs no escaping in links.
func urlSafe(address string) string {
	return strings.NewReplacer("+", "-", "/", "_").Replace(address)
}

// checkSolana verifies that address is base58 of 32 bytes; it has no checksum.
// Source: Solana documentation, "Accounts".
func checkSolana(address string) error {
	if len(base58.Decode(address)) != 32 {
		return errors.New("not a Solana address: want base58 of 32 bytes")
	}
	return nil
}

// checkCoin verifies an address of Bitcoin or a coin like it on its main
// network: bech32 with the human-readable part, or base58check with a version.
// Sources: BIP-173, BIP-350; chainparams.cpp of the coins' reference clients.
func checkCoin(address, part string, versions ...byte) error {
	if part != "" && strings.HasPrefix(strings.ToLower(address), part+"1") {
		return checkSegwit(address, part)
	}
	if err := checkBase58(address, versions...); err != nil {
		return fmt.Errorf("address %w", err)
	}
	return nil
}

// checkSegwit verifies a bech32 address with that human-readable part.
func checkSegwit(address, part string) error {
	found, groups, checksum, err := bech32.DecodeGeneric(address)
	switch {
	case err != nil || found != part:
		return errors.New("bech32 address is not well formed, or has a wrong checksum")
	case len(groups) == 0 || groups[0] > 16 || (groups[0] == 0) != (checksum == bech32.Version0):
		return errors.New("bech32 address has no known version")
	}
	program, err := bech32.ConvertBits(groups[1:], 5, 8, false)
	size := len(program)
	if err != nil || size < 2 || size > 40 || groups[0] == 0 && size != 20 && size != 32 {
		return errors.New("bech32 address has a witness program of the wrong length")
	}
	return nil
}
