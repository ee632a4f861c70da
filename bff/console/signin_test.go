package console_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/server"
	"coinslot/bff/server/servertest"
)

// Without a setting there is no console, as if there had never been one.
func TestNoConsole(t *testing.T) {
	d := newOperatorClient(t, func(c *config.Config) { c.AdminPassword = config.Secret{} })
	nothing := d.Do("GET", "/nothing/here", "")
	for _, path := range []string{"/admin", "/admin/", "/admin/login", "/admin/payments.csv"} {
		got := d.Do("GET", path, "")
		if got.Code != http.StatusNotFound || len(got.Body.String()) != len(nothing.Body.String()) {
			t.Errorf("GET %s = %d %.200s; want as %.200s", path, got.Code, got.Body, nothing.Body)
		}
	}
	if got := d.Do("POST", "/admin/login", "password="+url.QueryEscape(consolePassword),
		servertest.IsForm); got.Code != http.StatusNotFound {
		t.Errorf("POST /admin/login = %d", got.Code)
	}
}

// Only the password opens, and a session ends on sign-out.
func TestConsoleLogin(t *testing.T) {
	d := newOperatorClient(t, nil)
	for _, path := range []string{
		"/admin", "/admin/payments", "/admin/payments.csv", "/admin/audit", "/admin/nothing",
	} {
		got := d.Do("GET", path, "")
		if !strings.Contains(got.Body.String(), `action="/admin/login"`) ||
			strings.Contains(got.Body.String(), "Overview") {
			t.Errorf("GET %s = %d %.300s; want the door", path, got.Code, got.Body)
		}
	}
	if got := d.signIn("correct horse batterY"); got.Code != http.StatusForbidden ||
		d.cookie != "" {
		t.Errorf("a wrong password: %d %v", got.Code, got.Header())
	}
	got := d.signIn(consolePassword)
	if got.Code != http.StatusSeeOther || got.Header().Get("Location") != "/admin/payments" {
		t.Fatalf("the password: %d %v", got.Code, got.Header())
	}
	fortest.Has(t, "the cookie", got.Header().Get("Set-Cookie"),
		"coinslot-console=", "; Path=/", "; HttpOnly", "; SameSite=Strict", "; Max-Age=43200")
	old := d.cookie
	got = d.post("/admin/logout", nil)
	fortest.Equal(t, got.Code, http.StatusSeeOther, "signing out")
	for _, link := range []struct {
		to   string
		says bool
	}{
		{"/admin/login?done=signed-out", false},
		{got.Header().Get("Location"), true},
		{got.Header().Get("Location"), false},
	} {
		page := d.Do("GET", link.to, "").Body.String()
		if strings.Contains(page, "You are signed out.") != link.says {
			t.Errorf("%s says that somebody has signed out: want %t", link.to, link.says)
		}
	}
	fortest.Equal(t, d.Do("GET", "/admin/payments", "", old).Code, http.StatusForbidden,
		"a login that was signed out of")
}

// A login that was signed out of stays so: a restart does not let its cookie in again.
func TestConsoleSignedOutThroughARestart(t *testing.T) {
	gateway, c := servertest.NewGateway(t)
	c.AdminPassword = config.NewSecret(servertest.ConsoleHash)
	r, stop := servertest.Start(t, gateway, c, server.Options{Limits: servertest.NoLimits})
	d := &operatorClient{Rig: r}
	d.signIn(consolePassword)
	stays := d.cookie
	d.signIn(consolePassword)
	fortest.Answer(t, "signing out", d.post("/admin/logout", nil), http.StatusSeeOther)
	stop()
	r, _ = servertest.Start(t, gateway, c, server.Options{Limits: servertest.NoLimits})
	for cookie, want := range map[string]int{d.cookie: http.StatusForbidden, stays: http.StatusOK} {
		fortest.Equal(t, r.Do("GET", "/admin/payments", "", cookie).Code, want, "after a restart")
	}
}

// Under https the cookie is one that no other host and no plain page can set.
func TestConsoleCookieUnderHTTPS(t *testing.T) {
	d := newOperatorClient(t, func(c *config.Config) { c.PublicURL = "https://pay.example" })
	got := d.signIn(consolePassword).Header().Get("Set-Cookie")
	if !strings.HasPrefix(got, "__Host-coinslot-console=") || !strings.Contains(got, "; Secure") {
		t.Errorf("the cookie is %q", got)
	}
}

