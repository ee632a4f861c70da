//go:build linux

package torture

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"coinslot/torture/goal"
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
		gatewayKey: canary("gk") + "+/=&%<",
		secretKey:  canary("sk") + "+/=&~",
		orderKey:   canary("ok") + "+/=&~",
		hookToken:  canary("ht"), hookKey: []byte(canary("wk")),
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
	list := []string{
		middle[:16],
		middle[12:],
		strings.ToUpper(middle[:16]),
		backwards(middle),
		url.QueryEscape(middle),
	}
	list = append(list, hex.EncodeToString([]byte(middle[:12])),
		strings.ToUpper(hex.EncodeToString([]byte(middle[:12]))))
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
		"plain": func(s string) string { return s },
		"URL":   url.QueryEscape,
		"JSON":  func(s string) string { return fmt.Sprintf("%q", s) },
		"hex":   func(s string) string { return hex.EncodeToString([]byte(s)) },
		"base64": func(s string) string {
			return base64.StdEncoding.EncodeToString([]byte("user:" + s))
		},
		"base64 URL": func(s string) string {
			return base64.RawURLEncoding.EncodeToString([]byte(s))
		},
		"backwards":  backwards,
		"upper case": strings.ToUpper,
		"half":       func(s string) string { return s[:len(s)/2] },
	} {
		s := newSecrets()
		for _, secret := range []string{
			s.gatewayKey, s.secretKey, s.orderKey, s.hookToken, string(s.hookKey),
		} {
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

// TestTortureSecrets searches everything that a process under load says and writes for the secrets
// that it was given. The other tests of this package do the same with all that they see; this one
// also asks wrongly and ends the process so that it prints its stacks.
func TestTortureSecrets(t *testing.T) {
	began := time.Now()
	r := goal.Result{Goal: "canary secrets", Wanted: 20, Seed: goal.Seed(t)}
	var texts, bytes int64
	for want := goal.Rounds(1, 20); r.Rounds < want; r.Rounds++ {
		w := newWorld(t, r.Seed+uint64(r.Rounds), newSQLite(t), 1)
		w.killRepeatedly(3)
		w.startAndWait(0)
		w.sendInvalidRequests()
		w.dumpStacks()
		w.startAndWait(0)
		w.finalCheck()
		r.Violations += w.reportViolations()
		texts, bytes = texts+w.secrets.answers.Load(), bytes+w.secrets.searched.Load()
	}
	r.Took = time.Since(began)
	r.Figure = fmt.Sprintf(
		"%d answers, pages, log lines, messages, webhooks and files searched, %.1f MB",
		texts,
		float64(bytes)/1e6,
	)
	goal.Report(t, r)
}

// sendInvalidRequests makes requests that are refused.
func (w *world) sendInvalidRequests() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, ask := range []struct{ method, path, body string }{
		{"POST", "/v1/sessions", `{"amount_usd":1}`},
		{"POST", "/v1/sessions", `{"amount_usd":"x","metadata":{"k":"v"}}`},
		{"POST", "/v1/sessions", `{`},
		{"DELETE", "/v1/sessions", ""},
		{"GET", "/v1/sessions/cs_none", ""},
		{"POST", "/v1/sessions/cs_none/resolve", `{"as":"confirmed","reason":"x"}`},
		{"GET", "/v1/sessions?limit=x", ""},
		{"GET", "/checkout?order=eyJhbGciOiJIUzI1NiJ9.e30.AAAA", ""},
		{"POST", "/checkout", `{"order":"eyJhbGciOiJub25lIn0.e30."}`},
		{"POST", "/hooks/gateway/wrong-token-wrong-token", "{}"},
		{"GET", "/checkout/cs_none/live", ""},
	} {
		w.request(ctx, ask.method, ask.path, ask.body)
		_, _, err := w.call(ctx, w.hosts[0], ask.method, ask.path, ask.body,
			http.Header{"Authorization": {"Bearer wrong"}})
		if err != nil {
			w.t.Errorf("%s %s: %v", ask.method, ask.path, err)
		}
	}
}

// dumpStacks ends the process with what Go prints of all goroutines.
func (w *world) dumpStacks() {
	w.pauseShoppers()
	w.mu.Lock()
	p := w.running[0]
	w.mu.Unlock()
	if err := p.cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		w.t.Error(err)
	}
	select {
	case <-p.gone:
	case <-wait(time.Minute):
		w.t.Error("coinslot does not end at SIGQUIT")
	}
	w.kill()
}
