package https

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"coinslot/bff/internal/background"

	"golang.org/x/crypto/acme"
)

// alpnChallenge is the protocol by which an ACME server checks a name at the port of HTTPS.
const alpnChallenge = acme.ALPNProto

// pauses are the waits after the first, second, … failure; the last one repeats. They stay below
// the five failed checks of a name in an hour that Let's Encrypt allows.
var pauses = []time.Duration{
	time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour,
}

// Bounds of one order, and of the pause that an ACME server may ask for.
const (
	orderWithin = 5 * time.Minute
	maxPause    = 12 * time.Hour
	maxRetries  = 5
)

// authority obtains certificates from an ACME server.
type authority struct {
	host      string
	directory string // URL
	account   crypto.Signer
	storage   storage
	state     *state
	log       *slog.Logger
	http      *http.Client
	pauses    []time.Duration
	// challenges are tried in turn, one an order: a failed check counts against a limit.
	challenges []string

	mu    sync.Mutex       // guards the fields below
	alpn  *tls.Certificate // answers a challenge; nil = none is open
	path  string           // of an open http-01 challenge; empty = none
	reply string           // the answer to it
}

// newAuthority reads the stored certificate, if there is one. Errors: the folder cannot be used.
func newAuthority(c Config, host string, s *state) (*authority, error) {
	a := &authority{
		host:       host,
		directory:  c.ACME,
		storage:    newStorage(c.Folder, c.ACME, host),
		http:       &http.Client{Timeout: 30 * time.Second},
		state:      s,
		log:        c.Log,
		pauses:     pauses,
		challenges: []string{"tls-alpn-01"},
	}
	if c.Redirect != "" {
		a.challenges = append(a.challenges, "http-01")
	}

	account, err := a.storage.accountKey()
	if err != nil {
		return nil, err
	}
	a.account = account

	certificate, err := a.storage.certificate()
	if err != nil {
		return nil, err
	}
	if certificate != nil {
		s.set(certificate)
	}
	return a, nil
}

// retryBackoff repeats a request that failed for a moment. A rate limit is left to run.
func retryBackoff(n int, _ *http.Request, answer *http.Response) time.Duration {
	if answer.StatusCode == http.StatusTooManyRequests || n > maxRetries {
		return -1
	}
	return time.Duration(n) * time.Second
}

// renewAt is when to renew a certificate: when a third of its lifetime is left; at once without
// one.
func renewAt(certificate *tls.Certificate) time.Time {
	if certificate == nil {
		return time.Time{}
	}
	return certificate.Leaf.NotAfter.Add(-lifetime(certificate) / 3)
}

// run obtains the certificate and renews it until ctx ends. A failure is logged and tried again.
func (a *authority) run(ctx context.Context) {
	failures := 0
	for ctx.Err() == nil {
		wait := time.Until(renewAt(a.state.certificate()))
		if wait > 0 {
			// at most an hour, since a clock may be set and a machine may sleep
			background.Sleep(ctx, min(wait, time.Hour))
			continue
		}

		err := a.renew(ctx, a.challenges[failures%len(a.challenges)])
		if err == nil {
			failures = 0
			continue
		}
		if ctx.Err() != nil {
			return
		}

		pause := a.pauseAfter(err, failures)
		failures++
		a.state.fail(err)
		a.report(ctx, err, pause)
		background.Sleep(ctx, pause)
	}
}

// pauseAfter is how long to wait after an error with some failures before it.
func (a *authority) pauseAfter(err error, failures int) time.Duration {
	pause := a.pauses[min(failures, len(a.pauses)-1)]
	limited, isLimited := errors.AsType[*acme.Error](err)
	if !isLimited {
		return pause
	}
	asked, _ := acme.RateLimit(limited)
	return max(pause, min(asked, maxPause))
}

// report logs a failure. It is an error once shoppers are, or soon will be, affected.
func (a *authority) report(ctx context.Context, err error, pause time.Duration) {
	certificate := a.state.certificate()
	retry := slog.Duration("retry_in", pause)
	switch {
	case certificate == nil:
		a.log.ErrorContext(ctx, "https does not answer: no certificate could be obtained",
			"host", a.host, "error", err, retry)
	case isNearEnd(certificate, time.Now()):
		a.log.ErrorContext(ctx, "the certificate expires soon: it could not be renewed",
			"host", a.host, "expires", certificate.Leaf.NotAfter, "error", err, retry)
	default:
		a.log.WarnContext(ctx, "the certificate could not be renewed yet",
			"host", a.host, "expires", certificate.Leaf.NotAfter, "error", err, retry)
	}
}

