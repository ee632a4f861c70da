package server_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"coinslot/bff/web/problems"
	"coinslot/e2e/need"
	"coinslot/tools/reference"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

var printSeen = flag.Bool("seen", false, "print which errors each route has answered")

// contract is docs/openapi.yaml as served, and what the tests have covered of it. All servers of
// the tests answer through it: see held.
type contract struct {
	root    map[string]any
	mux     *http.ServeMux // of its routes, "GET /v1/sessions"
	schemas map[shape]*jsonschema.Schema
	headers map[shape]map[string]any // by route and status, then by name

	mu   sync.Mutex // guards the fields below
	seen map[sighting]int
	bad  []string
}

// shape is what an answer has to look like, by route, status and media type.
type shape struct {
	route, status, media string
}

// sighting is an answer of a route; code is that of a problem.
type sighting struct{ route, status, code string }

// written is the contract of this run.
var written = sync.OnceValue(readContract)

// TestMain holds, after all tests, what they have seen to the contract.
func TestMain(m *testing.M) {
	code := m.Run()
	c := written()
	c.mu.Lock()
	defer c.mu.Unlock()
	wrong := c.bad
	if code == 0 && whole() {
		wrong = append(wrong, c.unseen()...)
	}
	if *printSeen {
		for _, s := range slices.SortedFunc(maps.Keys(c.seen), func(a, b sighting) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }) {
			fmt.Println(s.route, s.status, s.code, c.seen[s])
		}
	}
	slices.Sort(wrong)
	for _, text := range slices.Compact(wrong) {
		fmt.Fprintln(os.Stderr, "docs/openapi.yaml:", text)
	}
	if len(wrong) > 0 {
		code = max(code, 1)
	}
	os.Exit(code)
}

// whole reports whether all tests of the package have run, or all but those that make test skips.
func whole() bool {
	if need.Skipped() {
		return false
	}
	for _, name := range []string{"run", "list", "fuzz", "bench"} {
		if flag.Lookup("test."+name).Value.String() != "" {
			return false
		}
	}
	return true
}

// unprovoked are codes that an operation lists and no test here provokes, and why.
var unprovoked = map[sighting]string{
	{route: "POST /checkout/{session}/extend", code: "network_unsupported"}: "the gateway stops listing a coin that is being paid with, and the list is kept for a minute",
}

// unseen returns which codes a route lists that no answer of the run had.
func (c *contract) unseen() (wrong []string) {
	answered := map[sighting]bool{}
	for s := range c.seen {
		answered[sighting{route: s.route, code: s.code}] = true
	}
	c.each(func(route string, operation map[string]any) {
		for _, code := range codesOf(operation) {
			s := sighting{route: route, code: code}
			if _, excused := unprovoked[s]; !answered[s] && !excused && code != "internal" && served(operation) {
				wrong = append(wrong, fmt.Sprintf("%s lists %s, which no test has provoked", route, code))
			} else if answered[s] && excused {
				wrong = append(wrong, fmt.Sprintf("%s has answered %s: take it out of unprovoked", route, code))
			}
		}
	})
	return wrong
}

// served reports whether an operation is on the listener of shoppers and merchants.
func served(operation map[string]any) bool {
	return !slices.Contains(operation["tags"].([]any), any("Operations"))
}

// codesOf returns the error codes that an operation lists.
func codesOf(operation map[string]any) (codes []string) {
	for _, response := range operation["responses"].(map[string]any) {
		schema, _ := dig(response, "content", "application/problem+json", "schema", "properties", "code", "enum").([]any)
		for _, code := range schema {
			codes = append(codes, code.(string))
		}
	}
	slices.Sort(codes)
	return codes
}

// dig returns the value at a path of names, nil if there is none.
func dig(v any, path ...string) any {
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

// each calls do for every operation under paths.
func (c *contract) each(do func(route string, operation map[string]any)) {
	paths, _ := c.root["paths"].(map[string]any)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		for _, method := range []string{"get", "post"} {
			if operation, ok := dig(paths, path, method).(map[string]any); ok {
				do(strings.ToUpper(method)+" "+path, operation)
			}
		}
	}
}

// readContract renders the document.
func readContract() *contract {
	c := &contract{mux: http.NewServeMux(), schemas: map[shape]*jsonschema.Schema{}, headers: map[shape]map[string]any{}, seen: map[sighting]int{}}
	source, err := os.ReadFile("../../docs/openapi.yaml")
	if err != nil {
		c.bad = append(c.bad, err.Error())
		return c
	}
	document, err := reference.Load(source, problems.Answers)
	if err != nil {
		c.bad = append(c.bad, err.Error())
		return c
	}
	if err := json.Unmarshal(document.JSON(), &c.root); err != nil {
		c.bad = append(c.bad, err.Error())
		return c
	}
	c.compile()
	c.each(func(route string, operation map[string]any) {
		if served(operation) {
			c.mux.Handle(route, http.NotFoundHandler())
		}
	})
	return c
}

