package server_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// routes is what every route answers when all is well, by its pattern: the kind,
// and addresses to try. {session} stands for several. The kind is one of
// policyOf; "ops" is of another listener, and nothing here.
var routes = map[string]struct {
	kind  string
	paths []string
}{
	"GET /checkout":                       {"page", []string{"/checkout", "/checkout?item=coffee", "/checkout?item=tip&amount=7", "/checkout?item=x", "/checkout?order=x"}},
	"GET /checkout/{session}":             {"page", []string{"/checkout/{session}", "/checkout/{session}?change=1", "/checkout/{session}?embed=inline&origin=https://evil.example"}},
	"GET /checkout/{session}/receipt":     {"page", []string{"/checkout/{session}/receipt"}},
	"POST /checkout":                      {"data", []string{"/checkout", "/checkout?item=coffee"}},
	"POST /checkout/{session}/attempts":   {"data", []string{"/checkout/{session}/attempts"}},
	"POST /checkout/{session}/extend":     {"data", []string{"/checkout/{session}/extend"}},
	"POST /checkout/{session}/cancel":     {"data", []string{"/checkout/{session}/cancel"}},
	"POST /checkout/{session}/recheck":    {"data", []string{"/checkout/{session}/recheck"}},
	"POST /checkout/{session}/simulate":   {"data", []string{"/checkout/{session}/simulate"}},
	"GET /checkout/{session}/view":        {"data", []string{"/checkout/{session}/view"}},
	"GET /checkout/{session}/live":        {"data", []string{"/checkout/{session}/live"}},
	"GET /checkout/{session}/qr.svg":      {"picture", []string{"/checkout/{session}/qr.svg", "/checkout/{session}/qr.svg?kind=page", "/checkout/{session}/qr.svg?kind=x"}},
	"GET /return":                         {"alone", []string{"/return", "/return?tracking_code=x&order_id=1"}},
	"POST /hooks/gateway/{token}":         {"data", []string{"/hooks/gateway/" + hookToken, "/hooks/gateway/wrong"}},
	"POST /v1/sessions":                   {"data", []string{"/v1/sessions"}},
	"GET /v1/sessions":                    {"data", []string{"/v1/sessions?limit=1", "/v1/sessions?cursor=x"}},
	"GET /v1/sessions/{session}":          {"data", []string{"/v1/sessions/{session}"}},
	"POST /v1/sessions/{session}/cancel":  {"data", []string{"/v1/sessions/{session}/cancel"}},
	"POST /v1/sessions/{session}/recheck": {"data", []string{"/v1/sessions/{session}/recheck"}},
	"POST /v1/sessions/{session}/resolve": {"data", []string{"/v1/sessions/{session}/resolve"}},
	"GET /v1/currencies":                  {"data", []string{"/v1/currencies"}},
	"GET /v1/transactions":                {"data", []string{"/v1/transactions?limit=1", "/v1/transactions?page=0"}},
	"GET /v1/withdrawals":                 {"data", []string{"/v1/withdrawals?status=processing", "/v1/withdrawals?from_date=x"}},
	"GET /v1/events":                      {"data", []string{"/v1/events?limit=1"}},
	"POST /v1/events/replay":              {"data", []string{"/v1/events/replay"}},
	"POST /v1/webhooks/test":              {"data", []string{"/v1/webhooks/test"}},
	"GET /checkout/doctor":                {"doctor", []string{"/checkout/doctor", "/checkout/doctor?origin=https://evil.example", "/checkout/doctor?format=html"}},
	"POST /checkout/doctor":               {"doctor", []string{"/checkout/doctor", "/checkout/doctor?format=html"}},
	"GET /checkout/doctor/live":           {"data", []string{"/checkout/doctor/live"}},
	"GET /assets/{file}":                  {"hashed", []string{"{asset}", "/assets/none.js", "/assets/other.0123456789ab.js"}},
	"GET /checkout.js":                    {"script", []string{"/checkout.js"}},
	"GET /checkout/{version}/checkout.js": {"release", []string{"{release}", "/checkout/0.0.0/checkout.js"}},
	"GET /checkout/embed.js":              {"module", []string{"/checkout/embed.js"}},
	"GET /checkout.d.ts":                  {"published", []string{"/checkout.d.ts"}},
	"GET /.well-known/jwks.json":          {"published", []string{"/.well-known/jwks.json"}},
	"GET /openapi.json":                   {"published", []string{"/openapi.json"}},
	"GET /docs/api":                       {"manual", []string{"/docs/api"}},
	"GET /docs/errors":                    {"manual", []string{"/docs/errors"}},
	"GET /custom-elements.json":           {"published", []string{"/custom-elements.json"}},
	"GET /web-types.json":                 {"published", []string{"/web-types.json"}},
	"GET /icons/{file}":                   {"icon", []string{"/icons/usdt.svg", "/icons/none.svg"}},
	"GET /admin":                          {"console", []string{"/admin"}},
	"GET /admin/":                         {"console", []string{"/admin/", "/admin/login", "/admin/none", "/admin/payments/{session}"}},
	"POST /admin/":                        {"console", []string{"/admin/login", "/admin/logout", "/admin/none"}},
	"GET /healthz":                        {"ops", []string{"/healthz"}},
	"GET /readyz":                         {"ops", []string{"/readyz"}},
	"GET /metrics":                        {"ops", []string{"/metrics"}},
	"/v1/":                                {"data", []string{"/v1/", "/v1/none"}},
	"/":                                   {"data", []string{"/", "/favicon.ico", "/checkout/", "//checkout", "/x/../return", "/checkout/%00"}},
}

// patterns reads the routes that package web registers: what is the first
// argument of a call and looks like one.
func patterns(t *testing.T) (list []string) {
	t.Helper()
	files, err := filepath.Glob("../web/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	route := regexp.MustCompile(`^[A-Z]+ /`)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && len(call.Args) > 1 {
				if text, ok := call.Args[0].(*ast.BasicLit); ok && text.Kind == token.STRING {
					if pattern, err := strconv.Unquote(text.Value); err == nil && (route.MatchString(pattern) || pattern == "/" || pattern == "/v1/") {
						list = append(list, pattern)
					}
				}
			}
			return true
		})
	}
	return list
}

// TestEveryRouteHasAPolicy holds the table above and the routes of the server
// together: who adds a route says here of which kind its answers are, and
// policyOf what headers these have.
func TestEveryRouteHasAPolicy(t *testing.T) {
	list := patterns(t)
	for _, pattern := range list {
		if _, ok := routes[pattern]; !ok {
			t.Errorf("%q has no kind: add it to routes", pattern)
		}
	}
	for pattern := range routes {
		if !slices.Contains(list, pattern) {
			t.Errorf("%q is no route any more", pattern)
		}
	}
}
