package checkout

import (
	"crypto/rand"
	"math/big"
	"strings"
)

// NewSessionID returns a fresh id: "cs_" and 26 characters that carry 130
// random bits, so that holding it is permission enough to see the session.
func NewSessionID() string { return "cs_" + strings.ToLower(rand.Text()) }

// newMarker returns what an attempt is recognised by at the gateway: it is not
// a secret, since a payer may see the comment it travels in.
func newMarker() string { return "cs-" + strings.ToLower(rand.Text()[:20]) }

// drawOrderID returns a random six-digit number without a leading zero.
func drawOrderID() int {
	n, err := rand.Int(rand.Reader, big.NewInt(900_000))
	if err != nil {
		panic("reading random numbers: " + err.Error())
	}
	return 100_000 + int(n.Int64())
}
