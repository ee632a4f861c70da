// Package sandboxtest is a sandbox gateway whose answers can be falsified, in ways that no merchant
// has to expect of a gateway but the checkout has to survive. It is for tests.
package sandboxtest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	"coinslot/bff/sandbox"
)

// BadGateway is what a proxy answers when it has lost the server behind it.
const BadGateway = `<!doctype html><html><head><title>502 Bad Gateway</title></head>` +
	`<body><h1>502 Bad Gateway</h1></body></html>`

// Gateway is a sandbox gateway with a handler that falsifies answers. It is safe for concurrent
// use.
type Gateway struct {
	*sandbox.Server

	mu      sync.Mutex // guards the field below
	answers []Answer   // armed, in the order of Falsify
}

// New returns a gateway without a fault.
func New(c sandbox.Config) *Gateway { return &Gateway{Server: sandbox.New(c)} }

// Answer is a false answer to requests that the gateway has processed. A fault that is injected
// besides happens first.
type Answer struct {
	// Path is the end of the URL's path, like "transaction/status". Empty matches every request.
	Path string
	// Times is how many requests are answered so. Zero means 1; negative means all until
	// ClearFaults.
	Times int
	// Status replaces the HTTP status; zero = the gateway's.
	Status int
	// Body replaces the whole body, as HTML if it begins with "<", else as JSON. Empty = the
	// gateway's.
	Body string
	// Set overwrites fields of data in the gateway's body; nil removes one. In a list, every item
	// is meant; "pagination.total" names a field further inside. An answer without data stays as it
	// is.
	Set map[string]any
}

// Falsify arms a for the next requests that match. It panics if a changes nothing.
func (g *Gateway) Falsify(a Answer) {
	if a.Status == 0 && a.Body == "" && len(a.Set) == 0 {
		panic("sandboxtest: the answer changes nothing")
	}
	a.Times = cmp.Or(a.Times, 1)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.answers = append(g.answers, a)
}

// ClearFaults disarms every fault and every false answer.
func (g *Gateway) ClearFaults() {
	g.Server.ClearFaults()

	g.mu.Lock()
	defer g.mu.Unlock()
	g.answers = nil
}

// ServeHTTP is that of the sandbox, but for what is falsified.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a, isArmed := g.take(r.URL.Path)
	if !isArmed {
		g.Server.ServeHTTP(w, r)
		return
	}

	own := httptest.NewRecorder()
	g.Server.ServeHTTP(own, r)

	body := cmp.Or(a.Body, own.Body.String())
	if len(a.Set) > 0 {
		body = overwriteData(own.Body.Bytes(), a.Set)
	}
	maps.Copy(w.Header(), own.Header())
	if strings.HasPrefix(a.Body, "<") {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
	}
	w.WriteHeader(cmp.Or(a.Status, own.Code))
	fmt.Fprint(w, body) // fails if the client has gone
}

// take returns the first armed answer for a path and counts it; false = there is none.
func (g *Gateway) take(path string) (Answer, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()

	i := slices.IndexFunc(g.answers, func(a Answer) bool {
		return strings.HasPrefix(path, "/api/") && strings.HasSuffix(path, a.Path)
	})
	if i < 0 {
		return Answer{}, false
	}

	a := g.answers[i]
	if a.Times > 0 {
		g.answers[i].Times--
	}
	if g.answers[i].Times == 0 {
		g.answers = slices.Delete(g.answers, i, i+1)
	}
	return a, true
}

// overwriteData returns an answer with fields of its data overwritten. Amounts stay what they are.
func overwriteData(body []byte, set map[string]any) string {
	var answer struct {
		Status  int    `json:"status"`
		Data    any    `json:"data"`
		Message string `json:"message"`
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(&answer); err != nil {
		panic("sandboxtest: reading an answer: " + err.Error())
	}

	for _, path := range slices.Sorted(maps.Keys(set)) {
		overwrite(answer.Data, strings.Split(path, "."), set[path])
	}

	encoded, err := json.Marshal(answer)
	if err != nil {
		panic("sandboxtest: encoding an answer: " + err.Error())
	}
	return string(encoded)
}

// overwrite sets the field that path names, in every element of a list that it
// leads through. A nil value removes it.
func overwrite(tree any, path []string, value any) {
	switch node := tree.(type) {
	case []any:
		for _, element := range node {
			overwrite(element, path, value)
		}
	case map[string]any:
		items, isList := node["items"]
		_, own := node[path[0]]
		switch {
		case isList && !own:
			overwrite(items, path, value)
		case len(path) > 1:
			overwrite(node[path[0]], path[1:], value)
		case value == nil:
			delete(node, path[0])
		default:
			node[path[0]] = value
		}
	}
}
