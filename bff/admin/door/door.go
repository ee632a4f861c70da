// Package door decides who may come in to the operator's console: by a password,
// of which only a hash is known, or by the word of a proxy that is trusted. It
// keeps logins, binds forms to them, and bounds how often somebody may try.
package door

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/httprate"

	"coinslot/bff/admin/page"
)

// Config is what a door is made of; either Hash or Header is set.
type Config struct {
	// Hash is of the password, argon2id or bcrypt; empty = nobody signs in by one.
	Hash string
	// Header is the name of the header in which a proxy names who is signed in;
	// empty = none does.
	Header string
	// Secret keys logins and forms together with Hash: the key of the merchant's API.
	Secret string
	// Secure says that browsers reach the console by https.
	Secure bool
	Within Within
	// Write writes a page for who is not signed in.
	Write func(http.ResponseWriter, page.Frame)
	// Note writes down that somebody has come, gone, or tried to. A login of which
	// that fails is one all the same: to look at a database that takes no writes is
	// what somebody may want to sign in for.
	Note   func(r *http.Request, who, what string)
	Logins Logins
	Now    func() time.Time
	Log    *slog.Logger
}

// Within is what the server around the console tells of a request.
type Within struct {
	// Address is where it comes from; Client is that as limits count it.
	Address, Client func(*http.Request) string
	// Proxied reports whether it comes straight from a proxy that is believed.
	Proxied func(*http.Request) bool
	// SameOrigin refuses what a page of another origin has posted.
	SameOrigin func(*http.Request) error
}

// Logins keeps which ones have ended before their time, for all instances and
// through restarts: a cookie that was copied is no way back. records.Records has it.
type Logins interface {
	EndLogin(ctx context.Context, login string, until time.Time) error
	LoginEnded(ctx context.Context, login string) (bool, error)
}

// Door lets people in. Its methods may be called by many goroutines.
type Door struct {
	Config
	keys    keys
	guesses *httprate.RateLimiter // logins by client
	crowds  *httprate.RateLimiter // logins by network
	written *httprate.RateLimiter // failed ones that are noted
	hashing chan struct{}         // one for each hash being computed
	said    said
}

// New returns a door.
func New(c Config) *Door {
	return &Door{
		Config: c, keys: newKeys(c.Secret, c.Hash), hashing: make(chan struct{}, hashesAtOnce),
		guesses: perMinute(loginsPerMinute), crowds: perMinute(loginsOfNetwork),
		written: perMinute(failuresPerMinute),
	}
}

// perMinute counts up to n things in a minute, each sort of them on its own.
func perMinute(n int) *httprate.RateLimiter {
	return httprate.NewRateLimiter(
		n, time.Minute, httprate.WithResponseHeaders(httprate.ResponseHeaders{}),
	)
}

// Visitor is somebody who is signed in.
type Visitor struct {
	Name string // shows and stores well
	// Leaves says that they can sign out here; who is named by a proxy cannot.
	Leaves bool

	keys   keys
	logins []string // what their forms are bound to, the present one first
}

// Token returns what every form of this visitor carries.
func (v *Visitor) Token() string { return v.keys.token(v.logins[0]) }

// Proves reports whether a post is of one of this visitor's own forms.
func (v *Visitor) Proves(r *http.Request) bool {
	for _, login := range v.logins {
		if v.keys.proves(r.PostFormValue("token"), login) {
			return true
		}
	}
	return false
}

// Open wraps what only who is signed in may do; others are shown the door.
func (d *Door) Open(next func(http.ResponseWriter, *http.Request, *Visitor)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := d.visitor(r)
		switch {
		case err != nil:
			d.shut(w, err)
		case v != nil:
			next(w, r, v)
		default:
			d.show(w, r)
		}
	})
}
