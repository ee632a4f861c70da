package server_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/sandbox"
	"coinslot/bff/server"
	"coinslot/bff/server/servertest"
	"coinslot/bff/web"
	"coinslot/e2e/need"
	"coinslot/static"

	"github.com/google/go-cmp/cmp"
)

// The policies of pages, of other answers and of images.
const (
	pageStart      = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors "
	pageEnd        = "; require-trusted-types-for 'script'; trusted-types 'none'"
	pagePolicy     = pageStart + "'self' " + shop + pageEnd
	barePolicy     = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
	allowedHeaders = "accelerometer=(), autoplay=(), camera=(), clipboard-read=(), display-capture=(), encrypted-media=(), " +
		"fullscreen=(), geolocation=(), gyroscope=(), hid=(), idle-detection=(), local-fonts=(), magnetometer=(), microphone=(), midi=(), payment=(), " +
		"picture-in-picture=(), publickey-credentials-create=(), publickey-credentials-get=(), screen-wake-lock=(), serial=(), storage-access=(), " +
		"sync-xhr=(), usb=(), window-management=(), xr-spatial-tracking=(), clipboard-write=(self)"
)

// inlineScript is the one that a page of a frame has in it, and its policy by its hash.
var inlineScript = regexp.MustCompile(`(?s)<script [^>]*data-framed=[^>]*>(.+?)</script>`)

// scriptHash is what a policy calls it.
var scriptHash = regexp.MustCompile(` 'sha256-[\w+/=]+'`)

// policyOf has the headers of all answers of a kind.
func policyOf(kind, public string, origins []string) map[string]string {
	h := map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"}
	if strings.HasPrefix(public, "https:") {
		h["Strict-Transport-Security"] = "max-age=31536000"
	}
	kept := func(cache, readers string) {
		h["Content-Security-Policy"] = barePolicy + "; sandbox"
		h["Cache-Control"] = cache
		h["Vary"] = "Accept-Encoding"
		h["Cross-Origin-Resource-Policy"] = "cross-origin"
		h["Cross-Origin-Opener-Policy"] = "same-origin"
		if readers != "" {
			h["Access-Control-Allow-Origin"] = readers
		}
	}
	fresh := func(policy, resource, opener string) {
		h["Content-Security-Policy"] = policy
		h["Cache-Control"] = "no-store"
		h["Vary"] = "Accept, Accept-Language"
		h["Cross-Origin-Resource-Policy"], h["Cross-Origin-Opener-Policy"] = resource, opener
	}
	switch kind {
	case "page":
		fresh(pageStart+strings.Join(append([]string{"'self'"}, origins...), " ")+pageEnd,
			"cross-origin", "same-origin-allow-popups")
		h["Cross-Origin-Embedder-Policy"], h["Permissions-Policy"] = "require-corp", allowedHeaders
		h["Vary"] = "Accept, Accept-Encoding, Accept-Language"
	case "alone":
		fresh(pageStart+"'none'"+pageEnd, "same-origin", "same-origin")
		h["Cross-Origin-Embedder-Policy"], h["Permissions-Policy"] = "require-corp", allowedHeaders
		h["Vary"] = "Accept, Accept-Encoding, Accept-Language"
	case "doctor":
		fresh(pageStart+"'none'"+pageEnd+"; frame-src 'self'", "same-origin", "same-origin")
		h["Cross-Origin-Embedder-Policy"], h["Permissions-Policy"] = "require-corp", allowedHeaders
	case "data":
		fresh(barePolicy, "same-origin", "same-origin")
	case "moved", "elsewhere":
		fresh(barePolicy, "cross-origin", "same-origin-allow-popups")
		h["Cross-Origin-Embedder-Policy"] = "require-corp"
		if kind == "elsewhere" { // the balancer is to choose anew
			h["Connection"] = "close"
		}
	case "picture":
		fresh(barePolicy+"; sandbox", "same-origin", "same-origin")
		h["Vary"] = "Accept-Encoding"
	case "hashed":
		kept("public, max-age=31536000, immutable", "")
	case "script":
		kept("public, max-age=300, stale-while-revalidate=86400", "*")
	case "release":
		kept("public, max-age=31536000, immutable", "*")
	case "module":
		kept("public, max-age=60", "*")
		h["Vary"] = "Accept-Encoding, Accept-Language"
	case "manual":
		fresh(pageStart+"'none'"+pageEnd, "same-origin", "same-origin")
		h["Cross-Origin-Embedder-Policy"], h["Permissions-Policy"] = "require-corp", allowedHeaders
		h["Cache-Control"], h["Vary"] = "public, max-age=300", "Accept-Encoding"
	case "published":
		kept("public, max-age=300", "*")
	case "icon":
		kept("public, max-age=86400", "*")
	case "console":
		fresh(
			"default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
			"same-origin",
			"same-origin",
		)
		h["Cross-Origin-Embedder-Policy"], h["Permissions-Policy"] = "require-corp", strings.Replace(
			allowedHeaders,
			"=(self)",
			"=()",
			1,
		)
		h["Vary"], h["X-Robots-Tag"] = "Accept, Cookie", "noindex, nofollow"
	default:
		panic("no such kind: " + kind)
	}
	return h
}

