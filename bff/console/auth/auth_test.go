package auth

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/web"
)

// Whatever a form says, a login leads to a page of the console.
func TestConsolePath(t *testing.T) {
	for to, want := range map[string]string{
		"/admin": "/admin", "/admin/payments?q=a&status=review": "/admin/payments?q=a&status=review", "/admin/payments/cs_x": "/admin/payments/cs_x",
		"": "/admin", "/": "/admin", "/adminx": "/admin", "//evil.example/admin/x": "/admin", "https://evil.example/admin/x": "/admin", "javascript:alert(1)": "/admin",
		"/\\evil.example/admin/": "/admin", "/admin/\\x": "/admin", "/admin/\r\nSet-Cookie: a": "/admin", "admin/x": "/admin", "/admin/../checkout": "/admin", "%": "/admin",
		"/admin/%2e%2e/checkout": "/admin", "/admin//evil.example": "/admin",
	} {
		fortest.Equal(t, consolePath(to), want, "consolePath(%q)", to)
	}
}

// A login is valid for twelve hours, unless any part of it or of its keys is changed.
func TestLogin(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	k := newKeys("secret", "hash")
	login := k.newLogin(now)
	for name, c := range map[string]struct {
		login string
		keys  keys
		after time.Duration
		want  bool
	}{
		"as it was":         {login, k, 0, true},
		"at the end":        {login, k, loginLifetime - time.Second, true},
		"after it":          {login, k, loginLifetime, false},
		"another password":  {login, newKeys("secret", "other"), 0, false},
		"another secret":    {login, newKeys("other", "hash"), 0, false},
		"later by a day":    {"1800000000" + login[10:], k, 0, false},
		"without signature": {login[:strings.LastIndex(login, ".")], k, 0, false},
		"nothing":           {"", k, 0, false},
		"a dot":             {".", k, 0, false},
		"a form's token":    {login[:strings.LastIndex(login, ".")+1] + k.token(login[:strings.LastIndex(login, ".")]), k, 0, false},
	} {
		if _, got := c.keys.validLogin(c.login, now.Add(c.after)); got != c.want {
			t.Errorf("%s: validLogin = %v; want %v", name, got, c.want)
		}
	}
	if k.token(login) == k.token(k.newLogin(now)) || k.validToken("", login) || !k.validToken(k.token(login), login) {
		t.Error("the token of a form is not its login's alone")
	}
}

// failingLogins is a database that cannot be used.
type failingLogins struct{}

var errDatabase = errors.New("the database is away")

func (failingLogins) EndLogin(context.Context, string, time.Time) error { return errDatabase }
func (failingLogins) LoginEnded(context.Context, string) (bool, error)  { return false, errDatabase }

// Without a database no login is valid, and a sign-out reports that it may not be complete.
func TestLoginWithoutDatabase(t *testing.T) {
	site := &web.Server{Config: web.Config{Now: time.Now, Log: slog.New(slog.DiscardHandler)}}
	a := New(site, Config{
		Hash: "hash", Secret: "secret", Logins: failingLogins{}, Record: func(*http.Request, string, string) {},
		Render: func(w http.ResponseWriter, s Screen) { w.WriteHeader(s.Status) },
	})
	login := a.keys.newLogin(time.Now())
	r := httptest.NewRequest("GET", "/admin", nil)
	r.AddCookie(a.cookie(login))
	w := httptest.NewRecorder()
	a.Require(func(http.ResponseWriter, *http.Request, *Operator) { t.Error("somebody was let in") }).ServeHTTP(w, r)
	fortest.Equal(t, w.Code, http.StatusServiceUnavailable, "GET /admin")
	w = httptest.NewRecorder()
	a.Logout(w, r, &Operator{Name: sharedName, CanSignOut: true, keys: a.keys, logins: []string{login}})
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Header().Get("Set-Cookie"), "Max-Age=0") {
		t.Errorf("signing out = %d %v; want 503 and no cookie", w.Code, w.Header())
	}
}

// Names that a proxy gives stand in trails as they are.
func TestValidName(t *testing.T) {
	for name, want := range map[string]bool{
		"ann": true, "ann@shop.example": true, "Ann Müller": true, "李": true,
		"eve, ann": false, "eve,ann": false, "ann\n": false, " ann": false, "ann\u202e": false, "ann\x00": false, "a\u200bb": false, "\xff": false, strings.Repeat("a", 255): false,
	} {
		fortest.Equal(t, validName(name), want, "validName(%q)", name)
	}
}

// A notice is shown once, within a minute, to its operator on its page; the same action twice
// shows it twice.
func TestNotice(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	site := &web.Server{Config: web.Config{Now: func() time.Time { return now }}}
	a := New(site, Config{Hash: "hash", Secret: "secret"})
	ann, bob := &Operator{logins: []string{"ann"}}, &Operator{logins: []string{"bob"}}
	link := func() string { return a.SignNotice(ann, "/admin/webhooks?page=2", "sent-again") }
	at := func(path, notice string) *url.URL { return &url.URL{Path: path, RawQuery: "done=" + notice} }

	once := link()
	for _, c := range []struct {
		name  string
		who   *Operator
		at    *url.URL
		after time.Duration
		want  string
	}{
		{"somebody else", bob, at("/admin/webhooks", once), 0, ""},
		{"on another page", ann, at("/admin/audit", once), 0, ""},
		{"saying something else", ann, at("/admin/webhooks", strings.Replace(once, "sent-again", "replayed", 1)), 0, ""},
		{"later by its own word", ann, at("/admin/webhooks", strings.Replace(once, "1700000060", "1800000000", 1)), 0, ""},
		{"as it was", ann, at("/admin/webhooks", once), 0, "sent-again"},
		{"a reload", ann, at("/admin/webhooks", once), 0, ""},
		{"again in the same second", ann, at("/admin/webhooks", link()), 0, "sent-again"},
		{"nearly a minute later", ann, at("/admin/webhooks", link()), noticeLifetime - time.Second, "sent-again"},
		{"a minute later", ann, at("/admin/webhooks", link()), noticeLifetime, ""},
		{"nothing", ann, at("/admin/webhooks", ""), 0, ""},
	} {
		now = time.Unix(1_700_000_000, 0).Add(c.after)
		fortest.Equal(t, a.ReadNotice(c.who, c.at), c.want, "%s", c.name)
	}
}
