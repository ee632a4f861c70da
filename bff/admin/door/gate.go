package door

import (
	"errors"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"

	"coinslot/app/widget/node"
	"coinslot/bff/admin/page"
)

// The cookie of a login. Under https its name makes browsers keep it to this
// host alone, whatever another one of the same domain sets. Source: RFC 6265bis, 4.1.3.2.
const (
	cookiePlain  = "coinslot-console"
	cookieSecure = "__Host-" + cookiePlain
)

func (d *Door) cookieName() string {
	if d.Secure {
		return cookieSecure
	}
	return cookiePlain
}

// cookie is the login's; an empty value takes it away.
func (d *Door) cookie(value string) *http.Cookie {
	c := &http.Cookie{
		Name: d.cookieName(), Value: value, Path: "/", HttpOnly: true, Secure: d.Secure,
		SameSite: http.SameSiteStrictMode, MaxAge: int(stays / time.Second),
	}
	if value == "" {
		c.MaxAge = -1
	}
	return c
}

// visitor returns who asks, nil if nobody is signed in. Errors: a proxy names
// somebody in a way that is not to be believed, or the database does not say
// whether a login has ended.
func (d *Door) visitor(r *http.Request) (*Visitor, error) {
	if d.Header != "" && d.Within.Proxied(r) {
		if v, err := d.proxied(r); v != nil || err != nil {
			return v, err
		}
	}
	if d.Hash == "" {
		return nil, nil
	}
	c, err := r.Cookie(d.cookieName())
	if err != nil {
		return nil, nil
	}
	if _, ok := d.keys.holds(c.Value, d.Now()); !ok {
		return nil, nil
	}
	if ended, err := d.Logins.LoginEnded(r.Context(), nameOf(c.Value)); ended || err != nil {
		return nil, err
	}
	return &Visitor{Name: operator, Leaves: true, keys: d.keys, logins: []string{c.Value}}, nil
}

// proxied is whom a believed proxy names, nil if it names nobody.
func (d *Door) proxied(r *http.Request) (*Visitor, error) {
	switch names := r.Header.Values(d.Header); {
	case len(names) == 0 || len(names) == 1 && names[0] == "":
		return nil, nil
	case len(names) > 1:
		return nil, errTwice
	case !nameable(names[0]):
		return nil, errName
	default:
		today := d.Now().Unix() / int64(24*time.Hour/time.Second)
		bound := func(day int64) string {
			return "proxy " + strconv.FormatInt(day, 10) + " " +
				names[0]
		}
		return &Visitor{
			Name: names[0], keys: d.keys, logins: []string{bound(today), bound(today - 1)},
		}, nil
	}
}

var (
	errTwice = errors.New("the proxy names two people in one request")
	errName  = errors.New(
		"the proxy names two people in one header, or somebody in letters that cannot be kept",
	)
)

// mostName is how long a name may be, in bytes: e-mail addresses have 254.
const mostName = 254

// nameable reports whether a name can stand in a trail as it is. One with a comma
// is two: some proxies join the headers of one name.
func nameable(name string) bool {
	for _, r := range name {
		if r == ',' || !unicode.IsGraphic(r) || r == '\ufffd' {
			return false
		}
	}
	return len(name) <= mostName && strings.TrimSpace(name) == name
}

// shut answers who was named in a way that is not to be believed, or may be signed in.
func (d *Door) shut(w http.ResponseWriter, err error) {
	if !errors.Is(err, errTwice) && !errors.Is(err, errName) {
		d.Log.Error("the console does not know who is signed in", "error", err)
		d.Write(w,
			page.Frame{Page: page.Page{Title: "Not now", Status: http.StatusServiceUnavailable,
				Body: []node.Node{
					page.Note(
						"bad",
						"The database cannot be asked now whether you are signed in. Try again "+
							"in a minute; the log of the server says why.",
					)}}})
		return
	}
	d.Log.Warn("the console refuses what a proxy says", "header", d.Header, "error", err)
	d.Write(w,
		page.Frame{Page: page.Page{Title: "Not signed in", Status: http.StatusForbidden,
			Body: []node.Node{
				page.Note(
					"bad",
					"The proxy before this console has not said clearly who you are: it must set "+
						d.Header+" once, and take away what browsers send in it.",
				)}}})
}

// fromElsewhere reports whether a link of another site, such as an alert in a
// chat, has led here. The cookie is not sent then, so that who is signed in looks
// as if they were not.
func fromElsewhere(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Site") == "cross-site" &&
		r.Header.Get("Sec-Fetch-Mode") == "navigate"
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
	if err != nil || u.Scheme != "" || u.Host != "" || path.Clean(u.Path) != u.Path ||
		u.Path != "/admin" && !strings.HasPrefix(u.Path, "/admin/") ||
		strings.ContainsAny(to, "\\\r\n\t") {
		return "/admin"
	}
	return u.RequestURI()
}

// Guard wraps posts: of this origin only, and nothing but a small form.
func (d *Door) Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var large *http.MaxBytesError
		err := d.Within.SameOrigin(r)
		switch {
		case err != nil:
			d.refuse(
				w, http.StatusForbidden,
				"The request came from another site and was refused. Nothing was changed.",
			)
		case r.Header.Get("Content-Type") != "application/x-www-form-urlencoded":
			d.refuse(w, http.StatusUnsupportedMediaType, "That was no form.")
		default:
			if err = r.ParseForm(); errors.As(err, &large) {
				d.refuse(w, http.StatusRequestEntityTooLarge, "The form is too large.")
			} else if err != nil {
				d.refuse(w, http.StatusBadRequest, "The form cannot be read.")
			}
		}
		if err == nil && r.PostForm != nil {
			next.ServeHTTP(w, r)
		}
	})
}

func (d *Door) refuse(w http.ResponseWriter, status int, why string) {
	d.Write(w, page.Frame{
		Page: page.Page{
			Title: "That did not work", Status: status, Body: []node.Node{page.Note("bad", why)},
		},
	})
}
