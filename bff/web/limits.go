package web

import (
	"cmp"
	"context"
	"math"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/limiter"

	"github.com/go-chi/httprate"
)

// maxBody bounds every request body.
const maxBody = 64 << 10

// Limits are what one client may do, so that nobody takes the place of others. A
// Client is an address, or the /64 of an IPv6 address; a shop behind one address
// may use up the share of a minute at once. All clients of a network may do four times
// as much together, and twice as many Calls. Zero = the default. Files are not limited,
// and nor is who has the right key.
type Limits struct {
	Reads int // pages and data in a minute; 1,200
	Posts int // shoppers' posts in a minute; 1,200
	// Calls are the requests to the gateway in a minute that those posts make, and one
	// at least for each post that may make some; 360. Fifty shoppers who choose a coin
	// (1), change it (4) and ask for a check (1) make 300. A third as many posts may ask
	// for checks and cancel, so that they leave room for payments to be opened.
	Calls   int
	Guesses int // wrong keys, hook tokens and tracking codes at /return in a minute; 30
	Sockets int // open at a time; 200
	Unpaid  int // sessions of items that are open and not paid, at a time; 200; see package shop
	// Loopback says that Reads, Sockets and Unpaid are for addresses of this machine, too.
	// False = those are a proxy that nobody has named, or the operator: a limit for
	// all shoppers together would keep them from paying.
	Loopback bool
}

// withDefaults is l with defaults for what is zero.
func (l Limits) withDefaults() Limits {
	return Limits{
		Reads: cmp.Or(l.Reads, 1200), Posts: cmp.Or(l.Posts, 1200), Calls: cmp.Or(l.Calls, 360),
		Guesses: cmp.Or(l.Guesses, 30), Sockets: cmp.Or(l.Sockets, 200),
		Unpaid: cmp.Or(l.Unpaid, 200), Loopback: l.Loopback,
	}
}

// How many times as much as one client its whole network may do: carriers and campuses
// have many clients, and one attacker may have all addresses of a /48. Twice as many
// requests to the gateway are all that it takes at its default rate.
const (
	NetworkFactor     = 4
	networkCallFactor = 2
)

// counter counts what is done in a minute, by client and by network.
type counter struct{ client, network *httprate.RateLimiter }

func newCounter(limit, wider int) counter {
	silent := httprate.WithResponseHeaders(httprate.ResponseHeaders{}) // the answer says the rest
	return counter{
		client:  httprate.NewRateLimiter(limit, time.Minute, silent),
		network: httprate.NewRateLimiter(wider*limit, time.Minute, silent),
	}
}

// exceeded counts one more for the address, and reports whether it is too many.
func (c counter) exceeded(w http.ResponseWriter, r *http.Request, addr string) bool {
	return c.client.OnLimit(w, r, clientKey(addr)) || c.network.OnLimit(w, r, networkKey(addr))
}

// add counts one more for the address, even if it is too many.
func (c counter) add(addr string) {
	r := new(http.Request)
	r = r.WithContext(httprate.WithRequestLimit(context.Background(), math.MaxInt))
	c.exceeded(nil, r, addr) // without headers it writes nothing
}

// limitRequests returns what wraps requests of which one client may make so many in a
// minute; all that it wraps count together.
func (s *Server) limitRequests(limit, wider int) func(http.Handler) http.Handler {
	counted := newCounter(limit, wider)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if counted.exceeded(w, r, s.Client(r)) {
				s.refuseTooMany(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// chargeCalls returns what wraps posts that make requests to the gateway: for whom they are
// made is known there, and each counts. A post counts before it makes its first one, so
// that many at once do not slip through.
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
			next.ServeHTTP(w, r.WithContext(limiter.WithClient(r.Context(), limiter.Client{
				Network: networkKey(addr), Address: clientKey(addr),
				OnSend: func() {
					if first.Swap(true) {
						calls.add(addr)
					}
				},
			})))
		})
	}
}

// maxNudges is how many checks a client may make due sooner in a minute by opening
// pages: the poller makes them, and nobody is charged. A page with a socket needs none.
const maxNudges = 30

// AllowNudge reports whether the client of r may make one more check due sooner.
func (s *Server) AllowNudge(r *http.Request) bool {
	return s.IsLocal(r) || !s.nudges.exceeded(nil, r, s.Client(r))
}

// refuseTooMany answers a client that has reached a limit.
func (s *Server) refuseTooMany(w http.ResponseWriter, r *http.Request) {
	s.WarnHiddenClients(r)
	s.writeError(w, r, Refuse(wire.CodeRateLimited, ""))
}

// limiters returns what wraps the handlers of each limit. All that one of them wraps counts
// together, and posts with few calls among all of them.
func (s *Server) limiters() map[Limit]func(http.Handler) http.Handler {
	posts, calls := s.limitRequests(s.Limits.Posts, NetworkFactor), s.chargeCalls()
	few := s.limitRequests(s.Limits.Calls/3, networkCallFactor)
	return map[Limit]func(http.Handler) http.Handler{
		Unlimited:     func(h http.Handler) http.Handler { return h },
		LimitReads:    s.limitReads(),
		LimitPosts:    posts,
		LimitCalls:    func(h http.Handler) http.Handler { return posts(calls(h)) },
		LimitFewCalls: func(h http.Handler) http.Handler { return posts(few(calls(h))) },
	}
}

