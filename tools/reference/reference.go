// Package reference renders docs/openapi.yaml, completed with the table of errors, as JSON and
// HTML, and docs/errors.md as HTML. tools/assets does so when it builds; the server puts its own
// origin in the place of the one in the files.
//
// Start with [Load].
package reference

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"coinslot/app/wire"
	"coinslot/bff/web/problems"

	"github.com/goccy/go-yaml"
)

// Document is the complete description of the API.
type Document struct {
	root     tree
	problems map[wire.Code]problems.Answer
}

// anyOperation is the code that every operation may return.
const anyOperation = "internal"

// Load completes source, which is docs/openapi.yaml, with all error codes. Errors: an invalid
// document, or one with an unknown code or example.
func Load(source []byte, answers map[wire.Code]problems.Answer) (*Document, error) {
	d := &Document{problems: answers}
	if err := yaml.UnmarshalWithOptions(source, &d.root, yaml.UseOrderedMap()); err != nil {
		return nil, fmt.Errorf("reading openapi.yaml: %w", err)
	}
	d.root = inlineExamples(d.root, d.root).(tree)
	d.addExamples()
	responses := members(d.root, "components", "responses")
	for i := range responses {
		responses[i].Value = withRequestID(responses[i].Value.(tree))
	}
	for _, path := range members(d.root, "paths") {
		item, _ := path.Value.(tree)
		for i := range item {
			if operation, ok := item[i].Value.(tree); ok && isMethod(item[i].Key) &&
				at(item, "servers") == nil {
				complete, err := d.complete(operation)
				if err != nil {
					return nil, fmt.Errorf("completing %v %v: %w", item[i].Key, path.Key, err)
				}
				item[i].Value = complete
			}
		}
	}
	return d, nil
}

// JSON returns the document.
func (d *Document) JSON() []byte { return []byte(pretty(d.root, "") + "\n") }

func isMethod(key any) bool { return slices.Contains([]any{"get", "post"}, key) }

// inlineExamples replaces references to values of examples in n.
func inlineExamples(root tree, n node) node {
	switch v := n.(type) {
	case tree:
		if ref := text(v, "$ref"); len(v) == 1 && len(ref) > 6 && ref[len(ref)-6:] == "/value" {
			return inlineExamples(root, resolve(root, v))
		}
		for i := range v {
			v[i].Value = inlineExamples(root, v[i].Value)
		}
	case []any:
		for i := range v {
			v[i] = inlineExamples(root, v[i])
		}
	}
	return n
}

// addExamples adds an example for every code.
func (d *Document) addExamples() {
	components := members(d.root, "components")
	examples := members(components, "examples")
	for _, code := range d.codes() {
		p := d.problems[wire.Code(code)]
		examples = append(examples, yaml.MapItem{Key: code,
			Value: tree{{Key: "summary", Value: p.Detail}, {Key: "value", Value: tree{
				{Key: "type", Value: "/docs/errors#" + code}, {Key: "status", Value: p.Status},
				{Key: "title", Value: http.StatusText(p.Status)},
				{Key: "detail", Value: p.Detail}, {Key: "code", Value: code},
				{Key: "request_id", Value: "req_rewto2m5zmta5yq5"},
			}}}})
	}
	with(components, "examples", examples)
}

// codes are ordered by status and name.
func (d *Document) codes() (all []string) {
	for code := range d.problems {
		all = append(all, string(code))
	}
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(d.failure(a).Status-d.failure(b).Status, strings.Compare(a, b))
	})
	return all
}

// withRequestID adds the common header to a response.
func withRequestID(response tree) tree {
	if at(response, "$ref") != nil {
		return response // the referenced one has it
	}
	headers := members(response, "headers")
	headers = append(tree{{Key: "X-Request-Id", Value: reference("headers", "RequestId")}},
		headers...)
	return with(response, "headers", headers)
}

func reference(kind, name string) tree {
	return tree{{Key: "$ref", Value: "#/components/" + kind + "/" + name}}
}

// complete adds the errors of an operation: a response per status, with the codes that it lists.
func (d *Document) complete(operation tree) (tree, error) {
	responses := members(operation, "responses")
	for i := range responses {
		responses[i].Value = withRequestID(responses[i].Value.(tree))
	}
	byStatus := map[int][]string{}
	for _, entry := range append(texts(operation, "x-errors"), anyOperation) {
		// "400 amount_invalid" is a code with another status than usual.
		other, code, hasStatus := strings.Cut(entry, " ")
		if !hasStatus {
			code = entry
		}
		p, known := d.problems[wire.Code(code)]
		if !known {
			return nil, fmt.Errorf("unknown code: %s", code)
		}
		status := p.Status
		if hasStatus {
			var err error
			status, err = strconv.Atoi(other)
			if err != nil {
				return nil, fmt.Errorf("the status of %q is not a number", entry)
			}
		}
		byStatus[status] = append(byStatus[status], code)
	}
	pages := text(operation, "x-pages")
	for _, code := range d.codes() { // in the order of their statuses
		status := d.failure(code).Status
		if codes := byStatus[status]; codes != nil {
			paged := pages == "always" || pages == "limited" && status == 429
			responses = append(responses, yaml.MapItem{
				Key: strconv.Itoa(status), Value: d.errorResponse(status, codes, paged),
			})
			delete(byStatus, status)
		}
	}
	operation = slices.DeleteFunc(operation,
		func(m yaml.MapItem) bool { return m.Key == "x-errors" || m.Key == "x-pages" })
	return with(operation, "responses", responses), nil
}

// headersOf are additional headers of errors by status.
var headersOf = map[int]yaml.MapItem{
	401: {Key: "WWW-Authenticate", Value: reference("headers", "Challenge")},
	426: {Key: "Upgrade", Value: reference("headers", "Upgrade")},
	429: {Key: "Retry-After", Value: reference("headers", "RetryAfter")},
	503: {Key: "Retry-After", Value: reference("headers", "RetryAfter")},
}

// errorResponse is the response of a status with one of the codes; paged = also as HTML.
func (d *Document) errorResponse(status int, codes []string, paged bool) tree {
	var enum []any
	var examples tree
	for _, code := range codes {
		enum = append(enum, code)
		examples = append(examples, yaml.MapItem{Key: code, Value: reference("examples", code)})
	}
	schema := append(reference("schemas", "Problem"), yaml.MapItem{
		Key: "properties", Value: tree{{Key: "code", Value: tree{{Key: "enum", Value: enum}}}},
	})
	content := tree{{Key: "application/problem+json",
		Value: tree{{Key: "schema", Value: schema}, {Key: "examples", Value: examples}}}}
	if paged {
		content = append(content, yaml.MapItem{
			Key:   "text/html",
			Value: tree{{Key: "schema", Value: tree{{Key: "type", Value: "string"}}}},
		})
	}
	response := withRequestID(tree{{Key: "description",
		Value: "`" + strings.Join(codes, "`, `") + "`"}})
	if header, ok := headersOf[status]; ok {
		response = with(response, "headers", append(members(response, "headers"), header))
	}
	return append(response, yaml.MapItem{Key: "content", Value: content})
}
