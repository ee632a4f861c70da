package server_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/bff/server/servertest"
	"coinslot/bff/web"
	"coinslot/e2e/need"
	"coinslot/static"

	"github.com/google/go-cmp/cmp"
)

// few are limits that are reached at once.
var few = web.Limits{Reads: 5, Posts: 8, Calls: 6, Guesses: 3, Sockets: 2}

// TestLimits reaches each limit of a client: one more is 429 with the usual headers, while other
// clients continue.
func TestLimits(t *testing.T) {
	w := newPolicyRig(t, ownOrigin, []string{shop}, few)
	id := w.Open(`{"amount_usd":"25.00"}`)
	page := "/checkout/" + id
	for name, c := range map[string]struct {
		most                int
		method, path, other string // other is what counts together with path
		headers             []string
		before              int // the status of those that are not too many
	}{
		"pages": {
			few.Reads,
			"GET",
			page,
			page + "/view",
			[]string{"Accept: text/html"},
			200,
		},
		"views": {
			few.Reads,
			"GET",
			page + "/view",
			"/checkout/none",
			[]string{"Accept: application/json"},
			200,
		},
		"pictures": {few.Reads, "HEAD", page + "/qr.svg?kind=page", page, nil, 200},
		"orders": {
			few.Reads,
			"GET",
			"/checkout?item=coffee",
			"/return",
			[]string{"Accept: text/html"},
			200,
		},
		"returns": {
			few.Reads,
			"GET",
			"/return?status=x",
			"/checkout/doctor",
			[]string{"Accept: text/html"},
			200,
		},
		"B38 sessions": {
			few.Reads, "GET", "/checkout/cs_aaaaaaaaaaaaaaaaaaaaaaaaaa", "/nothing", nil, 404,
		},
		"refused sockets": {few.Reads, "GET", page + "/live", page, nil, 403},
		"what is not there": {
			few.Reads,
			"GET",
			"/wp-login.php",
			"/",
			[]string{"Accept: text/html"},
			404,
		},
		"posts": {
			few.Posts,
			"POST",
			"/checkout/doctor",
			"/checkout/doctor",
			[]string{"Accept: application/json"},
			200,
		},
		"actions": {
			few.Calls / 3,
			"POST",
			page + "/recheck",
			page + "/cancel",
			[]string{"Accept: application/json"},
			409,
		},
		"actions by forms": {
			few.Calls / 3,
			"POST",
			page + "/recheck",
			page + "/cancel",
			[]string{isForm, "Accept: text/html"},
			409,
		},
		"choices": {
			few.Calls,
			"POST",
			page + "/attempts",
			"/checkout",
			[]string{isJSON},
			422,
		},
		"extensions": {
			few.Calls,
			"POST",
			page + "/extend",
			page + "/attempts",
			[]string{isJSON},
			409,
		},
		"wrong keys": {
			few.Guesses,
			"GET",
			"/v1/sessions",
			"/v1/currencies",
			[]string{"Authorization: Bearer wrong"},
			401,
		},
		"no keys": {few.Guesses, "GET", "/v1/sessions", "/v1/none", nil, 401},
		"wrong hook tokens": {
			few.Guesses, "POST", "/hooks/gateway/wrong", "/hooks/gateway/none", nil, 404,
		},
		"wrong returns": {
			few.Guesses,
			"GET",
			"/return?tracking_code=x&order_id=123456",
			"/return?tracking_code=y",
			[]string{"Accept: text/html"},
			200,
		},
		"codes and tokens": {
			few.Guesses,
			"GET",
			"/return?tracking_code=x",
			"/v1/sessions",
			[]string{"Accept: text/html"},
			200,
		},
		"keys and tokens": {
			few.Guesses,
			"POST",
			"/hooks/gateway/wrong",
			"/v1/sessions",
			[]string{isJSON},
			404,
		},
		"keys of other form": {
			few.Guesses,
			"GET",
			"/v1/events",
			"/v1/sessions",
			[]string{"Authorization: Basic " + secretKey},
			401,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w.sent++
			addr := fmt.Sprintf("[2001:db8:%x::1]", w.sent)
			same := fmt.Sprintf("[2001:db8:%x:0:a:b:c:d]", w.sent) // of the same /64
			other := fmt.Sprintf("[2001:db8:%x:1::1]", w.sent)
			for i := range c.most {
				if got := w.DoFrom(addr, c.method, c.path, "", c.headers...); got.Code != c.before {
					t.Fatalf("request %d = %d %.200s; want %d", i+1, got.Code, got.Body, c.before)
				}
			}
			for _, path := range []string{c.path, c.other} {
				got := w.DoFrom(same, c.method, path, "", c.headers...)
				fortest.Equal(t, got.Code, 429, "one more, at %s", path)
				page := got.Header().Get("Content-Type") == "text/html; charset=utf-8"
				if (got.Header().Get("Refresh") != "") != (page && c.method == "GET") {
					t.Errorf("one more, at %s: Refresh is %q", path, got.Header().Get("Refresh"))
				}
				if wrong := w.check("data", got); wrong != nil && c.method != "HEAD" {
					t.Errorf("one more, at %s: %s", path, strings.Join(wrong, "; "))
				}
				if strings.Contains(got.Body.String(), "25.00") && c.method == "GET" {
					t.Errorf("one more, at %s, is answered with the session", path)
				}
			}
			fortest.Equal(t, w.DoFrom(other, c.method, c.path, "", c.headers...).Code, c.before,
				"somebody else")
		})
	}
}

