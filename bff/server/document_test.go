package server_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"coinslot/app/wire"
	"coinslot/bff/check"
	"coinslot/bff/config"
	"coinslot/bff/fortest"
	"coinslot/bff/metrics"
	"coinslot/bff/payment"
	"coinslot/bff/server/servertest"
	shoppers "coinslot/bff/shop"
	"coinslot/bff/web"
	"coinslot/e2e/need"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The document has exactly the routes of the server, without the operator's pages.
func TestEveryRouteIsDocumented(t *testing.T) {
	got, want := map[string]bool{}, map[string]bool{}
	written().each(func(route string, _ map[string]any) { got[route] = true })
	for _, pattern := range []string{"GET /healthz", "GET /readyz", "GET /metrics"} {
		want[pattern] = true // of the operator's listener, see web.Ops
	}
	for _, route := range routes(t) {
		if want[route.Pattern] = !route.Undocumented; !route.Undocumented && !got[route.Pattern] {
			t.Errorf("docs/openapi.yaml lacks this; fill it in:\n%s", described(route.Pattern))
		}
	}
	maps.DeleteFunc(want, func(_ string, documented bool) bool { return !documented })
	fortest.Diff(t, got, want, "routes (-server +docs/openapi.yaml)")
}

// The document is valid by OpenAPI's own schema, which make install-all downloads.
func TestFullDocumentIsOpenAPI(t *testing.T) {
	raw := fortest.Must(os.ReadFile(need.File(t,
		"../../.cache/npm/openapi/schemas/v3.1/schema.json")))(t)
	schema := fortest.Must(jsonschema.UnmarshalJSON(bytes.NewReader(raw)))(t)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	fortest.OK(t, compiler.AddResource("https://coinslot.test/openapi-3.1", schema))
	compiled := fortest.Must(compiler.Compile("https://coinslot.test/openapi-3.1"))(t)
	if err := compiled.Validate(written().root); err != nil {
		t.Error(err)
	}
}

// TestDocumentIsComplete: what the specification leaves open, and readers need.
func TestDocumentIsComplete(t *testing.T) {
	c, ids := written(), map[string]bool{}
	tags := map[any]bool{}
	for _, tag := range c.root["tags"].([]any) {
		tags[dig(tag, "name")] = true
	}
	check := func(name string, o map[string]any) {
		id, _ := o["operationId"].(string)
		if id == "" || ids[id] {
			t.Errorf("%s: operationId %q is missing or not its own", name, id)
		}
		ids[id] = true
		for _, text := range []string{"summary", "description"} {
			if s, _ := o[text].(string); s == "" {
				t.Errorf("%s has no %s", name, text)
			}
		}
		if list, _ := o["tags"].([]any); len(list) != 1 || !tags[list[0]] {
			t.Errorf("%s: tags %v; want one that the document describes", name, list)
		}
	}
	c.each(func(route string, o map[string]any) {
		check(route, o)
		if served(o) && !slices.Contains(codesOf(o), "internal") {
			t.Errorf("%s says nothing of errors", route)
		}
		for _, status := range slices.Sorted(maps.Keys(o["responses"].(map[string]any))) {
			if c.resolved(dig(o, "responses", status))["description"] == "" {
				t.Errorf("%s: %s has no description", route, status)
			}
		}
	})
	for name, item := range c.root["webhooks"].(map[string]any) {
		check(name, dig(item, "post").(map[string]any))
	}
	for name, schema := range dig(c.root, "components", "schemas").(map[string]any) {
		properties, _ := dig(schema, "properties").(map[string]any)
		for member, s := range properties {
			d := dig(s, "description")
			if d == nil && dig(s, "const") == nil && dig(s, "$ref") == nil &&
				dig(s, "items", "$ref") == nil {
				t.Errorf("%s.%s has no description", name, member)
			}
		}
	}
}

