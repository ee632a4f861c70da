package web

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/fortest"
	"coinslot/bff/gateway"
)

// proxied is a server behind proxies in two networks.
func proxied() *Server {
	s := &Server{Config: Config{PublicURL: "https://pay.example"}}
	s.Log, s.Limits = slog.New(slog.DiscardHandler), Limits{}.withDefaults()
	s.policies, s.guesses = newPolicies(nil, ""), newCounter(s.Limits.Guesses, NetworkFactor)
	s.nudges = newCounter(maxNudges, 2)
	s.TrustedProxies = []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8"),
	}
	return s
}

// from is a request of that connection with those X-Forwarded-For headers.
func from(remote string, forwarded ...string) *http.Request {
	r := httptest.NewRequest("POST", "/checkout", nil)
	r.RemoteAddr = remote
	r.Header["X-Forwarded-For"] = forwarded
	return r
}

func TestClient(t *testing.T) {
	for name, c := range map[string]struct {
		remote    string
		forwarded []string
		want      string
	}{
		"direct":            {"203.0.113.9:1", nil, "203.0.113.9"},
		"forged":            {"203.0.113.9:1", []string{"198.51.100.1"}, "203.0.113.9"},
		"forged as a proxy": {"203.0.113.9:1", []string{"10.0.0.1"}, "203.0.113.9"},
		"one proxy":         {"10.0.0.1:1", []string{"203.0.113.9"}, "203.0.113.9"},
		"forged before the proxy": {
			"10.0.0.1:1",
			[]string{"198.51.100.1, 203.0.113.9"},
			"203.0.113.9",
		},
		"two proxies": {"10.0.0.1:1", []string{"203.0.113.9, 10.0.0.2"}, "203.0.113.9"},
		"two headers": {
			"10.0.0.1:1",
			[]string{"198.51.100.1", "203.0.113.9"},
			"203.0.113.9",
		},
		"proxies only":       {"10.0.0.1:1", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		"nothing said":       {"10.0.0.1:1", nil, "10.0.0.1"},
		"empty":              {"10.0.0.1:1", []string{""}, "10.0.0.1"},
		"rubbish":            {"10.0.0.1:1", []string{"unknown"}, "10.0.0.1"},
		"rubbish at the end": {"10.0.0.1:1", []string{"203.0.113.9, <script>"}, "10.0.0.1"},
		"a port":             {"10.0.0.1:1", []string{"203.0.113.9:80"}, "203.0.113.9"},
		"ports and proxies": {
			"10.0.0.1:1",
			[]string{"198.51.100.1:1, 203.0.113.9:4711, 10.0.0.2:443"},
			"203.0.113.9",
		},
		"port of IPv6":       {"10.0.0.1:1", []string{"[2001:db8::1]:4711"}, "2001:db8::1"},
		"port, IPv4 in IPv6": {"10.0.0.1:1", []string{"[::ffff:203.0.113.9]:4711"}, "203.0.113.9"},
		"port and zone":      {"10.0.0.1:1", []string{"[fe80::1%<script>]:4711"}, "fe80::1"},
		"no such port":       {"10.0.0.1:1", []string{"203.0.113.9:65536"}, "10.0.0.1"},
		"port of a name":     {"10.0.0.1:1", []string{"shopper.example:80"}, "10.0.0.1"},
		"spaces":             {"10.0.0.1:1", []string{"  203.0.113.9:80\t"}, "203.0.113.9"},
		"commas":             {"10.0.0.1:1", []string{",,,"}, "10.0.0.1"},
		"very long": {
			"10.0.0.1:1",
			[]string{strings.Repeat("198.51.100.1, ", 900) + "203.0.113.9"},
			"203.0.113.9",
		},
		"IPv4 in IPv6": {"[::ffff:10.0.0.1]:1", []string{"::ffff:203.0.113.9"}, "203.0.113.9"},
		"IPv6 proxy":   {"[fd00::1]:1", []string{"2001:db8::1"}, "2001:db8::1"},
		"IPv6":         {"[2001:db8::1]:1", []string{"203.0.113.9"}, "2001:db8::1"},
		"no port":      {"pipe", []string{"203.0.113.9"}, "pipe"},
	} {
		fortest.Equal(t, proxied().Client(from(c.remote, c.forwarded...)), c.want,
			"%s: client", name)
	}
}

// A trusted proxy without client addresses makes all shoppers one client. That is logged once,
// without the header.
func TestUnreadableProxy(t *testing.T) {
	for name, c := range map[string]struct {
		remote, forwarded string
		said              int
	}{
		"rubbish":              {"10.0.0.1:1", "unknown", 1},
		"rubbish at the end":   {"10.0.0.1:1", "203.0.113.9, shopper.example:80", 1},
		"rubbish before ours":  {"10.0.0.1:1", "canary, 10.0.0.2", 1},
		"commas":               {"10.0.0.1:1", ",,,", 1},
		"rubbish of a shopper": {"10.0.0.1:1", "canary, 203.0.113.9", 0},
		"nothing":              {"10.0.0.1:1", "", 0},
		"an address":           {"10.0.0.1:1", "203.0.113.9", 0},
		"with a port":          {"10.0.0.1:1", "203.0.113.9:80", 0},
		"proxies only":         {"10.0.0.1:1", "10.0.0.3, 10.0.0.2", 0},
		"a stranger":           {"203.0.113.9:1", "unknown", 0},
	} {
		s, log := proxied(), &strings.Builder{}
		s.Log = slog.New(slog.NewTextHandler(log, nil))
		for range 3 {
			s.Client(from(c.remote, c.forwarded))
		}
		got := log.String()
		if strings.Count(got, "X-Forwarded-For") != c.said || strings.Contains(got, "canary") ||
			strings.Contains(got, "203.0.113.9") {
			t.Errorf("%s: the log says %q; want %d warnings", name, got, c.said)
		}
	}
}

// Whichever limit is reached first, the operator is warned of an unknown proxy once; what a stranger
// says is no reason to.
func TestHiddenClientsAreWarnedOnce(t *testing.T) {
	forwarding := from("192.168.0.7:1", "203.0.113.9")
	for name, reach := range map[string]func(s *Server){
		"requests": func(s *Server) {
			s.limitRequests(1, NetworkFactor, nil)(http.NotFoundHandler()).ServeHTTP(
				httptest.NewRecorder(),
				forwarding,
			)
			s.limitRequests(0, NetworkFactor, nil)(http.NotFoundHandler()).ServeHTTP(
				httptest.NewRecorder(),
				forwarding,
			)
		},
		"wrong keys": func(s *Server) {
			for range 2 {
				s.CountGuess(httptest.NewRecorder(), forwarding, nil)
			}
		},
		"sockets": func(s *Server) {
			for range 2 {
				s.EnterSocket(forwarding)
			}
		},
	} {
		s, log := proxied(), &strings.Builder{}
		s.Log = slog.New(slog.NewTextHandler(log, nil))
		s.Limits.Sockets, s.guesses = 1, newCounter(1, NetworkFactor)
		forwarding.Header.Set("Accept", "application/json")
		for _, address := range []string{"198.51.100.7:1", "192.168.0.7:1", "192.168.0.7:1"} {
			forwarding.RemoteAddr = address
			reach(s)
		}
		if n := strings.Count(log.String(), "COINSLOT_TRUSTED_PROXIES"); n != 1 {
			t.Errorf("%s: %d hints; want one: %s", name, n, log)
		}
	}
}

func TestClientKey(t *testing.T) {
	for host, want := range map[string]string{
		"203.0.113.9":          "203.0.113.9",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
		"2001:db8:1:2::9":      "2001:db8:1:2::/64",
		"2001:db8:1:3::9":      "2001:db8:1:3::/64",
		"fe80::1%eth0":         "fe80::/64",
		"::ffff:203.0.113.9":   "::ffff:203.0.113.9",
		"pipe":                 "pipe",
		"":                     "",
	} {
		fortest.Equal(t, clientKey(host), want, "bucket(%q)", host)
	}
}

// A network may do four times as much as a client, however many addresses it has.
func TestNetworkLimit(t *testing.T) {
	for name, address := range map[string]func(i int) string{
		"/24":    func(i int) string { return fmt.Sprintf("203.0.113.%d", i) },
		"/48":    func(i int) string { return fmt.Sprintf("2001:db8:7:%x::1", i) },
		"mapped": func(i int) string { return fmt.Sprintf("::ffff:203.0.113.%d", i) },
	} {
		c, open, places := newCounter(5, NetworkFactor), 0, openCounter{}
		passed := 0
		for i := range 200 {
			if !c.exceeded(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil),
				address(i)) {
				passed++
			}
			if places.add(address(i), 5) {
				open++
			}
		}
		if passed != 20 || open != 20 {
			t.Errorf("%s: %d requests and %d sockets of 200 clients; want 20", name, passed, open)
		}
		if c.exceeded(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil),
			"198.51.100.1") ||
			!places.add("198.51.100.1", 5) {
			t.Errorf("%s: another network is refused", name)
		}
	}
}

// Each request to the gateway counts, and those of a post that exceeds the limit are all sent:
// half a change of coin is worse than none.
func TestChargeCalls(t *testing.T) {
	s := proxied()
	s.Limits.Calls = 5
	rates := gateway.NewLimiter(gateway.LimiterConfig{
		Rate:  100,
		Probe: func(context.Context) error { return nil },
	})
	sent := 0
	h := s.chargeCalls()(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		for range 4 {
			report := fortest.Must(rates.Acquire(r.Context(), true))(t)
			report(nil)
			sent++
		}
	}))
	got := []int{}
	for _, remote := range []string{
		"203.0.113.9:1", "203.0.113.9:1", "203.0.113.9:1", "203.0.113.10:1",
	} {
		w := httptest.NewRecorder()
		r := from(remote)
		r.Header.Set("Accept", "application/json")
		h.ServeHTTP(w, r)
		got = append(got, w.Code)
	}
	if want := []int{200, 200, 429, 200}; !slices.Equal(got, want) || sent != 12 {
		t.Errorf("answers = %v and %d requests; want %v and 12", got, sent, want)
	}
}