// limitReads returns what wraps all that is only looked at.
func (s *Server) limitReads() func(http.Handler) http.Handler {
	limited := s.limitRequests(s.Limits.Reads, NetworkFactor)
	return func(next http.Handler) http.Handler {
		counted := limited(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if s.IsLocal(r) {
				next.ServeHTTP(w, r)
				return
			}
			counted.ServeHTTP(w, r)
		})
	}
}

// EnterSocket counts one more open socket of the client of r, until LeaveSocket is called for
// that client, once. It reports whether the client has not too many.
func (s *Server) EnterSocket(r *http.Request) (client string, ok bool) {
	client, most := s.Client(r), s.Limits.Sockets
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

// IsLocal reports whether r comes from this machine and may look as often as it
// likes.
func (s *Server) IsLocal(r *http.Request) bool {
	addr, err := netip.ParseAddr(s.Client(r))
	if err != nil || !addr.IsLoopback() || s.Limits.Loopback {
		return false
	}
	s.WarnHiddenClients(r)
	return true
}

// CountGuess counts a wrong key, token or tracking code. It returns err, or that the client
// has guessed too often.
func (s *Server) CountGuess(w http.ResponseWriter, r *http.Request, err error) error {
	if s.guesses.exceeded(w, r, s.Client(r)) {
		s.WarnHiddenClients(r)
		return Refuse(wire.CodeRateLimited, "")
	}
	return err
}

// retryAfter is when a client that is refused for now should come back, in
// seconds. A fifth of its minute is over then, and pages that load themselves
// again so seldom, and not every refreshEvery, are less of what has led here.
const retryAfter = "12"

// setRetryAfter tells a client that is refused for now when to come back, and reports
// whether it is refused for now.
func setRetryAfter(h http.Header, status int) bool {
	if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
		return false
	}
	h.Set("Retry-After", retryAfter)
	return true
}

// WarnHiddenClients says once that a proxy seems to hide who the clients are: all of them
// count as one then.
func (s *Server) WarnHiddenClients(r *http.Request) {
	if r.Header.Get("X-Forwarded-For") == "" || s.IsTrustedProxy(s.Client(r)) {
		return
	}
	if addr, err := netip.ParseAddr(s.Client(r)); err == nil &&
		(addr.IsLoopback() || addr.IsPrivate()) {
		s.warnedHidden.Do(func() {
			s.Log.WarnContext(r.Context(),
				"an address forwards for others, who count as one client: name it in "+
					"COINSLOT_TRUSTED_PROXIES if it is your proxy",
				"address", addr)
		})
	}
}

// openCounter counts what each client and each network has open at a time.
type openCounter struct {
	mu   sync.Mutex
	open map[string]int // by bucket and by network; absent = none
}

// add takes one of most places of the client at an address, until leave is called,
// once. It reports whether there was one.
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
		if c.open[key]--; c.open[key] == 0 {
			delete(c.open, key)
		}
	}
}

// clientKey is what an address is counted under: itself, or the /64
// of an IPv6 address, since whoever has one has all of them.
func clientKey(host string) string {
	addr, err := netip.ParseAddr(host)
	if err != nil || addr.Unmap().Is4() {
		return host
	}
	return prefix(addr, 64)
}

// networkKey is the widest network of an address that one customer of a provider may have,
// the /48 of an IPv6 address, or the /24 of an IPv4 address.
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

// Client returns the address a request comes from: the connection's own, or,
// behind trusted proxies, the last one in X-Forwarded-For that is not theirs.
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

// parseHop reads one address of X-Forwarded-For. Some proxies write the client's port
// behind it, as Azure's Application Gateway does.
func parseHop(text string) (netip.Addr, error) {
	addr, err := netip.ParseAddr(text)
	if err == nil {
		return addr, nil
	}
	withPort, err := netip.ParseAddrPort(text)
	return withPort.Addr(), err
}

// warnUnreadable says once that a trusted proxy writes what is no address: all of its
// clients count as one then. One that says nothing may ask for itself.
func (s *Server) warnUnreadable(proxy, forwarded string) {
	if strings.TrimSpace(forwarded) == "" {
		return
	}
	s.warnedUnreadable.Do(func() {
		s.Log.Warn("a proxy of COINSLOT_TRUSTED_PROXIES sends an X-Forwarded-For that ends in no "+
			"address: all its clients count as one",
			"proxy", proxy)
	})
}

// IsTrustedProxy reports whether a host is one of TrustedProxies.
func (s *Server) IsTrustedProxy(host string) bool {
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	for _, p := range s.TrustedProxies {
		if p.Contains(addr.Unmap()) {
			return true
		}
	}
	return false
}