// resolved follows a reference.
func (c *contract) resolved(v any) map[string]any {
	if ref, ok := dig(v, "$ref").(string); ok {
		v = dig(c.root, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
	}
	m, _ := v.(map[string]any)
	return m
}

// Every example is valid by its schema, and every reference resolves.
func TestExamplesAreValid(t *testing.T) {
	c := written()
	const name = "https://coinslot.test/examples.json"
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	fortest.OK(t, compiler.AddResource(name, closeSchema(c.root)))
	count := 0
	validate := func(at string, example any) {
		count++
		schema, err := compiler.Compile(name + "#" +
			(&url.URL{Fragment: at + "/schema"}).EscapedFragment())
		if err == nil {
			err = schema.Validate(example)
		}
		if err != nil {
			t.Errorf("%s: %v", at, err)
		}
	}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case []any:
			for i, item := range v {
				walk(fmt.Sprintf("%s/%d", at, i), item)
			}
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok &&
				dig(c.root, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...) == nil {
				t.Errorf("%s leads nowhere: %s", at, ref)
			}
			if _, ok := v["schema"].(map[string]any); ok {
				if example, ok := v["example"]; ok {
					validate(at, example)
				}
				examples, _ := v["examples"].(map[string]any)
				for _, example := range examples {
					validate(at, c.resolved(example)["value"])
				}
			}
			for member, item := range v {
				walk(at+"/"+escape(member), item)
			}
		}
	}
	walk("", any(c.root))
	if count < 100 {
		t.Errorf("%d examples; there were more", count)
	}
}

// The objects have the members of the encoded types, optional where these omit empty values.
func TestSchemasAreTheTypes(t *testing.T) {
	for name, v := range map[string]any{
		"Session":      payment.Object{},
		"Attempt":      payment.AttemptObject{},
		"Entry":        payment.TimelineEntry{},
		"Warning":      payment.Warning{},
		"View":         wire.View{},
		"ViewOrder":    wire.Order{},
		"ViewCurrency": wire.Currency{},
		"ViewNetwork":  wire.Network{},
		"ViewAttempt":  wire.Attempt{},
		"Call":         wire.Call{},
		"Notice":       wire.Notice{},
		"Report":       shoppers.DoctorReport{},
		"Check":        check.Finding{},
	} {
		want := map[string]bool{} // whether it is always there
		for field := range reflect.TypeOf(v).Fields() {
			if tag, options, _ := strings.Cut(field.Tag.Get("json"), ","); tag != "-" {
				want[tag] = options != "omitempty"
			}
		}
		schema, got := dig(written().root, "components", "schemas", name), map[string]bool{}
		required, _ := dig(schema, "required").([]any)
		for member := range dig(schema, "properties").(map[string]any) {
			got[member] = slices.Contains(required, any(member))
		}
		fortest.Diff(t, got, want, "%s (-Go +docs/openapi.yaml)", name)
	}
}

// docs/api.md and the document have the same routes and members.
func TestDocumentAndPage(t *testing.T) {
	raw := fortest.Must(os.ReadFile("../../docs/api.md"))(t)
	page := string(raw)
	routes := map[string]bool{}
	written().each(func(route string, _ map[string]any) {
		routes[strings.ReplaceAll(route, "{session}", "{id}")] = true
	})
	named := regexp.MustCompile("`(GET|POST) (/[a-z0-9_./{}-]*)").FindAllStringSubmatch(
		strings.ReplaceAll(page, "{session}", "{id}"),
		-1,
	)
	if len(named) < 20 {
		t.Fatalf("docs/api.md names %d routes", len(named))
	}
	onPage := map[string]bool{}
	for _, m := range named {
		route := m[1] + " " + m[2]
		onPage[route] = true
		if !routes[route] {
			t.Errorf("docs/api.md has %s, docs/openapi.yaml has not", route)
		}
	}
	for route := range routes {
		if strings.Contains(route, " /v1/") && !onPage[route] {
			t.Errorf("docs/openapi.yaml has %s, docs/api.md has not", route)
		}
	}
	for heading, schema := range map[string]string{
		"### `POST /v1/sessions`":        "NewSession",
		"`201` with the session object:": "Session",
	} {
		_, table, _ := strings.Cut(page, heading)
		table, _, _ = strings.Cut(table[strings.Index(table, "|---"):], "\n\n")
		want, got := map[string]bool{}, map[string]bool{"object": schema == "Session"}
		for member := range dig(written().root, "components", "schemas", schema,
			"properties").(map[string]any) {
			want[member] = true
		}
		for _, row := range regexp.MustCompile(`(?m)^\| ([^|]*) \|`).FindAllStringSubmatch(table,
			-1) {
			for _, m := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(row[1], -1) {
				got[m[1]] = true
			}
		}
		maps.DeleteFunc(got, func(_ string, there bool) bool { return !there })
		fortest.Diff(t, got, want, "%s (-docs/openapi.yaml +docs/api.md)", schema)
	}
}

