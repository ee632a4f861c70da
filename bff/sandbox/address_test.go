package sandbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"math/big"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/crypto/sha3"

	"coinslot/bff/fortest"
)

// TestAddressesKnown compares with addresses published elsewhere: the examples of EIP-55, and
// TEP-2's.
func TestAddressesKnown(t *testing.T) {
	for _, want := range []string{
		"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
		"0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
	} {
		account, _ := hex.DecodeString(want[2:])
		fortest.Equal(t, evmAddress(account), want, "evmAddress")
	}
	fortest.Equal(t, crc16([]byte("123456789")), uint16(0x31c3), "crc16")
	fortest.Equal(t, tonAddress(append([]byte{1}, make([]byte, 32)...)),
		"EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9c", "tonAddress(0)")
}

func TestAddressesRandom(t *testing.T) {
	random := newRandom(1)
	seen := map[string]bool{}
	for range 200 {
		for family, valid := range map[Family]func(string) bool{
			TRON: validTRON,
			EVM:  validEVM,
			TON:  validTON,
		} {
			address := newAddress(family, random)
			if !valid(address) || seen[address] {
				t.Errorf("%s address %q is not valid, or not new", family, address)
			}
			seen[address] = true
			if damaged := damage(address); valid(damaged) {
				t.Errorf("%s address %q is valid; the check of this test is none", family, damaged)
			}
		}
	}
}

// damage changes one character in the middle.
func damage(address string) string {
	b := []byte(address)
	for i := len(b) / 2; i < len(b); i++ {
		if unicode.IsLetter(rune(b[i])) {
			b[i] ^= 0x20 // the other case
			return string(b)
		}
	}
	return address[1:]
}

// validTRON decodes base58 by arithmetic, unlike the code under test.
func validTRON(address string) bool {
	const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	n := new(big.Int)
	for _, c := range address {
		digit := strings.IndexRune(alphabet, c)
		if digit < 0 {
			return false
		}
		n.Add(n.Mul(n, big.NewInt(58)), big.NewInt(int64(digit)))
	}
	raw := n.Bytes()
	if len(raw) != 25 || raw[0] != 0x41 || !strings.HasPrefix(address, "T") || len(address) != 34 {
		return false
	}
	once := sha256.Sum256(raw[:21])
	twice := sha256.Sum256(once[:])
	return bytes.Equal(twice[:4], raw[21:])
}

func validEVM(address string) bool {
	if !regexp.MustCompile(`^0x[0-9a-fA-F]{40}$`).MatchString(address) {
		return false
	}
	hash := sha3.NewLegacyKeccak256()
	hash.Write([]byte(strings.ToLower(address[2:])))
	sum := hash.Sum(nil)
	for i, c := range address[2:] {
		nibble := sum[i/2] >> 4
		if i%2 == 1 {
			nibble = sum[i/2] & 15
		}
		if unicode.IsLetter(c) && unicode.IsUpper(c) != (nibble >= 8) {
			return false
		}
	}
	return true
}

// validTON divides the whole message, checksum included: the rest is zero.
func validTON(address string) bool {
	raw, err := base64.URLEncoding.DecodeString(address)
	if err != nil || len(raw) != 36 || raw[1] != 0 {
		return false
	}
	rest := new(big.Int).SetBytes(raw)
	for divisor := big.NewInt(0x11021); rest.BitLen() > 16; {
		rest.Xor(rest, new(big.Int).Lsh(divisor, uint(rest.BitLen()-17)))
	}
	prefix := map[byte]string{0x11: "EQ", 0x51: "UQ"}[raw[0]]
	return rest.Sign() == 0 && prefix != "" && strings.HasPrefix(address, prefix)
}

func TestTransactionIDs(t *testing.T) {
	random := newRandom(2)
	for family, shape := range map[Family]string{
		TRON: `^[0-9a-f]{64}$`,
		EVM:  `^0x[0-9a-f]{64}$`,
		TON:  `^[0-9a-f]{64}$`,
	} {
		if id := newTransactionID(family, random); !regexp.MustCompile(shape).MatchString(id) {
			t.Errorf("%s transaction id %q does not match %s", family, id, shape)
		}
	}
	if code := newCode(random); !regexp.MustCompile(`^[A-Z2-9]{12}$`).MatchString(code) {
		t.Errorf("tracking code %q", code)
	}
}
