package token

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mr-tron/base58"
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
	raw, err := base58.Decode(address)
	if err != nil || len(raw) != 25 || !slices.Contains(versions, raw[0]) {
		return errors.New("is not base58 of a known version byte and 24 bytes")
	}
	first := sha256.Sum256(raw[:21])
	second := sha256.Sum256(first[:])
	if !bytes.Equal(second[:4], raw[21:]) {
		return errors.New("has a wrong checksum")
	}
	return nil
}

// checkTON verifies the user-friendly form: tag, workchain, 32 bytes, CRC16.
// The raw form has no checksum and is accepted. Source: TEP-2.
func checkTON(address string) error {
	if rawTON.MatchString(address) {
		return nil
	}
	raw, err := base64.URLEncoding.Strict().DecodeString(urlSafe(address))
	if err != nil || len(raw) != 36 || len(address) != 48 { // the decoder skips line breaks
		return errors.New("TON address is not base64 of 36 bytes")
	}
	if tag := raw[0] &^ 0x80; tag != 0x11 && tag != 0x51 {
		return errors.New("TON address has an unknown tag")
	}
	if crc16(raw[:34]) != uint16(raw[34])<<8|uint16(raw[35]) {
		return errors.New("TON address has a wrong checksum")
	}
	return nil
}

// urlSafe writes base64 in the alphabet that needs no escaping in links.
func urlSafe(address string) string {
	return strings.NewReplacer("+", "-", "/", "_").Replace(address)
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

// checkSolana verifies that address is base58 of 32 bytes; it has no checksum.
// Source: Solana documentation, "Accounts".
func checkSolana(address string) error {
	if raw, err := base58.Decode(address); err != nil || len(raw) != 32 {
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

const bech32Letters = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

// What a bech32 checksum has to come to: of version 0, and of those after it.
const (
	bech32  = 1          // BIP-173
	bech32m = 0x2bc830a3 // BIP-350
)

// checkSegwit verifies a bech32 address that begins with the human-readable part and "1".
func checkSegwit(address, part string) error {
	low := strings.ToLower(address)
	if address != low && address != strings.ToUpper(address) || len(address) > 90 {
		return errors.New("bech32 address mixes cases or is too long")
	}
	groups := make([]byte, 0, len(low))
	for _, c := range []byte(low[len(part)+1:]) {
		i := strings.IndexByte(bech32Letters, c)
		if i < 0 {
			return errors.New("bech32 address has invalid characters")
		}
		groups = append(groups, byte(i))
	}
	if len(groups) < 7 || groups[0] > 16 {
		return errors.New("bech32 address has no known version")
	}
	want := uint32(bech32m)
	if groups[0] == 0 {
		want = bech32
	}
	if polymod(part, groups) != want {
		return errors.New("bech32 address has a wrong checksum")
	}
	return checkProgram(groups[0], groups[1:len(groups)-6])
}

// checkProgram verifies the length and padding of a witness program in groups of five bits.
func checkProgram(version byte, groups []byte) error {
	size, rest := len(groups)*5/8, len(groups)*5%8
	padded := rest < 5 && (rest == 0 || groups[len(groups)-1]&(1<<rest-1) == 0)
	if !padded || size < 2 || size > 40 || version == 0 && size != 20 && size != 32 {
		return errors.New("bech32 address has a witness program of the wrong length")
	}
	return nil
}

// polymod is the checksum of BIP-173.
func polymod(part string, groups []byte) uint32 {
	crc := uint32(1)
	add := func(v byte) {
		top := crc >> 25
		crc = crc&0x1ffffff<<5 ^ uint32(v)
		for i, g := range []uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3} {
			if top>>i&1 == 1 {
				crc ^= g
			}
		}
	}
	for _, c := range []byte(part) {
		add(c >> 5)
	}
	add(0)
	for _, c := range []byte(part) {
		add(c & 31)
	}
	for _, g := range groups {
		add(g)
	}
	return crc
}
