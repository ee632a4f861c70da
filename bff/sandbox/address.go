package sandbox

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"io"
	"strings"

	"github.com/btcsuite/btcd/btcutil/base58"
	"golang.org/x/crypto/sha3"
)

// newAddress returns a random address of the family, with a valid checksum and no key.
func newAddress(f Family, random io.Reader) string {
	version := map[Family]byte{
		Bitcoin:  0,
		Litecoin: 0x30,
		Dogecoin: 0x1e,
		TRON:     0x41,
	}
	switch f {
	case TRON, Bitcoin, Litecoin, Dogecoin:
		return base58.CheckEncode(randomBytes(random, 20), version[f])
	case Solana:
		return base58.Encode(randomBytes(random, 32))
	case TON:
		return tonAddress(randomBytes(random, 33))
	}

	return evmAddress(randomBytes(random, 20))
}

// evmAddress returns the hexadecimal form of 20 bytes in which a letter is in upper case where the
// digit of the lower-case form's Keccak-256 at its place is 8 or more. Source: EIP-55.
func evmAddress(account []byte) string {
	text := []byte(hex.EncodeToString(account))
	hash := sha3.NewLegacyKeccak256()
	hash.Write(text)
	digits := hex.EncodeToString(hash.Sum(nil))
	for i, c := range text {
		if c >= 'a' && digits[i] >= '8' {
			text[i] = c - 'a' + 'A'
		}
	}
	return "0x" + string(text)
}

// tonAddress returns the user-friendly form on the basic workchain: a tag, the
// workchain, 32 bytes of hash, and the CRC-16 of all that, in base64url. The
// first of the 33 bytes decides the tag: bounceable (EQ…) or not (UQ…).
// Source: TEP-2.
func tonAddress(account []byte) string {
	tag := byte(0x51)
	if account[0]&1 == 1 {
		tag = 0x11
	}
	payload := append([]byte{tag, 0}, account[1:]...)
	return base64.URLEncoding.EncodeToString(binary.BigEndian.AppendUint16(payload, crc16(payload)))
}

// crc16 is CRC-16/XMODEM: polynomial 0x1021, initial value 0.
func crc16(data []byte) uint16 {
	var sum uint16
	for _, b := range data {
		sum ^= uint16(b) << 8
		for range 8 {
			carry := sum&0x8000 != 0
			sum <<= 1
			if carry {
				sum ^= 0x1021
			}
		}
	}

	return sum
}

func newTransactionID(f Family, random io.Reader) string {
	id := hex.EncodeToString(randomBytes(random, 32))
	if f == EVM {
		return "0x" + id
	}
	return id
}

// newCode returns a tracking code: twelve characters that cannot be mistaken
// for each other. The gateway's page shows a UUID at one place and a short
// alphanumeric string at others; this is the latter.
func newCode(random io.Reader) string {
	const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789" // 32, so that no letter is likelier
	var code strings.Builder
	for _, b := range randomBytes(random, 12) {
		code.WriteByte(letters[b%32])
	}
	return code.String()
}

func randomBytes(random io.Reader, n int) []byte {
	b := make([]byte, n)
	if _, err := io.ReadFull(random, b); err != nil {
		panic("sandbox: the random source ended: " + err.Error())
	}
	return b
}
