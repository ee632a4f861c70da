package web

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/checkout"

	"github.com/go-chi/httprate"
)

// maxBody bounds every request body.
const maxBody = 64 << 10

// How many posts one client may make in a minute to the shopper's endpoints,
// which need no key. Those that open something at the gateway are fewer: on
// average four a second, of the seven that its budget has for all shoppers. A
// shop behind one address may use up the minute's share at once.
const (
	shopperPosts  = 1200
	shopperStarts = 240
)

type requestKey struct{}

// requestID returns the id of the request that ctx belongs to.
func requestID(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}

// outermost gives every request an id, a bounded body and the headers that all
// answers carry, and turns a panic into an answer.
func (s *server) outermost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := "req_" + strings.ToLower(rand.Text()[:16])
		r = r.WithContext(context.WithValue(r.Context(), requestKey{}, id))
		h := w.Header()
		h.Set("X-Request-Id", id)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cache-Control", "no-store") // assets say otherwise
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
		h.Set("Cross-Origin-Opener-Policy", "same-origin-allow-popups")
		if strings.HasPrefix(s.PublicURL, "https:") {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		defer s.recovered(w, r)
		next.ServeHTTP(w, r)
	})
}

func (s *server) recovered(w http.ResponseWriter, r *http.Request) {
	cause := recover()
	if cause == nil {
		return
	}
	if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(cause)
	}
	s.Log.Error("a handler panicked", "path", s.logged(r), "panic", fmt.Sprint(cause), "stack", string(debug.Stack()))
	s.problem(w, r, errPanic)
}

var errPanic = errors.New("handling a request: panic")

// logged is the path of r as the log may hold it: the hook's token is part of
// one, and somebody may put a key there by mistake.
func (s *server) logged(r *http.Request) string {
	path := r.URL.Path
	for _, secret := range []string{s.HookToken, s.SecretKey, s.OrderKey} {
		if secret != "" {
			path = strings.ReplaceAll(path, secret, "…")
		}
	}
	return path
}

// once returns the value of a header that decides something, "" if it is absent.
// One that is given twice is refused with code: somebody on the way may have read
// the other one.
func once(r *http.Request, name string, code wire.Code) (string, error) {
	if len(r.Header.Values(name)) > 1 {
		return "", refuse(code, name)
	}
	return r.Header.Get(name), nil
}

// sameOrigin refuses posts that a page of another origin has made. A request
// without the headers that browsers add is no browser's and is let through: what
// it needs is the session's id.
func (s *server) sameOrigin(r *http.Request) error {
	site, err := once(r, "Sec-Fetch-Site", wire.CodeForbidden)
	if err != nil {
		return err
	}
	origin, err := once(r, "Origin", wire.CodeForbidden)
	if err != nil {
		return err
	}
	if site == "same-origin" && origin == "null" {
		return nil // a browser that hides where it comes from; the site is the browser's own word
	}
	if site != "" && site != "same-origin" || origin != "" && !checkout.SameName(origin, s.PublicURL) {
		return refuse(wire.CodeForbidden, "")
	}
	return nil
}

// authorized wraps the merchant's handlers: a bearer key, compared in constant
// time. An unset key opens nothing.
func (s *server) authorized(h handler) handler {
	want := sha256.Sum256([]byte(s.SecretKey))
	return func(w http.ResponseWriter, r *http.Request) error {
		value, err := once(r, "Authorization", wire.CodeUnauthorized)
		if err != nil {
			return err
		}
		scheme, key, _ := strings.Cut(value, " ")
		got := sha256.Sum256([]byte(strings.TrimSpace(key)))
		if s.SecretKey == "" || !checkout.SameName(scheme, "Bearer") || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			return refuse(wire.CodeUnauthorized, "Authorization")
		}
		return h(w, r)
	}
}

// limited returns what wraps posts of which one client may make so many in a
// minute; all that it wraps count together.
func (s *server) limited(posts int) func(http.Handler) http.Handler {
	return httprate.LimitBy(posts, time.Minute, func(r *http.Request) (string, error) { return bucket(s.client(r)), nil },
		httprate.WithLimitHandler(func(w http.ResponseWriter, r *http.Request) {
			err := refuse(wire.CodeRateLimited, "")
			if wantsJSON(r) {
				s.problem(w, r, err)
				return
			}
			s.errorPage(w, r, err)
		}))
}

// bucket is what the posts of an address are counted under: itself, or the /64
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
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && s.trusted(host); i-- {
		addr, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		host = addr.Unmap().WithZone("").String() // a zone is any text at all
	}
	return host
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

// silent is the logger of a server that was given none.
func silent() *slog.Logger { return slog.New(slog.DiscardHandler) }
