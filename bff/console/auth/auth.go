// Package auth signs operators in to the console: by a password, of which only a hash is
// known, or by the header of a trusted proxy. It keeps logins, binds forms to them, and
// bounds how often someone may try. What it has to show is rendered by the console.
package auth

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"coinslot/bff/console/auth/password"
	"coinslot/bff/web"

	"github.com/go-chi/httprate"
)

// Config is what an Authenticator is made of; Hash or Header is set, or both.
type Config struct {
	// Hash is of the password, argon2id or bcrypt; empty = no sign-in by password.
	Hash string
	// Header is the name of the header in which a proxy names who is signed in;
	// empty = none does.
	Header string
	// Secret keys logins and forms together with Hash: the key of the merchant's API.
	Secret string
	// Render writes a page for someone who is not signed in.
	Render func(http.ResponseWriter, Screen)
	// Record writes to the audit log that an operator has signed in, signed out, or failed
	// to. A login that cannot be recorded is valid all the same: a database that takes no
	// writes is a reason to sign in.
	Record func(r *http.Request, who, what string)
	Logins Logins
}

// Logins keeps which logins have ended before their time, for all instances and
// through restarts: a copied cookie does not sign in again. The store has it.
type Logins interface {
	// EndLogin records that a login was ended, until it expires, and LoginEnded reports it at every
	// instance. login identifies it and grants no access.
	EndLogin(ctx context.Context, login string, until time.Time) error
	LoginEnded(ctx context.Context, login string) (bool, error)
}

// Screen is the page for a visitor who is not signed in: a message, or the sign-in form.
type Screen struct {
	Title   string
	Status  int    // HTTP
	Message string // shown instead of the form; empty = the form is shown
	// Of the form:
	Error         string // what was wrong with the last try; empty = nothing
	Username      string // for password managers
	To            string // where to go afterwards
	MaybeSignedIn bool   // a link of another site has led here, which sends no cookie
	SignedOut     bool   // the operator has just signed out
}

// MaxPassword is how long a password may be, in bytes.
const MaxPassword = password.MaxLength

// Authenticator signs operators in. Its methods may be called by many goroutines.
type Authenticator struct {
	Config
	site      *web.Server
	keys      keys
	byClient  *httprate.RateLimiter // logins
	byNetwork *httprate.RateLimiter // logins
	recorded  *httprate.RateLimiter // failed ones that are recorded
	hashing   chan struct{}         // one for each hash being computed
	shown     shownNotices
}

// New returns an Authenticator for the pages of a server.
func New(site *web.Server, c Config) *Authenticator {
	return &Authenticator{
		Config:    c,
		site:      site,
		keys:      newKeys(c.Secret, c.Hash),
		hashing:   make(chan struct{}, concurrentHashes),
		byClient:  perMinute(loginsPerMinute),
		byNetwork: perMinute(networkLoginsPerMinute),
		recorded:  perMinute(failuresPerMinute),
	}
}

// perMinute counts up to n events in a minute for each key.
func perMinute(n int) *httprate.RateLimiter {
	return httprate.NewRateLimiter(
		n, time.Minute, httprate.WithResponseHeaders(httprate.ResponseHeaders{}),
	)
}

// Operator is a signed-in operator.
type Operator struct {
	Name string // safe to show and to store
	// CanSignOut is false for an operator named by a proxy.
	CanSignOut bool

	keys   keys
	logins []string // what their forms are bound to, the present one first
}

// FormToken returns what every form of this operator carries.
func (o *Operator) FormToken() string { return o.keys.token(o.logins[0]) }

// OwnsForm reports whether a post is of one of this operator's own forms.
func (o *Operator) OwnsForm(r *http.Request) bool {
	return slices.ContainsFunc(o.logins, func(login string) bool {
		return o.keys.validToken(r.PostFormValue("token"), login)
	})
}

// Require wraps a handler for operators; others get the sign-in page.
func (a *Authenticator) Require(
	next func(http.ResponseWriter, *http.Request, *Operator),
) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o, err := a.operator(r)
		switch {
		case err != nil:
			a.refuseIdentity(w, err)
		case o != nil:
			next(w, r, o)
		default:
			a.askToSignIn(w, r)
		}
	})
}

// loginLifetime is how long a login is valid.
const loginLifetime = 12 * time.Hour

// keys sign logins and the tokens of forms. They are made of the secret key and
// the hash of the password, so that changing either ends every login.
type keys struct{ logins, forms []byte }

func newKeys(secret, hash string) keys {
	root := mac([]byte(secret), "coinslot console", hash)
	return keys{logins: mac(root, "logins"), forms: mac(root, "forms")}
}

// mac is HMAC-SHA256 of parts, none of which holds a line break.
func mac(key []byte, parts ...string) []byte {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(strings.Join(parts, "\n")))
	return m.Sum(nil)
}

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

// newLogin returns a login, the value of its cookie.
func (k keys) newLogin(now time.Time) string {
	body := strconv.FormatInt(now.Add(loginLifetime).Unix(), 10) + "." + rand.Text()
	return body + "." + encode(mac(k.logins, body))
}

// validLogin reports whether login is one of ours that has not run out, and until when.
func (k keys) validLogin(login string, now time.Time) (until time.Time, ok bool) {
	end := strings.LastIndexByte(login, '.')
	if end < 0 || !hmac.Equal([]byte(login[end+1:]), []byte(encode(mac(k.logins, login[:end])))) {
		return until, false
	}
	seconds, _, _ := strings.Cut(login, ".")
	unix, err := strconv.ParseInt(seconds, 10, 64) // signed: it is a number
	until = time.Unix(unix, 0)
	return until, err == nil && now.Before(until)
}

// loginID is what a login is stored by when it has ended: all of it but its signature.
func loginID(login string) string { return login[:strings.LastIndexByte(login, '.')] }

// token returns what the forms of a login carry now. It is different for every
// login; login holds no line break.
func (k keys) token(login string) string { return encode(mac(k.forms, login)) }

// validToken reports whether token is of that login's forms.
func (k keys) validToken(token, login string) bool {
	return hmac.Equal([]byte(token), []byte(k.token(login)))
}
