package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"coinslot/bff/server"
	"coinslot/bff/server/servertest"
	"coinslot/bff/web"
)

// Every operation of the document that lists one of the common codes is made to answer it. Which it
// lists is read from the document, so a new operation is tried by itself. Codes that depend on a
// session's life are in other tests; see contract.unseen.

// mistake is a request that is refused in the same way wherever that can be.
type mistake struct {
	code    string
	body    string
	headers []string
}

// socketMistake asks for a websocket.
var socketMistake = []string{"Connection: Upgrade", "Upgrade: websocket"}

// mistakes are those that need no certain state.
func mistakes(operation map[string]any) []mistake {
	one, kind := member1(operation), isJSON
	body := written().resolved(operation["requestBody"])
	if body != nil && dig(body, "content", "application/json") == nil {
		kind = isForm
	}
	return []mistake{
		{"unauthorized", "", nil},
		{"cross_site_refused", "", append(socketMistake, "Origin: https://evil.example", bearer)},
		{"unsupported_media_type", "x", []string{"Content-Type: text/plain", bearer}},
		{"bad_json", "[", []string{isJSON, bearer}},
		{"too_large", `{"x":"` + strings.Repeat("x", 65<<10) + `"}`, []string{kind, bearer}},
		{"unknown_field", `{"nobody":1}`, []string{isJSON, bearer}},
		{"duplicate_field", fmt.Sprintf(`{%q:null,%q:null}`, one, one), []string{isJSON, bearer}},
		{
			"session_unknown",
			example(operation),
			append(socketMistake, isJSON, bearer, "Origin: "+ownOrigin),
		},
	}
}

// member1 is the name of a member that the body may have.
func member1(operation map[string]any) string {
	schema := dig(operation, "requestBody", "content", "application/json", "schema")
	if ref, ok := dig(schema, "$ref").(string); ok {
		schema = dig(written().root, strings.Split(ref, "/")[1:]...)
	}
	properties, _ := dig(schema, "properties").(map[string]any)
	for name := range properties {
		return name
	}
	return "x"
}

// example is a body that is well formed, "" for none.
func example(operation map[string]any) string {
	v := dig(operation, "requestBody", "content", "application/json", "example")
	if v == nil {
		return ""
	}
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // it was JSON
	}
	return string(raw)
}

// asked sends a request to a route with id for all parts of its path.
func (r *rig) asked(addr, route, id, body string, headers ...string) *httptest.ResponseRecorder {
	method, path, _ := strings.Cut(route, " ")
	path = strings.NewReplacer("{session}", id, "{token}", id, "{file}", id, "{version}",
		id).Replace(path)
	return r.DoFrom(addr, method, path, body, append(headers, "Accept: application/json")...)
}

// operations calls do for each operation of shoppers and merchants that lists code.
func operations(code string, do func(route string, operation map[string]any)) {
	written().each(func(route string, operation map[string]any) {
		if served(operation) && slices.Contains(codesOf(operation), code) {
			do(route, operation)
		}
	})
}

// TestMistakes makes each common mistake wherever the document lists its code.
func TestMistakes(t *testing.T) {
	t.Parallel()
	w := newPolicyRig(t, ownOrigin, []string{shop}, servertest.NoLimits)
	for _, m := range mistakes(nil) {
		operations(m.code, func(route string, operation map[string]any) {
			if strings.HasPrefix(route, "POST /hooks/") {
				return // who has not its token hears of nothing else; see TestTortureBadInputs
			}
			m := mistakes(operation)[slices.IndexFunc(mistakes(nil),
				func(o mistake) bool { return o.code == m.code })]
			answer := w.asked("192.0.2.1", route, "cs_none", m.body, m.headers...)
			problem(t, answer, m.code)
			if t.Failed() {
				t.Fatalf("%s for %s", route, m.code)
			}
		})
	}
}

// What each operation calls invalid; an unreadable form is, at every address that takes one.
func TestMistakenValues(t *testing.T) {
	t.Parallel()
	w := newPolicyRig(t, ownOrigin, []string{shop}, servertest.NoLimits)
	operations("invalid", func(route string, operation map[string]any) {
		var answer *httptest.ResponseRecorder
		switch method, path, _ := strings.Cut(route, " "); {
		case route == "GET /checkout":
			return // its quantity: see TestOffers
		case strings.HasSuffix(path, "/live"):
			answer = w.asked("192.0.2.1", route, "cs_none", "", "Origin: "+ownOrigin)
		case method == "GET":
			answer = w.asked("192.0.2.1", route+"?nobody=1", "cs_none", "", bearer)
		case strings.HasPrefix(
			path,
			"/v1/sessions/",
		), path == "/v1/sessions", path == "/v1/events/replay", path == "/v1/webhooks/test":
			return // their values: see TestTortureBadInputs and TestWebhookTest
		default:
			answer = w.asked("192.0.2.1", route, "cs_none", "a=%zz", isForm)
		}
		if problem(t, answer, "invalid"); t.Failed() {
			t.Fatal(route)
		}
	})
}

// TestRateLimitedMistakes: where the document lists rate_limited, it comes.
func TestRateLimitedMistakes(t *testing.T) {
	t.Parallel()
	w := newPolicyRig(t, ownOrigin, []string{shop},
		web.Limits{Reads: 1, Posts: 1, Calls: 1, Guesses: 1, Sockets: 1})
	n := 0
	operations("rate_limited", func(route string, operation map[string]any) {
		n++
		addr := fmt.Sprintf("192.0.2.%d", n)
		w.asked(addr, route, "cs_none", "")
		if problem(t, w.asked(addr, route, "cs_none", ""), "rate_limited"); t.Failed() {
			t.Fatal(route)
		}
	})
}

// storage_unavailable comes without a database, wherever the document lists it.
func TestNoDatabase(t *testing.T) {
	t.Parallel()
	gateway, c := servertest.NewGateway(t)
	c.Rates = "rates.yaml" // which need not exist
	r, stop := startWith(t, gateway, c,
		server.Options{Simulate: func(context.Context, string, string) error { return nil }})
	r.Choose(r.Open(`{"amount_usd":"25.00"}`)) // the gateway lists a transaction, and its coins are known
	stop()
	operations("storage_unavailable", func(route string, operation map[string]any) {
		body := example(operation)
		if strings.HasSuffix(route, "/cancel") || strings.HasSuffix(route, "/recheck") {
			body = "{}"
		}
		headers := append(socketMistake, isJSON, bearer)
		if strings.HasPrefix(route, "GET /checkout/") {
			headers = append(headers, "Origin: "+ownOrigin)
		}
		if problem(t, r.asked("192.0.2.1", route, exampleSession, body, headers...),
			"storage_unavailable"); t.Failed() {
			t.Fatal(route)
		}
	})
}
