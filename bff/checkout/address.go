package checkout

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"github.com/mr-tron/base58"
	"golang.org/x/crypto/sha3"
)

// family is a kind of address.
type family string

const (
	familyEVM   family = "EVM"
	familyTRON  family = "TRON"
	familyTON   family = "TON"
	familyOther family = "other"
)

// families maps the network codes that are known to the addresses they use.
// Other codes are judged by what the address looks like.
var families = map[string]family{ // by lower-case network code
	"trc20": familyTRON, "tron": familyTRON, "trx": familyTRON,
	"erc20": familyEVM, "eth": familyEVM, "ethereum": familyEVM,
	"bep20": familyEVM, "bsc": familyEVM, "bnb": familyEVM, "opbnb": familyEVM,
	"polygon": familyEVM, "matic": familyEVM, "arbitrum": familyEVM, "arb": familyEVM,
	"optimism": familyEVM, "op": familyEVM, "base": familyEVM, "avaxc": familyEVM,
	"ton": familyTON,
}

var (
	evmAddress   = regexp.MustCompile(`^0x[0-9a-fA-F]{40}$`)
	otherAddress = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9:_.+/=-]{9,127}$`)
	rawTON       = regexp.MustCompile(`^(0|-1):[0-9a-fA-F]{64}$`)
)

// CheckAddress returns nil if address is well formed for the network and its
// checksum, where the family has one, is right. An EVM address in one case
// carries no checksum and is accepted (EIP-55). An address on a network that
// is not known is checked by what it looks like.
func CheckAddress(networkCode, address string) error {
	f, known := families[strings.ToLower(networkCode)]
	if !known {
		f = looksLike(address)
	}
	switch f {
	case familyEVM:
		return checkEVM(address)
	case familyTRON:
		return checkTRON(address)
	case familyTON:
		return checkTON(address)
	}
	if !otherAddress.MatchString(address) {
		return fmt.Errorf("address on network %q is not well formed", networkCode)
	}
	return nil
}

func looksLike(address string) family {
	switch {
	case strings.HasPrefix(address, "0x"):
		return familyEVM
	case len(address) == 34 && address[0] == 'T':
		return familyTRON
	}
	return familyOther
}

// checkEVM verifies the mixed-case checksum. Source: EIP-55.
func checkEVM(address string) error {
	if !evmAddress.MatchString(address) {
		return fmt.Errorf("EVM address is not 0x and 40 hexadecimal digits")
	}
	digits := address[2:]
	if digits == strings.ToLower(digits) || digits == strings.ToUpper(digits) {
		return nil
	}
	if digits != eip55(digits) {
		return fmt.Errorf("EVM address has a wrong EIP-55 checksum")
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
	raw, err := base58.Decode(address)
	if err != nil || len(raw) != 25 || raw[0] != 0x41 {
		return fmt.Errorf("TRON address is not base58 of 0x41 and 24 bytes")
	}
	first := sha256.Sum256(raw[:21])
	second := sha256.Sum256(first[:])
	if !bytes.Equal(second[:4], raw[21:]) {
		return fmt.Errorf("TRON address has a wrong checksum")
	}
	return nil
}

// checkTON verifies the user-friendly form: tag, workchain, 32 bytes, CRC16.
// The raw form has no checksum and is accepted. Source: TEP-2.
func checkTON(address string) error {
	if rawTON.MatchString(address) {
		return nil
	}
	raw, err := base64.URLEncoding.Strict().DecodeString(strings.NewReplacer("+", "-", "/", "_").Replace(address))
	if err != nil || len(raw) != 36 || len(address) != 48 { // the decoder skips line breaks
		return fmt.Errorf("TON address is not base64 of 36 bytes")
	}
	if tag := raw[0] &^ 0x80; tag != 0x11 && tag != 0x51 {
		return fmt.Errorf("TON address has an unknown tag")
	}
	if crc16(raw[:34]) != uint16(raw[34])<<8|uint16(raw[35]) {
		return fmt.Errorf("TON address has a wrong checksum")
	}
	return nil
}

// crc16 is CRC-16/XMODEM.
func crc16(data []byte) uint16 {
	var crc uint16
	for _, b := range data {
		crc ^= uint16(b) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}
	return crc
}