// compile makes the schemas of all answers. Undocumented members are errors.
func (c *contract) compile() {
	const name = "https://coinslot.test/openapi.json"
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	strict := closeSchema(c.root).(map[string]any)
	if err := compiler.AddResource(name, strict); err != nil {
		c.bad = append(c.bad, err.Error())
		return
	}
	add := func(at string, s shape) {
		compiled, err := compiler.Compile(name + "#" + (&url.URL{Fragment: at}).EscapedFragment())
		if err != nil {
			c.bad = append(c.bad, fmt.Sprintf("%v: %v", s, err))
		}
		c.schemas[s] = compiled
	}
	c.each(func(route string, operation map[string]any) {
		method, path, _ := strings.Cut(route, " ")
		for status, response := range operation["responses"].(map[string]any) {
			at := "/paths/" + escape(path) + "/" + strings.ToLower(method) + "/responses/" + status
			if ref, ok := dig(response, "$ref").(string); ok {
				at = strings.TrimPrefix(ref, "#")
				response = dig(c.root, strings.Split(at, "/")[1:]...)
			}
			content, _ := dig(response, "content").(map[string]any)
			for media := range content {
				add(at+"/content/"+escape(media)+"/schema", shape{route, status, media})
			}
			c.schemas[shape{route, status, ""}] = nil
			c.headers[shape{route, status, ""}], _ = dig(response, "headers").(map[string]any)
		}
	})
}

// escape writes a name as a part of a JSON pointer.
func escape(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

// closeSchema copies v, with every object schema closed that is open by silence.
func closeSchema(v any) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = closeSchema(v[i])
		}
		return list
	case map[string]any:
		object := map[string]any{}
		for name, value := range v {
			object[name] = closeSchema(value)
		}
		if _, said := v["additionalProperties"]; !said && v["type"] == "object" && v["properties"] != nil {
			object["additionalProperties"] = false
		}
		return object
	}
	return v
}

// deferHeaders returns h, whose answers are all held to the contract.
func deferHeaders(t *testing.T, h http.Handler) http.Handler {
	t.Helper()
	c, test := written(), t.Name()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &copied{ResponseWriter: w}
		h.ServeHTTP(answer, r)
		_, route := c.mux.Handler(r)
		if answer.status == 0 && r.Context().Err() != nil {
			return // no client waits for an answer any more
		}
		if err := c.judge(route, answer); err != nil {
			c.mu.Lock()
			c.bad = append(c.bad, fmt.Sprintf("%s: %s %s: %v: %.300s", test, r.Method, route, err, answer.body.Bytes()))
			c.mu.Unlock()
		}
	})
}

// judge returns why an answer is not as documented. Answers without a route: 404, 405 and
// redirects.
func (c *contract) judge(route string, a *copied) error {
	status := fmt.Sprint(a.code())
	media, _, err := mime.ParseMediaType(a.Header().Get("Content-Type"))
	if err != nil && a.Header().Get("Content-Type") != "" {
		return err
	}
	if a.code() == http.StatusNotModified {
		media = "" // of what the client has
	}
	var problem struct{ Code string }
	if media == "application/problem+json" {
		if err := json.Unmarshal(a.body.Bytes(), &problem); err != nil && a.body.Len() > 0 {
			return err
		}
	}
	c.mu.Lock()
	c.seen[sighting{route, status, problem.Code}]++
	c.mu.Unlock()
	if route == "" || status == "307" {
		return nil
	}
	schema, known := c.schemas[shape{route, status, media}]
	if _, status := c.schemas[shape{route, status, ""}]; !known || !status {
		return fmt.Errorf("%s %q is not documented", fmt.Sprint(a.code()), media)
	}
	if err := c.headed(route, a); err != nil {
		return err
	}
	if schema == nil || a.body.Len() == 0 || !strings.HasSuffix(media, "json") || a.Header().Get("Content-Encoding") != "" {
		return nil
	}
	body, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.body.Bytes()))
	if err != nil {
		return err
	}
	return schema.Validate(body)
}

// errorCodes are headers that an answer has only if they are documented.
var errorCodes = []string{"Location", "Retry-After", "Idempotent-Replayed", "WWW-Authenticate", "ETag", "X-Request-Id"}

// headed returns why the headers of an answer are not as documented.
func (c *contract) headed(route string, a *copied) error {
	if a.code() == http.StatusSwitchingProtocols {
		return nil // they went with the connection
	}
	described := c.headers[shape{route, fmt.Sprint(a.code()), ""}]
	for _, name := range errorCodes {
		header, known := described[name]
		value, rule := a.Header().Get(name), c.resolved(header)
		switch schema := c.resolved(rule["schema"]); {
		case !known && value != "":
			return fmt.Errorf("%s: %s is not documented", name, value)
		case value == "" && rule["required"] == true:
			return fmt.Errorf("%s is missing", name)
		case value == "":
		case schema["const"] != nil && schema["const"] != value:
			return fmt.Errorf("%s: %s", name, value)
		case schema["pattern"] != nil && !regexp.MustCompile(schema["pattern"].(string)).MatchString(value):
			return fmt.Errorf("%s: %s", name, value)
		}
	}
	return nil
}

// copied keeps what is answered.
type copied struct {
	http.ResponseWriter
	status int // 0 = nothing was said
	body   bytes.Buffer
}

func (c *copied) code() int {
	if c.status == 0 {
		return http.StatusOK
	}
	return c.status
}

// WriteHeader implements http.ResponseWriter.
func (c *copied) WriteHeader(status int) {
	c.status = status
	c.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (c *copied) Write(p []byte) (int, error) {
	if strings.Contains(c.Header().Get("Content-Type"), "json") {
		c.body.Write(p)
	}
	return c.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController find what else the answer can do.
func (c *copied) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// Hijack implements http.Hijacker.
func (c *copied) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(c.ResponseWriter).Hijack()
	if err == nil {
		c.status = http.StatusSwitchingProtocols
	}
	return conn, rw, err
}
