package door

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

	"coinslot/bff/admin/page"
)

// Whatever a form says, a login leads to a page of the console.
func TestWithin(t *testing.T) {
	for to, want := range map[string]string{
		"/admin": "/admin", "/admin/payments?q=a&status=review": "/admin/payments?q=a&status=review", "/admin/payments/cs_x": "/admin/payments/cs_x",
		"": "/admin", "/": "/admin", "/adminx": "/admin", "//evil.example/admin/x": "/admin", "https://evil.example/admin/x": "/admin", "javascript:alert(1)": "/admin",
		"/\\evil.example/admin/": "/admin", "/admin/\\x": "/admin", "/admin/\r\nSet-Cookie: a": "/admin", "admin/x": "/admin", "/admin/../checkout": "/admin", "%": "/admin",
		"/admin/%2e%2e/checkout": "/admin", "/admin//evil.example": "/admin",
	} {
		if got := within(to); got != want {
			t.Errorf("within(%q) = %q; want %q", to, got, want)
		}
	}
}

// A login holds for twelve hours, unless anything of it or of what it is made
// with is another.
func TestLogin(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	k := newKeys("secret", "hash")
	login := k.login(now)
	for name, c := range map[string]struct {
		login string
		keys  keys
		after time.Duration
		want  bool
	}{
		"as it was":         {login, k, 0, true},
		"at the end":        {login, k, stays - time.Second, true},
		"after it":          {login, k, stays, false},
		"another password":  {login, newKeys("secret", "other"), 0, false},
		"another secret":    {login, newKeys("other", "hash"), 0, false},
		"later by a day":    {"1800000000" + login[10:], k, 0, false},
		"without signature": {login[:strings.LastIndex(login, ".")], k, 0, false},
		"nothing":           {"", k, 0, false},
		"a dot":             {".", k, 0, false},
		"a form's token":    {login[:strings.LastIndex(login, ".")+1] + k.token(login[:strings.LastIndex(login, ".")]), k, 0, false},
	} {
		if _, got := c.keys.holds(c.login, now.Add(c.after)); got != c.want {
			t.Errorf("%s: holds = %v; want %v", name, got, c.want)
		}
	}
	if k.token(login) == k.token(k.login(now)) || k.proves("", login) || !k.proves(k.token(login), login) {
		t.Error("the token of a form is not its login's alone")
	}
}

// away is a database that cannot be used.
type away struct{}

var errAway = errors.New("the database is away")

func (away) EndLogin(context.Context, string, time.Time) error { return errAway }
func (away) LoginEnded(context.Context, string) (bool, error)  { return false, errAway }

// Without a database nobody is let in by a login that may have ended, and who
// signs out is told what that is worth.
func TestWithoutADatabase(t *testing.T) {
	d := New(Config{
		Hash: "hash", Secret: "secret", Logins: away{}, Now: time.Now, Log: slog.New(slog.DiscardHandler), Note: func(*http.Request, string, string) {},
		Write: func(w http.ResponseWriter, f page.Frame) { w.WriteHeader(f.Status) },
	})
	login := d.keys.login(time.Now())
	r := httptest.NewRequest("GET", "/admin", nil)
	r.AddCookie(d.cookie(login))
	w := httptest.NewRecorder()
	d.Open(func(http.ResponseWriter, *http.Request, *Visitor) { t.Error("somebody was let in") }).ServeHTTP(w, r)
	if w.Code != http.StatusServiceUnavailable {
		t.Errorf("GET /admin = %d; want 503", w.Code)
	}
	w = httptest.NewRecorder()
	d.Logout(w, r, &Visitor{Name: operator, Leaves: true, keys: d.keys, logins: []string{login}})
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Header().Get("Set-Cookie"), "Max-Age=0") {
		t.Errorf("signing out = %d %v; want 503 and no cookie", w.Code, w.Header())
	}
}

// Names that a proxy gives stand in trails as they are.
func TestNameable(t *testing.T) {
	for name, want := range map[string]bool{
		"ann": true, "ann@shop.example": true, "Ann Müller": true, "李": true,
		"eve, ann": false, "eve,ann": false, "ann\n": false, " ann": false, "ann\u202e": false, "ann\x00": false, "a\u200bb": false, "\xff": false, strings.Repeat("a", 255): false,
	} {
		if got := nameable(name); got != want {
			t.Errorf("nameable(%q) = %v; want %v", name, got, want)
		}
	}
}

// What was done is said once, within a minute, to who did it, on the page that it
// was done for; and done twice in a second it is said twice.
func TestNotice(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	d := New(Config{Hash: "hash", Secret: "secret", Now: func() time.Time { return now }})
	ann, bob := &Visitor{logins: []string{"ann"}}, &Visitor{logins: []string{"bob"}}
	link := func() string { return d.Notice(ann, "/admin/webhooks?page=2", "sent-again") }
	at := func(path, notice string) *url.URL { return &url.URL{Path: path, RawQuery: "done=" + notice} }

	once := link()
	for _, c := range []struct {
		name  string
		who   *Visitor
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
		{"nearly a minute later", ann, at("/admin/webhooks", link()), noticeStays - time.Second, "sent-again"},
		{"a minute later", ann, at("/admin/webhooks", link()), noticeStays, ""},
		{"nothing", ann, at("/admin/webhooks", ""), 0, ""},
	} {
		now = time.Unix(1_700_000_000, 0).Add(c.after)
		if got := d.Noticed(c.who, c.at); got != c.want {
			t.Errorf("%s: %q; want %q", c.name, got, c.want)
		}
	}
}