// policyRig is a server in which sessions of every sort are.
type policyRig struct {
	*rig
	origins  []string
	routes   []web.Route
	sessions []string
	paths    map[string]string // what {asset} and {release} stand for
	seen     map[int]int       // answers by status
	sent     int
}

func newPolicyRig(t *testing.T, public string, origins []string, limits web.Limits) *policyRig {
	t.Helper()
	gateway, c := servertest.NewGateway(t)
	c.PublicURL = public
	c.Origins = origins
	c.AdminPassword = config.NewSecret(servertest.ConsoleHash)
	r, _ := startWith(t, gateway, c, server.Options{
		Limits: limits,
		Kinds:  []string{"pay"},
		Simulate: func(_ context.Context, code, kind string) error {
			if kind == "panic" {
				panic("canary of the cause")
			}
			return gateway.Pay(code, sandbox.Kind(kind))
		}})
	w := &policyRig{rig: r, origins: origins, routes: r.routes, seen: map[int]int{}}
	return w
}

// populate opens sessions of every sort, and finds files.
func (w *policyRig) populate() {
	w.T.Helper()
	open := w.Open(`{"amount_usd":"25.00"}`)
	pending := w.Open(`{"amount_usd":"25.00"}`)
	paid := w.Open(`{"amount_usd":"25.00"}`)
	ended := w.Open(`{"amount_usd":"25.00"}`)
	w.Choose(pending)
	w.Await(pending, "pending")
	w.Choose(paid)
	w.Await(paid, "pending")
	w.Do("POST", "/checkout/"+paid+"/simulate", `{"kind":"pay"}`, isJSON)
	w.Await(paid, "confirmed")
	w.Do("POST", "/v1/sessions/"+ended+"/cancel", "", bearer)
	w.sessions = []string{open, pending, paid, ended, "cs_aaaaaaaaaaaaaaaaaaaaaaaaaa", "cs_none"}
	text := w.Do("GET", "/checkout/"+open, "").Body.String()
	version := regexp.MustCompile(`version:\s*"([0-9.]+)"`).FindStringSubmatch(w.Do("GET",
		"/checkout.js", "").Body.String())
	asset := regexp.MustCompile(`/assets/checkout\.[0-9a-f]+\.css`).FindString(text)
	if version == nil || asset == "" {
		w.T.Fatal("the page or checkout.js names no file")
	}
	w.paths = map[string]string{
		"{asset}":   asset,
		"{release}": "/checkout/" + version[1] + "/checkout.js",
	}
}

// expand returns the addresses that a path of routes stands for.
func (w *policyRig) expand(path string) (list []string) {
	if known := w.paths[path]; known != "" {
		return []string{known}
	}
	if !strings.Contains(path, "{session}") {
		return []string{path}
	}
	for _, id := range w.sessions {
		list = append(list, strings.ReplaceAll(path, "{session}", id))
	}
	return list
}

// canary is in every part of a request that an answer might repeat.
const canary = "canary-of-the-request"