// Files have no limit, nor have requests with the right key or token, whatever was guessed from
// that address.
func TestUnlimited(t *testing.T) {
	need.Assets(t, static.Files) // checkout.d.ts is one of them
	w := newPolicyRig(t, ownOrigin, []string{shop}, few)
	for range 20 {
		w.DoFrom("198.51.100.1", "GET", "/v1/sessions", "")
		w.DoFrom("198.51.100.1", "GET", "/return", "")
	}
	for _, c := range []struct {
		method, path string
		status       int
		headers      []string
	}{
		{"GET", "/v1/sessions", 200, []string{bearer}},
		{"POST", "/hooks/gateway/" + hookToken, 204, nil},
		{"GET", "/checkout.js", 200, nil},
		{"GET", "/icons/usdt.svg", 200, nil},
		{"GET", "/assets/none.js", 404, nil},
		{"GET", "/checkout.d.ts", 200, nil},
	} {
		for i := range 30 {
			got := w.DoFrom("198.51.100.1", c.method, c.path, "", c.headers...)
			if got.Code != c.status {
				t.Fatalf("%s %s for the %dth time = %d; want %d", c.method, c.path, i+1, got.Code,
					c.status)
			}
		}
	}
}

// An unconfigured proxy on this machine does not make all shoppers one client; a warning is logged.
func TestLoopbackIsNotLimited(t *testing.T) {
	w := newPolicyRig(t, ownOrigin, []string{shop}, web.Limits{Reads: 5, Calls: 2, Sockets: 1})
	addr, id := listen(t, w.Handler), w.Open(`{"amount_usd":"25.00"}`)
	for i := range 20 {
		if got := w.DoFrom("127.0.0.9", "GET", "/checkout/"+id+"/view", ""); got.Code != 200 {
			t.Fatalf("the view for the %dth time = %d; want 200", i+1, got.Code)
		}
	}
	next(t, connect(t, addr, id))
	next(t, connect(t, addr, id))
	if got := w.DoFrom(
		"127.0.0.9",
		"GET",
		"/return",
		"",
		"X-Forwarded-For: 203.0.113.9",
	); got.Code >= 400 || !strings.Contains(w.Log.String(), "COINSLOT_TRUSTED_PROXIES") {
		t.Errorf("through a proxy = %d, and the log does not name the setting", got.Code)
	}
	for range 3 {
		w.DoFrom("127.0.0.9", "POST", "/checkout/none/attempts", "", isForm)
	}
	fortest.Equal(t, w.DoFrom("127.0.0.9", "POST", "/checkout/none/attempts", "", isForm).Code, 429,
		"the fifth start of everybody's budget")
}

