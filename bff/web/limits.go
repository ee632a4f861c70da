package web

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/gateway"
	"coinslot/bff/payment"
	"coinslot/bff/rates"

	"github.com/go-chi/httprate"
)

// maxBody bounds every request body.
const maxBody = 64 << 10

// Limits are what one client may do. A client is an address, or the /64 of an IPv6 address; it may
// use up its minute at once. All clients of a network may together do four times as much, and twice
// as many Calls. Zero = the default. Files, and requests with a valid key, are not limited.
type Limits struct {
	Reads int // pages and data in a minute; 1,200
	Posts int // shoppers' posts in a minute; 1,200
	// Calls are the gateway requests that those posts make in a minute, and at least one for each
	// post that may make some; 360. Fifty shoppers who choose a coin (1), change it (4) and
	// request a check (1) make 300. Checks and cancellations may use a third, so that payments
	// can still be opened.
	Calls   int
	Guesses int // wrong keys, hook tokens and tracking codes at /return in a minute; 30
	Sockets int // open at a time; 200
	Unpaid  int // unpaid attempts of items, opened in an hour; 200; see package shop
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Reads:   cmp.Or(l.Reads, 1200),
		Posts:   cmp.Or(l.Posts, 1200),
		Calls:   cmp.Or(l.Calls, 360),
		Guesses: cmp.Or(l.Guesses, 30),
		Sockets: cmp.Or(l.Sockets, 200),
		Unpaid:  cmp.Or(l.Unpaid, 200),
	}
}

// A network may do so many times as much as one client: carriers and campuses have many clients,
// and an attacker may have all addresses of a /48. Twice the gateway requests are what the
// gateway accepts at the default rate.
const (
	NetworkFactor     = 4
	networkCallFactor = 2
)

// counter counts events in a minute, by client and by network.
type counter struct{ client, network *httprate.RateLimiter }

func newCounter(limit, wider int) counter {
	silent := httprate.WithResponseHeaders(httprate.ResponseHeaders{}) // the answer says the rest
	return counter{
		client:  httprate.NewRateLimiter(limit, time.Minute, silent),
		network: httprate.NewRateLimiter(wider*limit, time.Minute, silent),
	}
}

// exceeded counts one more for the address, and reports whether that is too many.
func (c counter) exceeded(w http.ResponseWriter, r *http.Request, addr string) bool {
	return c.client.OnLimit(w, r, clientKey(addr)) || c.network.OnLimit(w, r, networkKey(addr))
}

// add counts one more for the address, also beyond the limit.
func (c counter) add(addr string) {
	r := new(http.Request)
	r = r.WithContext(httprate.WithRequestLimit(context.Background(), math.MaxInt))
	c.exceeded(nil, r, addr) // without headers it writes nothing
}

// limitRequests returns middleware that lets one client make so many requests in a minute; all
// wrapped handlers count together. Requests that are free do not count; nil = none is.
func (s *Server) limitRequests(
	limit, wider int, free func(*http.Request) bool,
) func(http.Handler) http.Handler {
	counted := newCounter(limit, wider)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if (free == nil || !free(r)) && counted.exceeded(w, r, s.Client(r)) {
				s.refuseTooMany(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// chargeCalls returns middleware that counts the gateway requests of posts and tells the limiter
// who they are for. A post counts before its first request, so that concurrent ones do not slip
// through.
func (s *Server) chargeCalls() func(http.Handler) http.Handler {
	calls := newCounter(s.Limits.Calls, networkCallFactor)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			addr := s.Client(r)
			if calls.exceeded(w, r, addr) {
				s.refuseTooMany(w, r)
				return
			}

			var first atomic.Bool
			next.ServeHTTP(w, r.WithContext(gateway.WithCaller(r.Context(), gateway.Caller{
				Network: networkKey(addr),
				OnSend: func() {
					if first.Swap(true) {
						calls.add(addr)
					}
				},
			})))
		})
	}
}

