package web

import (
	"cmp"
	"math"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"coinslot/app/wire"

	"github.com/go-chi/httprate"
)

// maxBody bounds every request body.
const maxBody = 64 << 10

// Limits are what one client may do, so that nobody takes the place of others. A
// client is an address, or the /64 of an IPv6 address; a shop behind one address
// may use up the share of a minute at once. Zero = the default. Files are not
// limited, and nor is who has the right key.
type Limits struct {
	Reads int // pages and data in a minute; 1,200
	Posts int // shoppers' posts in a minute; 1,200
	// Starts are those of them in a minute that open something at the gateway; 240:
	// on average four a second, of the seven that its budget has for all shoppers.
	Starts  int
	Guesses int // wrong keys, hook tokens and tracking codes at /return in a minute; 30
	Sockets int // open at a time; 200
	// Loopback says that Reads and Sockets are for addresses of this machine, too.
	// False = those are a proxy that nobody has named, or the operator: a limit for
	// all shoppers together would keep them from paying.
	Loopback bool
}

// filled is l with defaults for what is zero.
func (l Limits) filled() Limits {
	return Limits{
		Reads: cmp.Or(l.Reads, 1200), Posts: cmp.Or(l.Posts, 1200), Starts: cmp.Or(l.Starts, 240),
		Guesses: cmp.Or(l.Guesses, 30), Sockets: cmp.Or(l.Sockets, 200), Loopback: l.Loopback,
	}
}

// perMinute counts what clients do, each on its own.
func perMinute(limit int) *httprate.RateLimiter {
	return httprate.NewRateLimiter(limit, time.Minute, httprate.WithResponseHeaders(httprate.ResponseHeaders{})) // the answer says the rest
}

// limited returns what wraps requests of which one client may make so many in a
// minute; all that it wraps count together.
func (s *server) limited(limit int) func(http.Handler) http.Handler {
	counted := perMinute(limit)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !counted.OnLimit(w, r, bucket(s.client(r))) {
				next.ServeHTTP(w, r)
				return
			}
			s.hidden(r)
			if err := refuse(wire.CodeRateLimited, ""); wantsJSON(r) {
				s.problem(w, r, err)
			} else {
				s.errorPage(w, r, err)
			}
		})
	}
}

// reads returns what wraps all that is only looked at.
func (s *server) reads() func(http.Handler) http.Handler {
	limited := s.limited(s.Limits.Reads)
	return func(next http.Handler) http.Handler {
		counted := limited(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if s.own(r) {
				next.ServeHTTP(w, r)
				return
			}
			counted.ServeHTTP(w, r)
		})
	}
}

// places is how many sockets the client of r may have open.
func (s *server) places(r *http.Request) int {
	if s.own(r) {
		return math.MaxInt
	}
	return s.Limits.Sockets
}

// own reports whether r comes from this machine and may look as often as it
// likes.
func (s *server) own(r *http.Request) bool {
	addr, err := netip.ParseAddr(s.client(r))
	if err != nil || !addr.IsLoopback() || s.Limits.Loopback {
		return false
	}
	s.hidden(r)
	return true
}

// wrong counts a wrong key, token or tracking code. It returns err, or that the client
// has guessed too often.
func (s *server) wrong(w http.ResponseWriter, r *http.Request, err error) error {
	if s.guesses.OnLimit(w, r, bucket(s.client(r))) {
		s.hidden(r)
		return refuse(wire.CodeRateLimited, "")
	}
	return err
}

// againAfter is when a client that is refused for now should come back, in
// seconds. A fifth of its minute is over then, and pages that load themselves
// again so seldom, and not every refreshEvery, are less of what has led here.
const againAfter = "12"

// later tells a client that is refused for now when to come back, and reports
// whether it is refused for now.
func later(h http.Header, status int) bool {
	if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
		return false
	}
	h.Set("Retry-After", againAfter)
	return true
}

// hidden says once that a proxy seems to hide who the clients are: all of them
// count as one then.
func (s *server) hidden(r *http.Request) {
	if r.Header.Get("X-Forwarded-For") == "" || s.trusted(s.client(r)) {
		return
	}
	if addr, err := netip.ParseAddr(s.client(r)); err == nil && (addr.IsLoopback() || addr.IsPrivate()) {
		s.hints.Do(func() {
			s.Log.WarnContext(r.Context(), "an address forwards for others, who count as one client: name it in COINSLOT_TRUSTED_PROXIES if it is your proxy", "address", addr)
		})
	}
}

// crowd counts what each client has open at a time.
type crowd struct {
	mu   sync.Mutex
	open map[string]int // by bucket; absent = none
}

// enter takes one of most places of that client, until leave is called, once. It
// reports whether there was one.
func (c *crowd) enter(client string, most int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[client] >= most {
		return false
	}
	if c.open == nil {
		c.open = map[string]int{}
	}
	c.open[client]++
	return true
}

func (c *crowd) leave(client string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[client]--; c.open[client] == 0 {
		delete(c.open, client)
	}
}

// bucket is what an address is counted under: itself, or the /64
// of an IPv6 address, since whoever has one has all of them.
func bucket(host string) string {
	addr, err := netip.ParseAddr(host)
	if err != nil || addr.Unmap().Is4() {
		return host
	}
	network, err := addr.WithZone("").Prefix(64)
	if err != nil {
		return host
	}
	return network.String()
}

// client returns the address a request comes from: the connection's own, or,
// behind trusted proxies, the last one in X-Forwarded-For that is not theirs.
func (s *server) client(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	forwarded := strings.Join(r.Header.Values("X-Forwarded-For"), ",")
	hops := strings.Split(forwarded, ",")
	for i := len(hops) - 1; i >= 0 && s.trusted(host); i-- {
		addr, err := hop(strings.TrimSpace(hops[i]))
		if err != nil {
			s.muddled(host, forwarded)
			break
		}
		host = addr.Unmap().WithZone("").String() // a zone is any text at all
	}
	return host
}

// hop reads one address of X-Forwarded-For. Some proxies write the client's port
// behind it, as Azure's Application Gateway does.
func hop(text string) (netip.Addr, error) {
	addr, err := netip.ParseAddr(text)
	if err == nil {
		return addr, nil
	}
	withPort, err := netip.ParseAddrPort(text)
	return withPort.Addr(), err
}

// muddled says once that a trusted proxy writes what is no address: all of its
// clients count as one then. One that says nothing may ask for itself.
func (s *server) muddled(proxy, forwarded string) {
	if strings.TrimSpace(forwarded) == "" {
		return
	}
	s.unread.Do(func() {
		s.Log.Warn("a proxy of COINSLOT_TRUSTED_PROXIES sends an X-Forwarded-For that ends in no address: all its clients count as one", "proxy", proxy)
	})
}

func (s *server) trusted(host string) bool {
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