// A client has a maximum of sockets in all sessions; closing one makes room, and the page can poll.
func TestSocketsOfAClient(t *testing.T) {
	w := newPolicyRig(t, ownOrigin, []string{shop}, web.Limits{Sockets: 2})
	addr := listen(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		r.RemoteAddr = "10.0.0.9:1234" // this machine has no limit
		w.Handler.ServeHTTP(rw, r)
	}))
	ids := []string{
		w.Open(`{"amount_usd":"25.00"}`), w.Open(`{"amount_usd":"26.00"}`),
		w.Open(`{"amount_usd":"27.00"}`),
	}
	first := connect(t, addr, ids[0])
	next(t, first)
	next(t, connect(t, addr, ids[1]))
	_, refused, err := dial(addr, ids[2], "X-Forwarded-For: 203.0.113.9")
	if err == nil || refused.StatusCode != 429 || refused.Header.Get("Retry-After") == "" ||
		!requestID.MatchString(refused.Header.Get("X-Request-Id")) {
		t.Fatalf("the third = %v, %v; want 429", refused, err)
	}
	fortest.Has(t, "it is not said that a proxy may stand between", w.Log.String(),
		"COINSLOT_TRUSTED_PROXIES")
	fortest.Equal(t, w.Do("GET", "/checkout/"+ids[2]+"/view", "").Code, 200, "the view")
	first.Close()
	fortest.Until(t, "there is room again", func() bool {
		conn, response, err := dial(addr, ids[2])
		if err != nil {
			return false
		}
		defer conn.Close()
		if !requestID.MatchString(response.Header.Get("X-Request-Id")) ||
			len(response.Header) != 4 {
			t.Errorf("headers of the upgrade = %v", response.Header)
		}
		return true
	})
	fortest.Until(t, "no goroutine of a socket but one is left",
		func() bool { return handling() <= 2 })
}

// An unreachable gateway is 503 with the usual headers; pages explain it, and nothing is lost.
func TestPolicyOfErrors(t *testing.T) {
	w := newPolicyRig(t, ownOrigin, []string{shop}, servertest.NoLimits)
	w.Gateway.Inject(sandbox.Fault{Status: 500, Times: -1})
	id := w.Open(`{"amount_usd":"25.00"}`)
	page := w.try(t, "page", "GET", "/checkout/"+id, "", "Accept: text/html")
	if page.Code != 200 || !strings.Contains(page.Body.String(), `data-part="error"`) {
		t.Errorf("the page = %d; want 200 with an error text", page.Code)
	}
	const choice = "currency_symbol=USDT&network_code=trc20"
	for _, c := range []struct{ kind, method, path, body, accept string }{
		{"data", "POST", "/checkout/" + id + "/attempts", choice, "application/json"},
		{"page", "POST", "/checkout/" + id + "/attempts", choice, "text/html"},
	} {
		fortest.Answer(t, c.method+" "+c.path+" for "+c.accept,
			w.try(t, c.kind, c.method, c.path, c.body, isForm, bearer, "Accept: "+c.accept), 503)
	}
	list := w.Do("GET", "/v1/currencies", "", bearer)
	if wrong := w.check("data", list); list.Code != 503 || wrong != nil {
		t.Errorf("the currencies = %d; want 503: %v", list.Code, wrong)
	}
	w.Gateway.ClearFaults()
	fortest.Until(t, "a coin can be chosen again", func() bool {
		return w.Do("POST", "/checkout/"+id+"/attempts", choice, isForm).Code == 303
	})
}

// Errors of the listener before there is a request are plain text without details, and close the
// connection.
func TestPolicyBelowHTTP(t *testing.T) {
	w := newPolicyRig(t, ownOrigin, []string{shop}, servertest.NoLimits)
	addr := listen(t, w.Handler)
	for text, want := range map[string]int{
		"GET / HTTP/1.1\r\nHost: x\r\nX-A: " + strings.Repeat(canary, 2000) +
			"\r\n\r\n": 431,
		"GET / HTTP/1.1\r\nX-A: " + canary +
			"\r\n\r\n": 400,
		"GET /" + canary +
			"%zz HTTP/1.1\r\nHost: x\r\n\r\n": 400,
		"GET / HTTP/9.9\r\nHost: " + canary +
			"\r\n\r\n": 505,
		"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: " + canary +
			"\r\n\r\n": 501,
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\nX-A: " + canary +
			"\r\n\r\nxx": 400,
	} {
		conn := fortest.Must(net.Dial("tcp", addr))(t)
		conn.SetDeadline(time.Now().Add(10 * time.Second))
		fmt.Fprint(conn, text)
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%.60q: %v", text, err)
		}
		if response.StatusCode != want || !response.Close {
			t.Errorf("%.60q = %d; want %d and the end", text, response.StatusCode, want)
		}
		got := fmt.Sprint(response.Header)
		diff := cmp.Diff([]string{"text/plain; charset=utf-8"}, response.Header["Content-Type"])
		if diff != "" || len(response.Header) > 2 || strings.Contains(got, canary) {
			t.Errorf("%.60q has headers %s", text, got)
		}
		conn.Close()
	}
}