// try makes a request that holds the canary wherever it can and judges the answer.
func (w *policyRig) try(
	t *testing.T, kind, method, path, body string, headers ...string,
) *httptest.ResponseRecorder {
	t.Helper()
	w.sent++
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	marked := append([]string{
		"X-Request-Id: " + canary, "Referer: https://" + canary + ".example",
		"X-Forwarded-Host: " + canary, "Cookie: a=" + canary, "Accept-Language: " + canary,
		"User-Agent: " + canary, "Idempotency-Key: " + canary + strconv.Itoa(w.sent),
	}, headers...)
	answer := w.DoTo(canary+
		".example", method, path+separator+"theme="+canary+"&lang="+canary+"&origin=https://"+
		canary+".example", body, marked...)
	w.seen[answer.Code]++
	for _, wrong := range w.check(kind, answer) {
		t.Errorf("%s %s %.40q %v = %d: %s", method, path, body, headers, answer.Code, wrong)
	}
	return answer
}

// single are headers that some answers of a kind have and others have not.
var single = []string{
	"Content-Type", "Content-Length", "Content-Encoding", "Etag", "Location", "Allow",
	"Www-Authenticate", "Retry-After", "Refresh", "Idempotent-Replayed", "X-Request-Id", "Upgrade",
	"Sec-Websocket-Version",
}

var (
	requestID = regexp.MustCompile(`^req_[a-z2-7]{16}$`)
	// exampleSession is that of docs/openapi.yaml.
	exampleSession = "cs_gxgmnqajn3xse75gpyn7wtum26"
	sessionID      = regexp.MustCompile(`cs_[a-z2-7]{26}`)
)

// check returns what is wrong with an answer of a route of that kind.
func (w *policyRig) check(kind string, answer *httptest.ResponseRecorder) (wrong []string) {
	fail := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	got, mime := map[string]string{}, ""
	for name, values := range answer.Header() {
		if len(values) != 1 {
			fail("%s is there %d times", name, len(values))
		}
		if !slices.Contains(single, name) {
			got[name] = values[0]
		}
	}
	mime, _, _ = strings.Cut(answer.Header().Get("Content-Type"), ";")
	want := policyOf(kindOf(kind, answer.Code, mime), w.Public, w.origins)
	if answer.Code == http.StatusUpgradeRequired {
		want["Connection"] = "Upgrade"
	}
	if script := inlineScript.FindStringSubmatch(answer.Body.String()); script != nil {
		hash := sha256.Sum256([]byte(script[1]))
		want["Content-Security-Policy"] = strings.Replace(want["Content-Security-Policy"], "'self'",
			"'self' 'sha256-"+base64.StdEncoding.EncodeToString(hash[:])+"'", 1)
	}
	if answer.Body.Len() == 0 ||
		answer.Header().Get("Content-Encoding") != "" { // not to be read here
		got["Content-Security-Policy"] = scriptHash.ReplaceAllString(got["Content-Security-Policy"],
			"")
	}
	// Those of pages in frames vary by one more header, which docs/security.md has.
	got["Vary"] = strings.TrimSuffix(got["Vary"], ", Available-Dictionary")
	if diff := cmp.Diff(want, got); diff != "" {
		fail("headers (-want +got):\n%s", diff)
	}
	all := fmt.Sprint(answer.Header())
	if answer.Code != http.StatusTemporaryRedirect &&
		strings.Contains(all, canary) { // its Location is the address asked for, in order
		fail("a header repeats the request: %s", all)
	}
	w.NoSecrets(all+answer.Body.String(), "an answer")
	if strings.HasPrefix(answer.Header().Get("Cache-Control"), "public") &&
		sessionID.MatchString(strings.ReplaceAll(answer.Body.String(), exampleSession, "")) {
		fail("it may be kept, and holds a session")
	}
	return append(wrong, form(answer, mime)...)
}

