package admin

import (
	"errors"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"coinslot/bff/admin/page"
)

// The cookie of a login. Under https its name makes browsers keep it to this
// host alone, whatever another one of the same domain sets. Source: RFC 6265bis, 4.1.3.2.
const (
	cookiePlain  = "coinslot-console"
	cookieSecure = "__Host-" + cookiePlain
)

func (s *console) cookieName() string {
	if s.Secure {
		return cookieSecure
	}
	return cookiePlain
}

// cookie is the login's; an empty value takes it away.
func (s *console) cookie(value string) *http.Cookie {
	c := &http.Cookie{Name: s.cookieName(), Value: value, Path: "/", HttpOnly: true, Secure: s.Secure, SameSite: http.SameSiteStrictMode, MaxAge: int(stays / time.Second)}
	if value == "" {
		c.MaxAge = -1
	}
	return c
}

// signedIn wraps what only who is signed in may do; others are shown the door.
func (s *console) signedIn(next visited) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := s.visitor(w, r)
		switch {
		case err != nil:
			s.shut(w, err)
		case v != nil:
			next(v)
		default:
			s.door(w, r)
		}
	})
}

// visitor returns who asks, nil if nobody is signed in. Errors: a proxy names
// somebody in a way that is not to be believed.
func (s *console) visitor(w http.ResponseWriter, r *http.Request) (*visit, error) {
	if s.Header != "" && s.Within.Proxied(r) {
		if v, err := s.proxied(w, r); v != nil || err != nil {
			return v, err
		}
	}
	if s.Hash == "" {
		return nil, nil
	}
	c, err := r.Cookie(s.cookieName())
	if err != nil {
		return nil, nil
	}
	if _, ok := s.keys.holds(c.Value, s.Now()); !ok || s.ended.has(c.Value) {
		return nil, nil
	}
	return &visit{console: s, w: w, r: r, who: operator, logins: []string{c.Value}, way: byPassword}, nil
}

// proxied is whom a believed proxy names, nil if it names nobody.
func (s *console) proxied(w http.ResponseWriter, r *http.Request) (*visit, error) {
	switch names := r.Header.Values(s.Header); {
	case len(names) == 0 || len(names) == 1 && names[0] == "":
		return nil, nil
	case len(names) > 1:
		return nil, errTwice
	case !nameable(names[0]):
		return nil, errName
	default:
		today := s.Now().Unix() / int64(24*time.Hour/time.Second)
		bound := func(day int64) string { return "proxy " + strconv.FormatInt(day, 10) + " " + names[0] }
		return &visit{console: s, w: w, r: r, who: names[0], logins: []string{bound(today), bound(today - 1)}, way: byProxy}, nil
	}
}

var (
	errTwice = errors.New("the proxy names two people in one request")
	errName  = errors.New("the proxy names somebody in letters that cannot be kept")
)

// mostName is how long a name may be, in bytes: e-mail addresses have 254.
const mostName = 254

// nameable reports whether a name can stand in a trail as it is.
func nameable(name string) bool {
	for _, r := range name {
		if !unicode.IsGraphic(r) || r == '\ufffd' {
			return false
		}
	}
	return len(name) <= mostName && strings.TrimSpace(name) == name
}

// shut answers who was named in a way that is not to be believed.
func (s *console) shut(w http.ResponseWriter, err error) {
	s.Log.Warn("the console refuses what a proxy says", "header", s.Header, "error", err)
	s.write(w, page.Frame{Page: page.Page{Title: "Not signed in", Status: http.StatusForbidden, Body: []app.UI{
		page.Note("bad", "The proxy before this console has not said clearly who you are: it must set "+s.Header+" once, and take away what browsers send in it.")}}})
}

// fromElsewhere reports whether a link of another site, such as an alert in a
// chat, has led here. The cookie is not sent then, so that who is signed in looks
// as if they were not.
func fromElsewhere(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Site") == "cross-site" && r.Header.Get("Sec-Fetch-Mode") == "navigate"
}

// asked is the address that r asks for, on this server.
func asked(r *http.Request) string {
	if r.Method != http.MethodGet || r.URL.Path == "/admin/login" || r.URL.Path == "/admin/logout" {
		return "/admin"
	}
	return within(r.URL.RequestURI())
}

// within returns an address if it is one of the console's, else that of its
// first page: no link leads a login elsewhere.
func within(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "" || u.Host != "" || path.Clean(u.Path) != u.Path || u.Path != "/admin" && !strings.HasPrefix(u.Path, "/admin/") || strings.ContainsAny(to, "\\\r\n\t") {
		return "/admin"
	}
	return u.RequestURI()
}

// guarded wraps posts: of this origin only, and nothing but a small form.
func (s *console) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refused := s.Within.SameOrigin(r)
		if refused == nil && r.Header.Get("Content-Type") != "application/x-www-form-urlencoded" {
			refused = errForm
		}
		if refused == nil {
			refused = r.ParseForm()
		}
		if refused == nil {
			next.ServeHTTP(w, r)
			return
		}
		v := &visit{console: s, w: w, r: r}
		p := v.trouble(refused)
		if p.Status >= http.StatusInternalServerError {
			p.Status = http.StatusBadRequest
		}
		s.write(w, page.Frame{Page: p})
	})
}

var errForm = errors.New("not a form")
