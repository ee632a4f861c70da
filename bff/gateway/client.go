// Package gateway is the client of the gateway's merchant REST API, all seven endpoints.
//
// Every answer is one of three: done (nil), refused (*[payment.RefusedError]: proven not
// done) or unknown (*[payment.UnknownError]: may have happened). Unknown is the default;
// outcome.go defines the other two. No request is ever repeated, neither here nor by the
// transport if it does something.
//
// It holds no state beyond idle connections and decides nothing about payments. Start from
// [New] and [Client.Status].
package gateway

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"coinslot/bff/checkout"
	"coinslot/bff/gatewaylist"
)

var (
	_ checkout.Gateway           = (*Client)(nil)
	_ gatewaylist.GatewayRecords = (*Client)(nil)
)

// Config says which gateway to call, as which merchant, and how.
type Config struct {
	// URL is the {base_url}: https, or http if the host is loopback ("localhost", 127.0.0.0/8,
	// ::1). A path prefix is kept; user info, query and fragment are refused.
	URL string
	// Key is the merchant's API key: printable ASCII without spaces, quotes or
	// backslashes. It is sent in the x-api-key header to URL's host and shown
	// nowhere, not even when a Config or a Client is printed.
	Key string `json:"-"`
	// Timeout bounds each call: waiting for a permit (at most half of it),
	// connecting, and reading the whole answer. Zero = 10 s.
	Timeout time.Duration
	// Limiter paces requests, for instance a [Limiter] that all callers of the
	// same key share. Nil = no limit.
	Limiter RateLimiter
	// Transport replaces our own in tests. Nil = our own: HTTP/1.1, no proxy, TLS 1.2 or later,
	// without keep-alive for create, cancel and recheck.
	Transport http.RoundTripper
	// Began is called when a call begins. Nil = not called.
	Began Began
	// Log gets one line per call. Nil = silent.
	Log *slog.Logger
	// Now is the clock, for durations and dates in Retry-After. Nil = time.Now.
	Now func() time.Time
}

// Began is called when a call of an endpoint ("create") begins. It returns the context to
// make it with and a function to call at its end: "done", "refused", "unknown", or "held" if
// the rate limiter let nothing out. status is the HTTP status, zero if none was read.
type Began func(
	ctx context.Context, endpoint string,
) (_ context.Context, ended func(outcome string, status int))

// String returns c without the key.
func (c Config) String() string { return "gateway config of " + safeURL(c.URL) }

// Format is String for all of fmt's verbs: %d and %#v would show the fields.
func (c Config) Format(w fmt.State, _ rune) { io.WriteString(w, c.String()) }

// LogValue is String, for slog.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

// Client calls the merchant API. It is safe for concurrent use.
type Client struct {
	base    string // without a slash at the end
	env     string
	timeout time.Duration
	limiter RateLimiter
	began   Began
	links   clients
	log     *slog.Logger
	now     func() time.Time

	// The key is kept in functions only: fmt's verbs print every plain field, unexported ones too.
	authorize func(http.Header)
	hide      func(string) string
}

// New returns a Client. It sends nothing. Its errors are about the
// configuration and never hold the key.
func New(c Config) (*Client, error) {
	base, err := parseBase(c.URL)
	if err != nil {
		return nil, fmt.Errorf("reading gateway URL: %w", err)
	}
	if err := checkKey(c.Key); err != nil {
		return nil, fmt.Errorf("reading gateway key: %w", err)
	}
	if c.Timeout < 0 {
		return nil, errors.New("reading gateway timeout: negative")
	}
	c.setDefaults()
	key := c.Key
	root := strings.TrimRight(base.String(), "/")
	hash := fmt.Sprintf("%x", sha256.Sum256([]byte(key)))
	return &Client{
		base:      root,
		env:       root + "#" + hash[:12],
		timeout:   c.Timeout,
		limiter:   c.Limiter,
		began:     c.Began,
		links:     newClients(c.Transport, base),
		log:       c.Log,
		now:       c.Now,
		authorize: func(h http.Header) { h.Set("X-Api-Key", key) },
		hide:      func(s string) string { return strings.ReplaceAll(s, key, "[key]") },
	}, nil
}

// Environment returns the base URL, "#", and the first twelve hex digits of
// the key's SHA-256: the same merchant at the same gateway, or not.
func (c *Client) Environment() string { return c.env }

// String is Environment.
func (c *Client) String() string { return c.env }

// GoString is Environment, for %#v.
func (c *Client) GoString() string { return c.env }

// Close closes idle connections. Calls under way continue, and the Client stays usable.
func (c *Client) Close() {
	c.links.reads.CloseIdleConnections()
	c.links.effects.CloseIdleConnections()
}

// parseBase reads a base URL and holds it to Config.URL's rules. Its errors do
// not quote it: someone may have put a secret into it.
func parseBase(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil {
		return nil, errors.New("not a URL")
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	switch {
	case u.Hostname() == "":
		return nil, errors.New("no host")
	case u.User != nil:
		return nil, errors.New("user info is not accepted")
	case strings.ContainsAny(s, "?#"):
		return nil, errors.New("query and fragment are not accepted")
	case u.Scheme == "https", u.Scheme == "http" && loopbackHost(u.Hostname()):
		return u, nil
	}
	return nil, errors.New("scheme must be https (http for loopback hosts only)")
}

func loopbackHost(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// checkKey refuses what cannot be sent in a header, or could not be found
// again in a quoted text to be hidden there.
func checkKey(key string) error {
	if key == "" || len(key) > 512 {
		return errors.New("must have 1 to 512 characters")
	}
	for _, r := range key {
		if r <= ' ' || r > '~' || strings.ContainsRune("\"'`\\", r) {
			return errors.New("contains a character that is not allowed in an API key")
		}
	}
	return nil
}

// safeURL is s as far as it can be shown: scheme and host.
func safeURL(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return "an unreadable URL"
	}
	return u.Scheme + "://" + u.Host
}

func (c *Config) setDefaults() {
	c.Timeout = cmp.Or(c.Timeout, 10*time.Second)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Limiter == nil {
		c.Limiter = unlimited{}
	}
	if c.Began == nil {
		c.Began = func(ctx context.Context, _ string) (context.Context, func(string, int)) {
			return ctx, func(string, int) {}
		}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
}