// form returns what is wrong with an answer's own headers and, if it is an error, its body.
func form(answer *httptest.ResponseRecorder, mime string) (wrong []string) {
	h := answer.Header()
	if !requestID.MatchString(h.Get("X-Request-Id")) {
		wrong = append(wrong, "X-Request-Id is "+h.Get("X-Request-Id"))
	}
	to := h.Get("Location")
	if to != "" && (!strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//")) {
		wrong = append(wrong, "it leads away, to "+to)
	}
	for status, name := range map[int]string{
		405: "Allow",
		401: "Www-Authenticate",
		426: "Upgrade",
		429: "Retry-After",
		503: "Retry-After",
	} {
		if (answer.Code == status) != (h.Get(name) != "") && answer.Code != 429 &&
			answer.Code != 503 ||
			answer.Code == status && h.Get(name) == "" {
			wrong = append(wrong, fmt.Sprintf("%s is %q", name, h.Get(name)))
		}
	}
	var problem struct {
		Status int
		Code   string
		ID     string `json:"request_id"`
	}
	switch {
	case answer.Code < 400 || mime == "text/html":
	case mime != "application/problem+json":
		wrong = append(wrong, fmt.Sprintf("an error of no known form: %.100s", answer.Body))
	case answer.Body.Len() > 0 &&
		json.Unmarshal(
			answer.Body.Bytes(),
			&problem,
		) != nil, problem.Status != answer.Code || problem.Code == "" ||
		problem.ID != h.Get("X-Request-Id"):
		wrong = append(wrong,
			fmt.Sprintf("problem %.200s of request %s", answer.Body, h.Get("X-Request-Id")))
	}
	return wrong
}

// kindOf is the kind of an answer of that status, by a route of that kind.
func kindOf(kind string, status int, mime string) string {
	switch {
	case kind == "console" &&
		(status < 300 || status == http.StatusSeeOther || mime == "text/html"):
		return kind
	case status == http.StatusSeeOther:
		return "moved"
	case status == http.StatusTemporaryRedirect && kind == "hashed":
		return "elsewhere"
	case status == http.StatusTemporaryRedirect:
		return "data" // the way is put in order before there is a route
	case status >= 400 && mime == "text/html":
		return "page"
	case status >= 400 || (kind == "doctor" || kind == "page") && mime != "text/html":
		return "data"
	}
	return kind
}

// TestPolicy sends all methods with a few bodies to every route of two deployments and compares
// all headers.
func TestPolicy(t *testing.T) {
	need.Assets(t, static.Files)
	every := []string{"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "CONNECT", "get", "POST"}
	some := []string{"GET", "POST"} // which shops there are decides headers, not methods
	for name, c := range map[string]struct {
		public  string
		origins []string
		methods []string
	}{
		"one shop": {ownOrigin, []string{shop}, every},
		"https and three shops": {
			"https://pay.example",
			[]string{"https://a.example", "https://b.example:8443", "http://localhost:3000"},
			some,
		},
		"no shop": {"https://pay.example", nil, some},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newPolicyRig(t, c.public, c.origins, servertest.NoLimits)
			w.populate()
			for _, route := range append(w.routes, web.Route{Pattern: "/"}) {
				t.Run(route.Pattern, func(t *testing.T) { w.crawl(t, route, c.methods) })
			}
			t.Run("statuses", w.statuses)
			t.Logf("%d requests, statuses %v", w.sent, w.seen)
		})
	}
}

// crawl asks a route in all ways.
func (w *policyRig) crawl(t *testing.T, route web.Route, methods []string) {
	pattern, kind := route.Pattern, route.Kind.String()
	tried := addresses(route)
	if len(tried) == 0 {
		t.Errorf("%s has a variable of its own: say in extraAddresses what to try", pattern)
	}
	for _, path := range tried {
		for _, path := range w.expand(path) {
			for _, method := range methods {
				for _, in := range []struct {
					body    string
					headers []string
				}{
					{"", []string{"Accept: text/html", bearer}},
					{
						`{"as":"x"}`,
						[]string{isJSON, bearer, "Accept: application/json", "Accept-Encoding: br"},
					},
					{
						"currency_symbol=DOGE&network_code=x",
						[]string{isForm, "Accept: text/html,*/*", "Origin: " + w.Public},
					},
					{"%", []string{"Content-Type: \x01", "Origin: https://" + canary + ".example"}},
				} {
					own := kind
					if method == "POST" && !strings.HasPrefix(pattern, "POST") && kind != "doctor" {
						own = "data"
					} else if strings.HasPrefix(pattern, "POST") &&
						(method == "GET" || method == "HEAD") {
						own = w.other(path, own)
					}
					if kind == "console" {
						own = ofConsole(method, path)
					}
					w.try(t, own, method, path, in.body, in.headers...)
				}
			}
		}
	}
}

// ofConsole is the kind of what the console's address answers to a method.
func ofConsole(method, path string) string {
	switch {
	case method == "GET", method == "HEAD", method == "POST" && strings.HasPrefix(path, "/admin/"):
		return "console"
	}
	return "data" // it is not the console's
}

