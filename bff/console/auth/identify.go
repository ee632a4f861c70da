package auth

import (
	"errors"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// The cookie of a login. Under https its name makes browsers keep it to this
// host alone, whatever another one of the same domain sets. Source: RFC 6265bis, 4.1.3.2.
const (
	cookiePlain  = "coinslot-console"
	cookieSecure = "__Host-" + cookiePlain
)

// isSecure reports whether browsers reach the console by HTTPS.
func (a *Authenticator) isSecure() bool { return strings.HasPrefix(a.site.PublicURL, "https:") }

func (a *Authenticator) cookieName() string {
	if a.isSecure() {
		return cookieSecure
	}
	return cookiePlain
}

// cookie is the login's; an empty value deletes it.
func (a *Authenticator) cookie(value string) *http.Cookie {
	c := &http.Cookie{
		Name:     a.cookieName(),
		Value:    value,
		Path:     "/",
		HttpOnly: true,
		Secure:   a.isSecure(),
		SameSite: http.SameSiteStrictMode,
		MaxAge:   int(loginLifetime / time.Second),
	}
	if value == "" {
		c.MaxAge = -1
	}

	return c
}

// operator returns the signed-in operator, nil if there is none. Errors: a proxy's header is
// invalid, or the database failed.
func (a *Authenticator) operator(r *http.Request) (*Operator, error) {
	if a.Header != "" && a.site.FromProxy(r) {
		o, err := a.namedByProxy(r)
		if o != nil || err != nil {
			return o, err
		}
	}
	if a.Hash == "" {
		return nil, nil
	}

	c, err := r.Cookie(a.cookieName())
	if err != nil {
		return nil, nil
	}
	if _, ok := a.keys.validLogin(c.Value, a.site.Now()); !ok {
		return nil, nil
	}
	ended, err := a.Logins.LoginEnded(r.Context(), loginID(c.Value))
	if ended || err != nil {
		return nil, err
	}

	return &Operator{
		Name:       sharedName,
		CanSignOut: true,
		keys:       a.keys,
		logins:     []string{c.Value},
	}, nil
}

// namedByProxy is the operator in the header of a trusted proxy, nil if there is none.
func (a *Authenticator) namedByProxy(r *http.Request) (*Operator, error) {
	names := r.Header.Values(a.Header)
	switch {
	case len(names) == 0 || len(names) == 1 && names[0] == "":
		return nil, nil
	case len(names) > 1:
		return nil, errTwoHeaders
	case !validName(names[0]):
		return nil, errName
	default:
		today := a.site.Now().Unix() / int64(24*time.Hour/time.Second)
		bound := func(day int64) string {
			return "proxy " + strconv.FormatInt(day, 10) + " " + names[0]
		}
		return &Operator{
			Name:   names[0],
			keys:   a.keys,
			logins: []string{bound(today), bound(today - 1)},
		}, nil
	}
}

var (
	errTwoHeaders = errors.New("the proxy names two operators in one request")
	errName       = errors.New(
		"the proxy names two operators in one header, or uses characters that cannot be stored",
	)
)

// maxName is how long a name may be, in bytes: e-mail addresses have 254.
const maxName = 254

// validName reports whether a name can be stored in a timeline as it is. One with a comma
// is two: some proxies join the headers of one name.
func validName(name string) bool {
	refused := func(r rune) bool { return r == ',' || !unicode.IsGraphic(r) || r == '\ufffd' }
	return len(name) <= maxName && strings.TrimSpace(name) == name &&
		!strings.ContainsFunc(name, refused)
}

// refuseIdentity answers a request of which it is not certain who sends it.
func (a *Authenticator) refuseIdentity(w http.ResponseWriter, err error) {
	if !errors.Is(err, errTwoHeaders) && !errors.Is(err, errName) {
		a.site.Log.Error("reading whether a console login has ended failed", "error", err)
		a.Render(w, Screen{
			Title:  "Unavailable",
			Status: http.StatusServiceUnavailable,
			Message: "The database is unavailable, so your sign-in cannot be checked. Try again " +
				"in a minute; the server log has the reason.",
		})
		return
	}

	a.site.Log.Warn("console refused the proxy's header", "header", a.Header, "error", err)
	a.Render(w, Screen{
		Title:  "Not signed in",
		Status: http.StatusForbidden,
		Message: "The proxy of this console did not identify you: it must set " + a.Header +
			" exactly once, and remove what browsers send in it.",
	})
}

// fromOtherSite reports whether a link of another site, such as an alert in a chat, has led
// here. Browsers do not send the cookie then, so that an operator looks signed out.
func fromOtherSite(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Site") == "cross-site" &&
		r.Header.Get("Sec-Fetch-Mode") == "navigate"
}

// requestedPath is the path and query of r.
func requestedPath(r *http.Request) string {
	if r.Method != http.MethodGet || r.URL.Path == "/admin/login" || r.URL.Path == "/admin/logout" {
		return "/admin"
	}
	return consolePath(r.URL.RequestURI())
}

// consolePath returns an address if it is one of the console's, else that of its
// first page: no link redirects a login elsewhere.
func consolePath(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "" || u.Host != "" || path.Clean(u.Path) != u.Path ||
		u.Path != "/admin" && !strings.HasPrefix(u.Path, "/admin/") ||
		strings.ContainsAny(to, "\\\r\n\t") {
		return "/admin"
	}
	return u.RequestURI()
}

// GuardForm wraps posts: only small forms of this origin pass.
func (a *Authenticator) GuardForm(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refuse := func(status int, why string) {
			a.Render(w, Screen{Title: "Something went wrong", Status: status, Message: why})
		}
		if a.site.SameOrigin(r) != nil {
			refuse(http.StatusForbidden,
				"The request came from another site and was refused. Nothing was changed.")
			return
		}
		if r.Header.Get("Content-Type") != "application/x-www-form-urlencoded" {
			refuse(http.StatusUnsupportedMediaType, "The request is not a form.")
			return
		}

		var large *http.MaxBytesError
		if err := r.ParseForm(); errors.As(err, &large) {
			refuse(http.StatusRequestEntityTooLarge, "The form is too large.")
		} else if err != nil {
			refuse(http.StatusBadRequest, "The form is invalid.")
		} else {
			next.ServeHTTP(w, r)
		}
	})
}