// renew obtains a new certificate, serves it and stores it. Errors: the ACME server's; it could not
// be reached; it could not reach this server.
func (a *authority) renew(ctx context.Context, challenge string) error {
	ctx, cancel := context.WithTimeout(ctx, orderWithin)
	defer cancel()
	a.log.InfoContext(ctx, "ordering a certificate", "host", a.host,
		"from", a.directory, "challenge", challenge)

	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	chain, err := a.order(ctx, key, challenge)
	if err != nil {
		return err
	}

	leaf, err := x509.ParseCertificate(chain[0])
	if err != nil {
		return fmt.Errorf("reading the new certificate: %w", err)
	}
	if err := leaf.VerifyHostname(a.host); err != nil {
		return fmt.Errorf("checking the new certificate: %w", err)
	}

	certificate := &tls.Certificate{Certificate: chain, PrivateKey: key, Leaf: leaf}
	a.state.set(certificate)
	if err := a.storage.store(certificate); err != nil {
		a.log.ErrorContext(ctx, "the new certificate is served but could not be stored: "+
			"a restart orders another", "error", err)
	}
	a.log.InfoContext(ctx, "certificate obtained", "host", a.host, "expires", leaf.NotAfter)
	return nil
}

// order proves to the ACME server that the name leads here, and returns the chain, the leaf first.
func (a *authority) order(
	ctx context.Context, key *ecdsa.PrivateKey, challenge string,
) ([][]byte, error) {
	client := &acme.Client{
		Key:          a.account,
		DirectoryURL: a.directory,
		UserAgent:    "coinslot",
		HTTPClient:   a.http,
		RetryBackoff: retryBackoff,
	}
	_, err := client.Register(ctx, &acme.Account{}, acme.AcceptTOS)
	if err != nil && !errors.Is(err, acme.ErrAccountAlreadyExists) {
		return nil, fmt.Errorf("registering with the ACME server: %w", err)
	}

	order, err := client.AuthorizeOrder(ctx, acme.DomainIDs(a.host))
	if err != nil {
		return nil, fmt.Errorf("ordering a certificate: %w", err)
	}
	for _, u := range order.AuthzURLs {
		if err := a.prove(ctx, client, u, challenge); err != nil {
			return nil, err
		}
	}
	order, err = client.WaitOrder(ctx, order.URI)
	if err != nil {
		return nil, fmt.Errorf("waiting for a certificate: %w", err)
	}

	request := &x509.CertificateRequest{DNSNames: []string{a.host}}
	csr, err := x509.CreateCertificateRequest(rand.Reader, request, key)
	if err != nil {
		return nil, err
	}
	chain, _, err := client.CreateCertFromOrder(ctx, order, csr, true)
	if err != nil {
		return nil, fmt.Errorf("fetching a certificate: %w", err)
	}
	return chain, nil
}

// prove answers one challenge of an authorization. It does nothing if the ACME server still knows
// an older proof.
func (a *authority) prove(
	ctx context.Context, client *acme.Client, authorizationURL, kind string,
) error {
	authorization, err := client.GetAuthorization(ctx, authorizationURL)
	if err != nil {
		return fmt.Errorf("reading a challenge: %w", err)
	}
	if authorization.Status == acme.StatusValid {
		return nil
	}

	challenge := pick(authorization.Challenges, kind)
	if challenge == nil {
		return fmt.Errorf("the ACME server does not offer %s", kind)
	}
	if err := a.open(client, challenge); err != nil {
		return err
	}
	defer a.closeChallenge()

	if _, err := client.Accept(ctx, challenge); err != nil {
		return fmt.Errorf("answering a challenge: %w", err)
	}
	if _, err := client.WaitAuthorization(ctx, authorizationURL); err != nil {
		return fmt.Errorf("the ACME server does not find this server at %s by %s: %w", a.host,
			kind, err)
	}
	return nil
}

// pick returns the challenge of a kind; nil = there is none.
func pick(challenges []*acme.Challenge, kind string) *acme.Challenge {
	for _, c := range challenges {
		if c.Type == kind {
			return c
		}
	}
	return nil
}

// open has the listeners answer a challenge.
func (a *authority) open(client *acme.Client, challenge *acme.Challenge) error {
	alpn, err := client.TLSALPN01ChallengeCert(challenge.Token, a.host)
	if err != nil {
		return fmt.Errorf("answering a challenge: %w", err)
	}
	reply, err := client.HTTP01ChallengeResponse(challenge.Token)
	if err != nil {
		return fmt.Errorf("answering a challenge: %w", err)
	}

	a.mu.Lock()
	defer a.mu.Unlock()
	if challenge.Type == "http-01" {
		a.path = client.HTTP01ChallengePath(challenge.Token)
		a.reply = reply
		return nil
	}
	a.alpn = &alpn
	return nil
}

func (a *authority) closeChallenge() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.alpn = nil
	a.path = ""
	a.reply = ""
}

func (a *authority) challenge(name string) *tls.Certificate {
	a.mu.Lock()
	defer a.mu.Unlock()
	if name != a.host {
		return nil
	}
	return a.alpn
}

func (a *authority) response(path string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if path != a.path {
		return ""
	}
	return a.reply
}