// A client has few attempts, with the right password too; the next one works in a minute. Failures
// are recorded, with a bound.
func TestConsoleLoginLimit(t *testing.T) {
	d := newOperatorClient(t, nil)
	statuses := map[int]int{}
	for range 14 {
		statuses[d.DoFrom("203.0.113.7", "POST", "/admin/login", "password=wrong",
			servertest.IsForm).Code]++
	}
	if statuses[http.StatusForbidden] != 10 || statuses[http.StatusTooManyRequests] != 4 {
		t.Errorf("14 wrong passwords: %v", statuses)
	}
	got := d.DoFrom("203.0.113.7", "POST", "/admin/login",
		url.Values{"password": {consolePassword}}.Encode(), servertest.IsForm)
	if got.Code != http.StatusTooManyRequests || got.Header().Get("Retry-After") == "" {
		t.Errorf("the password beyond the limit = %d", got.Code)
	}
	for range 8 {
		d.DoFrom("198.51.100.9", "POST", "/admin/login", "password=wrong", servertest.IsForm)
	}
	fortest.Equal(t, d.signIn(consolePassword).Code, http.StatusSeeOther, "another client")
	fortest.Equal(t, strings.Count(d.page("/admin/audit"), "entered a wrong password"), 10,
		"the audit has failures")
}

// A client with many IPv6 networks locks no one else out: they are one at some point.
func TestConsoleLoginLimitOfANetwork(t *testing.T) {
	d := newOperatorClient(t, nil)
	statuses := map[int]int{}
	for n := range 33 {
		statuses[d.DoFrom(fmt.Sprintf("[2001:db8:1:%x::1]", n), "POST", "/admin/login",
			"password=wrong", servertest.IsForm).Code]++
	}
	if statuses[http.StatusForbidden] != 30 || statuses[http.StatusTooManyRequests] != 3 {
		t.Errorf("33 wrong passwords of 33 networks: %v", statuses)
	}
	got := d.DoFrom("[2001:db8:2::1]", "POST", "/admin/login", "password=wrong", servertest.IsForm)
	if got.Code != http.StatusForbidden {
		t.Errorf("somebody else: %d", got.Code)
	}
}

// A proxy that is trusted says who is signed in; no one else can.
func TestConsoleProxy(t *testing.T) {
	d := newOperatorClient(t, func(c *config.Config) {
		c.AdminPassword = config.Secret{}
		c.AdminProxyHeader = "X-Forwarded-User"
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	})
	for name, c := range map[string]struct {
		from    string
		headers []string
		status  int
	}{
		"the proxy":             {"10.1.2.3", []string{"X-Forwarded-User: ann@shop.example"}, 200},
		"the proxy, no name":    {"10.1.2.3", nil, 403},
		"the proxy, empty name": {"10.1.2.3", []string{"X-Forwarded-User: "}, 403},
		"the proxy, two names": {
			"10.1.2.3",
			[]string{"X-Forwarded-User: ann", "X-Forwarded-User: eve"},
			403,
		},
		"the proxy, joined":   {"10.1.2.3", []string{"X-Forwarded-User: eve, ann"}, 403},
		"the proxy, bad name": {"10.1.2.3", []string{"X-Forwarded-User: ann\u202e"}, 403},
		"a stranger":          {"203.0.113.7", []string{"X-Forwarded-User: ann"}, 403},
		"a stranger as proxied": {
			"203.0.113.7",
			[]string{"X-Forwarded-User: ann", "X-Forwarded-For: 10.1.2.3"},
			403,
		},
	} {
		got := d.DoFrom(c.from, "GET", "/admin/payments", "", c.headers...)
		if got.Code != c.status ||
			(c.status == 200) != strings.Contains(got.Body.String(), "ann@shop.example") {
			t.Errorf("%s = %d %.200s; want %d", name, got.Code, got.Body, c.status)
		}
	}
	if got := d.DoFrom("10.1.2.3", "POST", "/admin/login", url.Values{"password": {""}}.Encode(),
		servertest.IsForm); got.Code == 200 {
		t.Errorf("a password where there is none: %d", got.Code)
	}
}
