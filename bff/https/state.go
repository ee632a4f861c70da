package https

import (
	"crypto/tls"
	"sync"
	"time"
)

// Health is how a certificate is.
type Health struct {
	Expires time.Time // zero = there is none yet
	// FailingSince is since when it could not be obtained, renewed or read; zero = all is well.
	FailingSince time.Time
	Failure      string // why; empty = all is well
}

// Warning says what an operator has to know; empty = nothing.
func (h Health) Warning() string {
	if h.FailingSince.IsZero() {
		return ""
	}
	since := h.FailingSince.UTC().Format(time.RFC3339)
	if h.Expires.IsZero() {
		return "no certificate could be obtained since " + since
	}
	return "the certificate could not be renewed since " + since + "; it expires at " +
		h.Expires.UTC().Format(time.RFC3339)
}

// state is the certificate that is served. Its zero value has none. It is safe for concurrent use.
type state struct {
	mu      sync.Mutex       // guards the fields below
	current *tls.Certificate // with its Leaf; nil = none
	since   time.Time
	failure string
}

func (s *state) certificate() *tls.Certificate {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// set replaces the certificate. All is well then.
func (s *state) set(certificate *tls.Certificate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = certificate
	s.since = time.Time{}
	s.failure = ""
}

// fail records that the certificate could not be replaced.
func (s *state) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since.IsZero() {
		s.since = time.Now()
	}
	s.failure = err.Error()
}

func (s *state) health() Health {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := Health{FailingSince: s.since, Failure: s.failure}
	if s.current != nil {
		h.Expires = s.current.Leaf.NotAfter
	}
	return h
}

// lifetime is how long a certificate is valid in all.
func lifetime(certificate *tls.Certificate) time.Duration {
	return certificate.Leaf.NotAfter.Sub(certificate.Leaf.NotBefore)
}

// isNearEnd reports whether less than a sixth of its lifetime is left. By then it should have been
// renewed for long.
func isNearEnd(certificate *tls.Certificate, now time.Time) bool {
	return certificate.Leaf.NotAfter.Sub(now) < lifetime(certificate)/6
}