// TestOperatorsListenerIsAsDocumented: its answers, when all is well and when not.
func TestOperatorsListenerIsAsDocumented(t *testing.T) {
	for _, wrong := range [][]string{nil, {"database"}} {
		ops := web.Ops(web.Health{
			Stuck:   func() []string { return wrong },
			Missing: func(context.Context) []string { return wrong },
			Metrics: metrics.New(metrics.Config{}),
		})
		written().each(func(route string, o map[string]any) {
			if served(o) {
				return
			}
			answer := httptest.NewRecorder()
			ops.ServeHTTP(answer,
				httptest.NewRequest("GET", strings.TrimPrefix(route, "GET "), nil))
			media, _, _ := strings.Cut(answer.Header().Get("Content-Type"), ";")
			if _, known := written().schemas[shape{route, fmt.Sprint(answer.Code), media}]; !known {
				t.Errorf("%s: %d %s is not documented", route, answer.Code, media)
			}
		})
	}
}

// elsewhere are codes that no operation answers, and who tells of them.
var elsewhere = map[string]string{
	"method_not_allowed": "any path, to a method that is not described; info.description tells of it",
	"origin_refused":     "the page in the frame, checkout.js and the doctor",
	"payment_refused":    "notice of a view",
}

// Each error code is at a route, or is known to be reported in another way.
func TestEveryCodeIsListed(t *testing.T) {
	listed := map[string]bool{}
	written().each(func(_ string, o map[string]any) {
		for _, code := range codesOf(o) {
			listed[code] = true
		}
	})
	for code := range documented(t) {
		if why, documented := elsewhere[code]; listed[code] == documented {
			t.Errorf("%s is listed by a route: %v; documented elsewhere: %q", code, listed[code],
				why)
		}
	}
}

// Webhooks have the headers and the body of the document.
func TestWebhookIsAsDocumented(t *testing.T) {
	t.Parallel()
	c, documented := written(), make(chan error, 9)
	const name = "https://coinslot.test/webhooks.json"
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	fortest.OK(t, compiler.AddResource(name, closeSchema(c.root)))
	bodies := map[string]*jsonschema.Schema{} // by type
	for kind, at := range map[string]string{
		"checkout.pending": "Event",
		"checkout.test":    "TestEvent",
	} {
		var err error
		if bodies[kind], err = compiler.Compile(name + "#/components/requestBodies/" + at +
			"/content/application~1json/schema"); err != nil {
			t.Fatal(err)
		}
	}
	shop := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := jsonschema.UnmarshalJSON(r.Body)
		if err == nil {
			err = bodies[dig(body, "type").(string)].Validate(body)
		}
		for _, parameter := range []string{"WebhookID", "WebhookTimestamp", "WebhookSignature"} {
			p := dig(c.root, "components", "parameters", parameter)
			pattern := regexp.MustCompile(dig(p, "schema", "pattern").(string))
			value := r.Header.Get(dig(p, "name").(string))
			if !pattern.MatchString(value) {
				err = errors.Join(err, fmt.Errorf("%s is %q", parameter, value))
			}
		}
		documented <- err
	}))
	t.Cleanup(shop.Close)
	gateway, s := servertest.NewGateway(t)
	s.WebhookURLs, s.AllowPrivateWebhooks = []string{shop.URL}, true
	s.WebhookSecrets = []config.Secret{
		config.NewSecret("whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 32))),
	}
	r, _ := start(t, gateway, s)
	r.Choose(r.Open(`{"amount_usd":"25.00"}`))
	r.test()
	for range 2 {
		select {
		case err := <-documented:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(20 * time.Second):
			t.Error("gave up waiting for a webhook")
		}
	}
}

