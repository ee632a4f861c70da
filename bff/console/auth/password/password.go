// Package password makes and checks the hash of the console's password. What is
// kept is an argon2id hash in PHC form, "$argon2id$v=19$m=19456,t=2,p=1$…$…", or
// a bcrypt hash, as other programs make them; never a password.
package password

import (
	"errors"
	"fmt"
	"strings"

	"github.com/alexedwards/argon2id"
	"golang.org/x/crypto/bcrypt"
)

// cost is what a new hash costs: 19 MiB, two rounds, one lane. Source: OWASP Password Storage
// Cheat Sheet.
var cost = argon2id.Params{
	Memory:      19 * 1024,
	Iterations:  2,
	Parallelism: 1,
	SaltLength:  16,
	KeyLength:   32,
}

// The bounds of a hash made elsewhere: cheaper ones do not protect, dearer ones
// would let a few logins take the whole machine.
const (
	leastMemory = 7 * 1024 // KiB
	mostMemory  = 256 * 1024

	leastRounds = 1
	mostRounds  = 10

	mostLanes = 8

	leastCost = 10 // of bcrypt
	mostCost  = 14
)

// MinLength and MaxLength are how long a password may be, in bytes.
const (
	MinLength = 12
	MaxLength = 1024
)

// mostBcrypt is how much of a password bcrypt reads.
const mostBcrypt = 72

// errHash never contains the hash.
var errHash = errors.New(
	"must be an argon2id or bcrypt hash, never a password: make one with coinslot admin-password",
)

// New returns the argon2id hash of a password, with a salt of its own. Errors:
// one that is too short or too long.
func New(password string) (string, error) {
	if len(password) < MinLength || len(password) > MaxLength {
		return "", fmt.Errorf(
			"hashing a password: it must have %d to %d characters", MinLength, MaxLength,
		)
	}
	return argon2id.CreateHash(password, &cost)
}

// Check returns what is wrong with a hash, nil if passwords can be checked
// against it. It computes nothing, and its error does not show the hash.
func Check(hash string) error {
	if strings.HasPrefix(hash, "$2") {
		cost, err := bcrypt.Cost([]byte(hash))
		switch {
		case err != nil || len(hash) != 60:
			return errHash
		case cost < leastCost || cost > mostCost:
			return fmt.Errorf(
				"is a bcrypt hash of a cost that is not from %d to %d: make one with coinslot "+
					"admin-password",
				leastCost, mostCost,
			)
		}

		return nil
	}

	return checkArgon2id(hash)
}

// Matches reports whether password is the one that hash was made of. It takes as
// long for every password of one hash. A hash that Check refuses matches nothing.
func Matches(hash, password string) bool {
	if len(password) > MaxLength || Check(hash) != nil {
		return false
	}
	if strings.HasPrefix(hash, "$2") {
		return len(password) <= mostBcrypt &&
			bcrypt.CompareHashAndPassword([]byte(hash), []byte(password)) == nil
	}
	matches, err := argon2id.ComparePasswordAndHash(password, hash)
	return matches && err == nil
}

// checkArgon2id is Check for a hash in PHC form, of which the library takes also what it would
// not write. Source: github.com/P-H-C/phc-string-format.
func checkArgon2id(hash string) error {
	p, _, _, err := argon2id.DecodeHash(hash)
	if err != nil {
		return errHash
	}

	written := fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$", p.Memory, p.Iterations, p.Parallelism)
	if !strings.HasPrefix(hash, written) || p.SaltLength < 8 || p.SaltLength > 64 ||
		p.KeyLength < 16 || p.KeyLength > 64 {
		return errHash
	}
	if p.Memory < leastMemory || p.Memory > mostMemory || p.Iterations < leastRounds ||
		p.Iterations > mostRounds || p.Parallelism < 1 || p.Parallelism > mostLanes {
		return fmt.Errorf(
			"is an argon2id hash that is too cheap or too dear (m from %d to %d, t to %d, p to "+
				"%d): make one with coinslot admin-password",
			leastMemory, mostMemory, mostRounds, mostLanes,
		)
	}

	return nil
}