// maxNudges is how many checks a client may schedule in a minute by opening pages. The poller
// makes them, uncharged. A page with a socket needs none.
const maxNudges = 30

// AllowNudge reports whether the client of r may schedule one more check.
func (s *Server) AllowNudge(r *http.Request) bool {
	return s.IsLocal(r) || !s.nudges.exceeded(nil, r, s.Client(r))
}

func (s *Server) refuseTooMany(w http.ResponseWriter, r *http.Request) {
	s.WarnHiddenClients(r)
	s.writeError(w, r, Refuse(wire.CodeRateLimited, ""))
}

// limiters returns the middleware of each limit. What one of them wraps counts together.
func (s *Server) limiters() map[Limit]func(http.Handler) http.Handler {
	posts := s.limitRequests(s.Limits.Posts, NetworkFactor, nil)
	calls := s.chargeCalls()
	few := s.limitRequests(s.Limits.Calls/3, networkCallFactor, nil)
	return map[Limit]func(http.Handler) http.Handler{
		Unlimited:     func(h http.Handler) http.Handler { return h },
		LimitReads:    s.limitRequests(s.Limits.Reads, NetworkFactor, s.IsLocal),
		LimitPosts:    posts,
		LimitCalls:    func(h http.Handler) http.Handler { return posts(calls(h)) },
		LimitFewCalls: func(h http.Handler) http.Handler { return posts(few(calls(h))) },
	}
}

// EnterSocket counts one more open socket of the client of r until LeaveSocket(client). ok is
// false if the client has too many.
func (s *Server) EnterSocket(r *http.Request) (client string, ok bool) {
	client = s.Client(r)
	most := s.Limits.Sockets
	if s.IsLocal(r) {
		most = math.MaxInt
	}
	if !s.sockets.add(client, most) {
		s.WarnHiddenClients(r)
		return "", false
	}
	return client, true
}

// LeaveSocket counts one socket of a client less.
func (s *Server) LeaveSocket(client string) { s.sockets.remove(client) }

// IsLocal reports whether r comes from this machine, which Reads, Sockets and Unpaid do not limit: it
// is the operator or an unnamed proxy, and one limit for all shoppers would keep them from paying.
func (s *Server) IsLocal(r *http.Request) bool {
	addr, err := netip.ParseAddr(s.Client(r))
	if err != nil || !addr.IsLoopback() {
		return false
	}
	s.WarnHiddenClients(r)
	return true
}

// CountGuess counts a wrong key, token or tracking code. It returns err, or CodeRateLimited if
// the client has guessed too often.
func (s *Server) CountGuess(w http.ResponseWriter, r *http.Request, err error) error {
	if s.guesses.exceeded(w, r, s.Client(r)) {
		s.WarnHiddenClients(r)
		return Refuse(wire.CodeRateLimited, "")
	}
	return err
}

// setRetryAfter tells a client that is refused temporarily to wait for 12 seconds, a fifth of its
// minute: longer than pages wait otherwise before they reload. If the gateway asks for more, or
// exchange rates are read later, the client has to wait that long.
func setRetryAfter(h http.Header, status int, err error) {
	if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
		return
	}
	wait := 12 * time.Second
	if refused, ok := errors.AsType[*payment.RefusedError](err); ok {
		wait = max(wait, refused.RetryAfter)
	}
	if unavailable, ok := errors.AsType[*rates.UnavailableError](err); ok {
		wait = max(wait, unavailable.RetryAfter)
	}
	h.Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
}

// WarnHiddenClients logs once that an untrusted proxy seems to forward r: all its clients then
// share one limit.
func (s *Server) WarnHiddenClients(r *http.Request) {
	if r.Header.Get("X-Forwarded-For") == "" || s.IsTrustedProxy(s.Client(r)) {
		return
	}
	addr, err := netip.ParseAddr(s.Client(r))
	if err == nil && (addr.IsLoopback() || addr.IsPrivate()) {
		s.warnedHidden.Do(func() {
			s.Log.WarnContext(r.Context(),
				"untrusted proxy: its clients share one rate limit; if it is yours, add it to "+
					"COINSLOT_TRUSTED_PROXIES", "address", addr)
		})
	}
}

