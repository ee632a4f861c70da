package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/web"
)

// extraAddresses are more addresses to try, by pattern. {session} stands for several, {asset} and
// {release} for existing files.
var extraAddresses = map[string][]string{
	"GET /checkout":                       {"/checkout?item=coffee", "/checkout?item=tip&amount=7", "/checkout?item=x", "/checkout?order=x"},
	"GET /checkout/{session}":             {"/checkout/{session}?change=1", "/checkout/{session}?embed=inline&origin=https://evil.example"},
	"POST /checkout":                      {"/checkout?item=coffee"},
	"GET /checkout/{session}/qr.svg":      {"/checkout/{session}/qr.svg?kind=page", "/checkout/{session}/qr.svg?kind=x"},
	"GET /return":                         {"/return?tracking_code=x&order_id=1"},
	"POST /hooks/gateway/{token}":         {"/hooks/gateway/" + hookToken, "/hooks/gateway/wrong"},
	"GET /v1/sessions":                    {"/v1/sessions?limit=1", "/v1/sessions?cursor=x"},
	"GET /v1/transactions":                {"/v1/transactions?limit=1", "/v1/transactions?page=0"},
	"GET /v1/withdrawals":                 {"/v1/withdrawals?status=processing", "/v1/withdrawals?from_date=x"},
	"GET /v1/events":                      {"/v1/events?limit=1"},
	"GET /checkout/doctor":                {"/checkout/doctor?origin=https://evil.example", "/checkout/doctor?format=html"},
	"POST /checkout/doctor":               {"/checkout/doctor?format=html"},
	"GET /assets/{file}":                  {"{asset}", "/assets/none.js", "/assets/other.0123456789ab.js"},
	"GET /checkout/{version}/checkout.js": {"{release}", "/checkout/0.0.0/checkout.js"},
	"GET /icons/{file}":                   {"/icons/usdt.svg", "/icons/none.svg"},
	"GET /admin/":                         {"/admin/login", "/admin/none", "/admin/payments/{session}"},
	"POST /admin/":                        {"/admin/login", "/admin/logout", "/admin/none"},
	"/v1/":                                {"/v1/none"},
	"/":                                   {"/favicon.ico", "/checkout/", "//checkout", "/x/../return", "/checkout/%00"},
}

// routes are those of a server that has all there are.
func routes(t *testing.T) []web.Route {
	t.Helper()
	return newPolicyRig(t, ownOrigin, []string{shop}, noLimits).routes
}

// TestAddressesAreOfRoutes: what is tried is there.
func TestAddressesAreOfRoutes(t *testing.T) {
	seen := map[string]bool{"/": true}
	for _, route := range routes(t) {
		seen[route.Pattern] = true
	}
	for pattern := range extraAddresses {
		if !seen[pattern] {
			t.Errorf("%q is no route any more", pattern)
		}
	}
}

// addresses are what to try of a route.
func addresses(route web.Route) []string {
	_, path, found := strings.Cut(route.Pattern, " ")
	if !found {
		path = route.Pattern
	}
	list := extraAddresses[route.Pattern]
	if unknown := strings.ReplaceAll(path, "{session}", ""); !strings.Contains(unknown, "{") {
		list = append(slices.Clone(list), path)
	}
	return list
}

// described is the start of a route's text in docs/openapi.yaml.
func described(pattern string) string {
	method, path, _ := strings.Cut(pattern, " ")
	text := fmt.Sprintf("  %s:\n    %s:\n      tags: [Sessions]\n      operationId: …\n"+
		"      summary: …\n", path, strings.ToLower(method))
	if strings.Contains(path, "{session}") {
		text += "      parameters: [{$ref: '#/components/parameters/Session'}]\n"
	}
	return text + "      responses:\n        \"200\":\n          description: …\n" +
		"          content:\n            application/json:\n              schema: {}\n"
}
