//go:build linux

package torture

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// secrets are what a process is given and must never tell. Each is a canary:
// random, and made so that its spellings can be searched for.
type secrets struct {
	gatewayKey, secretKey, orderKey, hookToken string
	hookKey                                    []byte // of webhook signatures, raw

	needles [][]byte // every spelling of every secret
	names   []string // of the secret, by needle

	searched atomic.Int64 // bytes
	answers  atomic.Int64 // pieces of text
	mu       sync.Mutex   // guards the fields below
	hits     []string
}

func newSecrets() *secrets {
	s := &secrets{
		gatewayKey: canary("gk") + "+/=&%<", secretKey: canary("sk") + "+/=&~", orderKey: canary("ok") + "+/=&~",
		hookToken: canary("ht"), hookKey: []byte(canary("wk")),
	}
	for name, secret := range map[string]string{
		"gateway key": s.gatewayKey, "secret key": s.secretKey, "order key": s.orderKey,
		"hook token": s.hookToken, "webhook key": string(s.hookKey),
	} {
		for _, spelling := range spellings(secret) {
			s.needles, s.names = append(s.needles, []byte(spelling)), append(s.names, name)
		}
	}
	return s
}

// canary returns 38 characters that occur nowhere else.
func canary(prefix string) string {
	return "canary" + prefix + strings.ToLower(rand.Text()) + "0000"
}

// spellings returns how a secret may have been written down: as it is, with its
// letters in upper case, backwards, in hexadecimal, and in base64 at each of
// the three positions that it can have in what was encoded. Two halves of it
// count as it does. Coding for URLs, JSON and HTML leaves the halves readable.
func spellings(secret string) []string {
	middle := secret[2:30]
	list := []string{middle[:16], middle[12:], strings.ToUpper(middle[:16]), backwards(middle), url.QueryEscape(middle)}
	list = append(list, hex.EncodeToString([]byte(middle[:12])), strings.ToUpper(hex.EncodeToString([]byte(middle[:12]))))
	for shift := range 3 {
		encoded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + middle))
		list = append(list, encoded[4:len(encoded)-8]) // without what depends on the neighbours
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func backwards(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

// search looks for secrets in text, which was met at a place.
func (s *secrets) search(place string, text []byte) {
	s.searched.Add(int64(len(text)))
	s.answers.Add(1)
	for i, needle := range s.needles {
		if at := bytes.Index(text, needle); at >= 0 {
			s.hit(fmt.Sprintf("the %s is in %s, at byte %d", s.names[i], place, at))
		}
	}
}

func (s *secrets) hit(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hits = append(s.hits, what)
}

// found returns what search has found.
func (s *secrets) found() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.hits)
}

// A search that finds nothing must be one that could.
func TestSearchFindsSecrets(t *testing.T) {
	for what, spell := range map[string]func(string) string{
		"plain":      func(s string) string { return s },
		"URL":        url.QueryEscape,
		"JSON":       func(s string) string { return fmt.Sprintf("%q", s) },
		"hex":        func(s string) string { return hex.EncodeToString([]byte(s)) },
		"base64":     func(s string) string { return base64.StdEncoding.EncodeToString([]byte("user:" + s)) },
		"base64 URL": func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
		"backwards":  backwards,
		"upper case": strings.ToUpper,
		"half":       func(s string) string { return s[:len(s)/2] },
	} {
		s := newSecrets()
		for _, secret := range []string{s.gatewayKey, s.secretKey, s.orderKey, s.hookToken, string(s.hookKey)} {
			before := len(s.found())
			s.search("a test", []byte("before "+spell(secret)+" after"))
			if len(s.found()) == before {
				t.Errorf("%s: %q was not found as %q", what, secret, spell(secret))
			}
		}
		if s.search("a test", []byte("nothing to see")); len(s.found()) == 0 {
			t.Errorf("%s: nothing was found", what)
		}
	}
}
