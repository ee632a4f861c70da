// Package password makes and checks the hash of the console's password. What is
// kept is an argon2id hash in PHC form, "$argon2id$v=19$m=19456,t=2,p=1$…$…", or
// a bcrypt hash, as other programs make them; never a password.
package password

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/bcrypt"
)

// What a new hash costs: 19 MiB, two rounds, one lane. Source: OWASP Password
// Storage Cheat Sheet.
const (
	memory  = 19 * 1024 // KiB
	rounds  = 2
	lanes   = 1
	saltLen = 16
	keyLen  = 32
)

// The bounds of a hash made elsewhere: cheaper ones do not protect, dearer ones
// would let a few logins take the whole machine.
const (
	leastMemory, mostMemory = 7 * 1024, 256 * 1024 // KiB
	leastRounds, mostRounds = 1, 10
	mostLanes               = 8
	leastCost, mostCost     = 10, 14 // of bcrypt
)

// MinLength and Most are how long a password may be, in bytes.
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
	salt := make([]byte, saltLen)
	rand.Read(salt)
	key := argon2.IDKey([]byte(password), salt, rounds, memory, lanes, keyLen)
	coded := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf(
		"$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, memory, rounds, lanes, coded(salt),
		coded(key),
	), nil
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
	_, err := parse(hash)
	return err
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
	h, _ := parse(hash) // checked above
	key := argon2.IDKey([]byte(password), h.salt, h.rounds, h.memory, h.lanes, uint32(len(h.key)))
	return subtle.ConstantTimeCompare(key, h.key) == 1
}

// hashed is an argon2id hash, taken apart.
type hashed struct {
	memory, rounds uint32
	lanes          uint8
	salt, key      []byte
}

// parse reads a hash in PHC form. Source: github.com/P-H-C/phc-string-format.
func parse(text string) (hashed, error) {
	var h hashed
	parts := strings.Split(text, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" ||
		parts[2] != "v="+strconv.Itoa(argon2.Version) {
		return h, errHash
	}
	var numbers [3]uint64
	costs := strings.Split(parts[3], ",")
	if len(costs) != len(numbers) {
		return h, errHash
	}
	for i, name := range []string{"m=", "t=", "p="} {
		digits, named := strings.CutPrefix(costs[i], name)
		n, err := strconv.ParseUint(digits, 10, 32)
		if !named || err != nil {
			return h, errHash
		}
		numbers[i] = n
	}
	if m, t, p := numbers[0], numbers[1], numbers[2]; m < leastMemory || m > mostMemory ||
		t < leastRounds || t > mostRounds || p < 1 || p > mostLanes {
		return h, fmt.Errorf(
			"is an argon2id hash that is too cheap or too dear (m from %d to %d, t to %d, p to "+
				"%d): make one with coinslot admin-password",
			leastMemory, mostMemory, mostRounds, mostLanes,
		)
	}
	h.memory, h.rounds, h.lanes = uint32(numbers[0]), uint32(numbers[1]), uint8(numbers[2])
	var bad [2]error
	h.salt, bad[0] = base64.RawStdEncoding.Strict().DecodeString(parts[4])
	h.key, bad[1] = base64.RawStdEncoding.Strict().DecodeString(parts[5])
	if errors.Join(bad[:]...) != nil || len(h.salt) < 8 || len(h.salt) > 64 || len(h.key) < 16 ||
		len(h.key) > 64 {
		return h, errHash
	}
	return h, nil
}