// openCounter counts what each client and each network has open.
type openCounter struct {
	mu   sync.Mutex     // guards open
	open map[string]int // by clientKey and by networkKey
}

// add counts one more for the address until remove; it reports whether the limit allows it.
func (c *openCounter) add(addr string, most int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[clientKey(addr)] >= most || c.open[networkKey(addr)]/NetworkFactor >= most {
		return false
	}
	if c.open == nil {
		c.open = map[string]int{}
	}
	c.open[clientKey(addr)]++
	c.open[networkKey(addr)]++
	return true
}

func (c *openCounter) remove(addr string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range []string{clientKey(addr), networkKey(addr)} {
		c.open[key]--
		if c.open[key] == 0 {
			delete(c.open, key)
		}
	}
}

// clientKey is the address, or the /64 of an IPv6 address: a client usually has all of it.
func clientKey(host string) string {
	addr, err := netip.ParseAddr(host)
	if err != nil || addr.Unmap().Is4() {
		return host
	}
	return prefix(addr, 64)
}

// networkKey is the largest network that one customer of a provider usually has: the /48 of an
// IPv6 address, the /24 of an IPv4 address.
func networkKey(host string) string {
	addr, err := netip.ParseAddr(host)
	switch {
	case err != nil:
		return "no address"
	case addr.Unmap().Is4():
		return prefix(addr.Unmap(), 24)
	}
	return prefix(addr, 48)
}

// ClientKeys returns the keys that the client at an address is counted by: its own, and that of
// its network, which may do NetworkFactor times as much.
func ClientKeys(addr string) (client, all string) { return clientKey(addr), networkKey(addr) }

func prefix(addr netip.Addr, bits int) string {
	return netip.PrefixFrom(addr.WithZone(""), bits).Masked().String()
}

// FromProxy reports whether the peer is a trusted proxy.
func (s *Server) FromProxy(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	return err == nil && s.IsTrustedProxy(host)
}

// Client returns the address that a request comes from: the peer's, or, behind trusted proxies,
// the last one in X-Forwarded-For that is not theirs.
func (s *Server) Client(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}

	forwarded := strings.Join(r.Header.Values("X-Forwarded-For"), ",")
	hops := strings.Split(forwarded, ",")
	for i := len(hops) - 1; i >= 0 && s.IsTrustedProxy(host); i-- {
		addr, err := parseHop(strings.TrimSpace(hops[i]))
		if err != nil {
			s.warnUnreadable(host, forwarded)
			break
		}
		host = addr.Unmap().WithZone("").String() // a zone is any text at all
	}

	return host
}

// parseHop reads one address of X-Forwarded-For. Some proxies, like Azure's Application Gateway,
// append the client's port.
func parseHop(text string) (netip.Addr, error) {
	addr, err := netip.ParseAddr(text)
	if err == nil {
		return addr, nil
	}
	withPort, err := netip.ParseAddrPort(text)
	return withPort.Addr(), err
}

// warnUnreadable logs once that a trusted proxy sends no valid address: all its clients then
// share one limit. An empty header may be a request of its own.
func (s *Server) warnUnreadable(proxy, forwarded string) {
	if strings.TrimSpace(forwarded) == "" {
		return
	}
	s.warnedUnreadable.Do(func() {
		s.Log.Warn("trusted proxy sent an X-Forwarded-For that does not end in an address: all "+
			"its clients share one rate limit", "proxy", proxy)
	})
}

// IsTrustedProxy reports whether host is one of TrustedProxies.
func (s *Server) IsTrustedProxy(host string) bool {
	addr, err := netip.ParseAddr(host)
	contains := func(p netip.Prefix) bool { return p.Contains(addr.Unmap()) }
	return err == nil && slices.ContainsFunc(s.TrustedProxies, contains)
}