// extraAddresses are more addresses to try, by pattern. {session} stands for several, {asset} and
// {release} for existing files.
var extraAddresses = map[string][]string{
	"GET /checkout": {
		"/checkout?item=coffee",
		"/checkout?item=tip&amount=7",
		"/checkout?item=x",
		"/checkout?order=x",
	},
	"GET /checkout/{session}": {
		"/checkout/{session}?change=1",
		"/checkout/{session}?embed=inline&origin=https://evil.example",
	},
	"POST /checkout": {"/checkout?item=coffee"},
	"GET /checkout/{session}/qr.svg": {
		"/checkout/{session}/qr.svg?kind=page",
		"/checkout/{session}/qr.svg?kind=x",
	},
	"GET /return":                   {"/return?tracking_code=x&order_id=1"},
	"POST /hooks/gateway/{token}":   {"/hooks/gateway/" + hookToken, "/hooks/gateway/wrong"},
	"GET /v1/sessions":              {"/v1/sessions?limit=1", "/v1/sessions?cursor=x"},
	"GET /v1/transactions":          {"/v1/transactions?limit=1", "/v1/transactions?page=0"},
	"GET /admin/statements/{month}": {"/admin/statements/2026-11", "/admin/statements/x"},
	"GET /admin/statements/{month}/{file}": {
		"/admin/statements/2026-11/csv",
		"/admin/statements/2026-11/x",
	},
	"GET /v1/withdrawals": {
		"/v1/withdrawals?status=processing",
		"/v1/withdrawals?from_date=x",
	},
	"GET /v1/events": {"/v1/events?limit=1"},
	"GET /checkout/doctor": {
		"/checkout/doctor?origin=https://evil.example",
		"/checkout/doctor?format=html",
	},
	"POST /checkout/doctor": {"/checkout/doctor?format=html"},
	"GET /assets/{file}": {
		"{asset}",
		"/assets/none.js",
		"/assets/other.0123456789ab.js",
	},
	"GET /checkout/{version}/checkout.js": {"{release}", "/checkout/0.0.0/checkout.js"},
	"GET /icons/{file}":                   {"/icons/usdt.svg", "/icons/none.svg"},
	"GET /admin/": {
		"/admin/login",
		"/admin/none",
		"/admin/payments/{session}",
	},
	"POST /admin/": {"/admin/login", "/admin/logout", "/admin/none"},
	"/v1/":         {"/v1/none"},
	"/":            {"/favicon.ico", "/checkout/", "//checkout", "/x/../return", "/checkout/%00"},
}

// routes are those of a server that has all there are.
func routes(t *testing.T) []web.Route {
	t.Helper()
	return newPolicyRig(t, ownOrigin, []string{shop}, servertest.NoLimits).routes
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
		"      summary: …\n      description: …\n", path, strings.ToLower(method))
	if strings.Contains(path, "{session}") {
		text += "      parameters: [{$ref: '#/components/parameters/Session'}]\n"
	}
	return text + "      responses:\n        \"200\":\n          description: …\n" +
		"          content:\n            application/json:\n              schema: {}\n" +
		"      x-errors: [unauthorized, rate_limited]\n"
}