// other is the kind of the GET answer at the address of a POST route, if there is one.
func (w *policyRig) other(path, kind string) string {
	if bare, _, _ := strings.Cut(path, "?"); bare == "/checkout" {
		return "page"
	}
	return kind
}

// statuses makes the answers that a crawl does not lead to.
func (w *policyRig) statuses(t *testing.T) {
	open := w.Open(`{"amount_usd":"25.00","order_ref":"a"}`)
	pending := w.sessions[1]
	paid := w.sessions[2]
	good := `{"currency_symbol":"USDT","network_code":"trc20"}`
	asset := w.try(t, "hashed", "GET", w.paths["{asset}"], "").Header().Get("Etag")
	for _, c := range []struct {
		kind, method, path, body string
		status                   int
		headers                  []string
	}{
		{"data", "POST", "/v1/sessions", `{"amount_usd":"5"}`, 201, []string{bearer, isJSON}},
		{
			"data",
			"POST",
			"/v1/sessions",
			`{"amount_usd":"6.00","order_ref":"a"}`,
			409,
			[]string{bearer, isJSON},
		},
		{"data", "POST", "/v1/sessions", `{`, 400, []string{bearer, isJSON}},
		{"data", "POST", "/v1/sessions", `{}`, 401, []string{isJSON}},
		{
			"data",
			"POST",
			"/v1/sessions",
			strings.Repeat(" ", 65<<10),
			413,
			[]string{bearer, isJSON},
		},
		{"data", "POST", "/v1/sessions", `{}`, 415, []string{bearer}},
		{"data", "POST", "/checkout/" + open + "/attempts", good, 200, []string{isJSON}},
		{
			"moved",
			"POST",
			"/checkout/" + open + "/attempts",
			"currency_symbol=USDT&network_code=trc20",
			303,
			[]string{isForm},
		},
		{"data", "POST", "/checkout/" + paid + "/attempts", good, 409, []string{isJSON}},
		{
			"page",
			"POST",
			"/checkout/" + paid + "/attempts",
			"currency_symbol=USDT&network_code=trc20",
			409,
			[]string{isForm, "Accept: text/html"},
		},
		{
			"data",
			"POST",
			"/checkout/" + open + "/cancel",
			"{}",
			403,
			[]string{isJSON, "Origin: https://evil.example"},
		},
		{
			"page",
			"POST",
			"/checkout/" + open + "/cancel",
			"a=" + strings.Repeat("a", 65<<10),
			413,
			[]string{isForm, "Accept: text/html"},
		},
		{"data", "POST", "/checkout/" + w.sessions[3] + "/attempts", good, 410, []string{isJSON}},
		{"hashed", "GET", w.paths["{asset}"], "", 304, []string{"If-None-Match: " + asset}},
		{"script", "GET", "/checkout.js", "", 304, []string{"If-None-Match: *"}},
		{"data", "POST", "/hooks/gateway/" + hookToken, "", 204, nil},
		{
			"data",
			"POST",
			"/checkout/" + pending + "/simulate",
			`{"kind":"panic"}`,
			500,
			[]string{isJSON},
		},
		{
			"data",
			"POST",
			"/checkout/" + pending + "/simulate",
			"kind=panic",
			500,
			[]string{isForm, "Accept: text/html"},
		},
		{
			"data",
			"GET",
			"/checkout/" + open + "/live",
			"",
			403,
			[]string{"Origin: https://evil.example"},
		},
		{"data", "GET", "/checkout/" + open + "/live", "", 426, []string{"Origin: " + w.Public}},
		{
			"data",
			"GET",
			"/checkout/cs_none/live",
			"",
			404,
			[]string{"Origin: " + w.Public, "Connection: Upgrade", "Upgrade: websocket"},
		},
	} {
		fortest.Answer(t, c.method+" "+c.path+" "+c.body,
			w.try(t, c.kind, c.method, c.path, c.body, c.headers...), c.status)
	}
	for _, status := range []int{
		200, 201, 204, 303, 304, 307, 400, 401, 403, 404, 405, 409, 410, 413, 415, 422, 426, 500,
	} {
		if w.seen[status] == 0 {
			t.Errorf("no answer was %d", status)
		}
	}
}
