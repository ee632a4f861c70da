package password

import (
	"strings"
	"testing"

	"coinslot/bff/fortest"

	"github.com/alexedwards/argon2id"
)

// cheap is of "correct horse battery", as cheap as is taken.
const cheap = "$argon2id$v=19$m=7168,t=1,p=1$c2FsdC1vZi10aGUtdGVzdHM$EPZS0jqRTa5QmdHhlKt5AmXxNzShvNJ6QL1bF+W4E5w"

// Hashes of bcrypt, of the same and of 72 letters a.
const (
	crypted   = "$2a$10$.WHsnCGFv7KW3hxCztSfEOUNxndx.LIDtqzhpCUhiK7KIRNKqLuae"
	crypted72 = "$2a$10$xHRqCn2CWaTb13LBCNJjiua8tvFnYMc0/98m2KLV0aKTfJXqYKtay"
)

func TestMatches(t *testing.T) {
	long := strings.Repeat("a", mostBcrypt)
	for _, c := range []struct {
		hash, password string
		want           bool
	}{
		{cheap, "correct horse battery", true}, {cheap, "correct horse batterY", false}, {cheap, "", false}, {cheap, cheap, false},
		{crypted, "correct horse battery", true}, {crypted, "correct horse", false},
		{crypted72, long, true}, {crypted72, long + "b", false}, // bcrypt alone would not see the end
		{"correct horse battery", "correct horse battery", false}, {"", "", false},
	} {
		fortest.Equal(t, Matches(c.hash, c.password), c.want,
			"Matches(%.12s…, %.30q)", c.hash, c.password)
	}
}

// A new hash is taken, and never the same twice; bff TestAdminPassword holds that it
// is its password's.
func TestNew(t *testing.T) {
	first := fortest.Must(New("correct horse battery"))(t)
	second := fortest.Must(New("correct horse battery"))(t)
	if first == second || Check(first) != nil || !strings.HasPrefix(first, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("New = %s, then %s", first, second)
	}
	for _, bad := range []string{"", "short", strings.Repeat("a", MaxLength+1)} {
		if _, err := New(bad); err == nil || bad != "" && strings.Contains(err.Error(), bad) {
			t.Errorf("New(%.20q): %v", bad, err)
		}
	}
}

// FuzzCheck: only a whole hash of acceptable cost is valid, and no error shows the input.
func FuzzCheck(f *testing.F) {
	f.Fuzz(func(t *testing.T, hash string) {
		err := Check(hash)
		if err == nil && !strings.HasPrefix(hash, "$argon2id$v=19$m=") && !(strings.HasPrefix(hash, "$2") && len(hash) == 60) {
			t.Errorf("Check(%q) takes it", hash)
		}
		if err != nil && len(hash) > 12 && strings.Contains(err.Error(), hash) {
			t.Errorf("Check(%q) shows it: %v", hash, err)
		}
		if strings.HasPrefix(hash, "$2") || err != nil {
			return
		}
		p, salt, _, err := argon2id.DecodeHash(hash)
		if err != nil || p.Memory > mostMemory || p.Iterations > mostRounds || p.Parallelism > mostLanes || len(salt) < 8 {
			t.Errorf("Check(%q) takes %+v: %v", hash, p, err)
		}
	})
}
