// Package reference serves what is written about the API: docs/openapi.yaml,
// completed with the table of errors, as JSON and as a page, and docs/errors.md
// as a page. It knows no route and no code by itself.
//
// Start with [Load].
package reference

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/goccy/go-yaml"

	"coinslot/docs"
)

// Problem is what an error code is answered with.
type Problem struct {
	Status        int
	Title, Detail string
}

// Document is the description of the API, complete.
type Document struct {
	root     tree
	problems map[string]Problem // by code
}

// anyOperation is the code that every operation may answer.
const anyOperation = "internal"

// Load completes docs/openapi.yaml for the server at url, an origin. problems are
// all error codes. Errors: a document that cannot be read, one that names a code
// or an example that there is not.
func Load(url string, problems map[string]Problem) (*Document, error) {
	d := &Document{problems: problems}
	if err := yaml.UnmarshalWithOptions(docs.OpenAPI, &d.root, yaml.UseOrderedMap()); err != nil {
		return nil, fmt.Errorf("reading openapi.yaml: %w", err)
	}
	d.root = inlineExamples(d.root, d.root).(tree)
	d.root = with(d.root, "servers", []any{tree{{Key: "url", Value: url}}})
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

// JSON is the document as it is served.
func (d *Document) JSON() []byte { return []byte(pretty(d.root, "") + "\n") }

func isMethod(key any) bool { return slices.Contains([]any{"get", "post"}, key) }

// inlineExamples is n with the examples that are used inside of others in their place.
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

// addExamples makes an example of every code.
func (d *Document) addExamples() {
	components := members(d.root, "components")
	examples := members(components, "examples")
	for _, code := range d.codes() {
		p := d.problems[code]
		examples = append(examples, yaml.MapItem{Key: code,
			Value: tree{{Key: "summary", Value: p.Detail}, {Key: "value", Value: tree{
				{Key: "type", Value: "/docs/errors#" + code}, {Key: "status", Value: p.Status},
				{Key: "title", Value: p.Title},
				{Key: "detail", Value: p.Detail}, {Key: "code", Value: code},
				{Key: "request_id", Value: "req_rewto2m5zmta5yq5"},
			}}}})
	}
	with(components, "examples", examples)
}

// codes are all, in order.
func (d *Document) codes() (all []string) {
	for code := range d.problems {
		all = append(all, code)
	}
	slices.SortFunc(all, func(a, b string) int {
		if by := d.problems[a].Status - d.problems[b].Status; by != 0 {
			return by
		}
		if a < b {
			return -1
		}
		return 1
	})
	return all
}

// withRequestID is a response with the header that all have.
func withRequestID(response tree) tree {
	if at(response, "$ref") != nil {
		return response // it has it where it is
	}
	headers := members(response, "headers")
	headers = append(
		tree{{Key: "X-Request-Id", Value: reference("headers", "RequestId")}}, headers...,
	)
	return with(response, "headers", headers)
}

func reference(kind, name string) tree {
	return tree{{Key: "$ref", Value: "#/components/" + kind + "/" + name}}
}

// complete is an operation with its errors: one response for each status, whose
// code is one of those that the operation lists.
func (d *Document) complete(operation tree) (tree, error) {
	responses := members(operation, "responses")
	for i := range responses {
		responses[i].Value = withRequestID(responses[i].Value.(tree))
	}
	byStatus := map[int][]string{}
	for _, code := range append(texts(operation, "x-errors"), anyOperation) {
		p, known := d.problems[code]
		if !known {
			return nil, fmt.Errorf("no such code: %s", code)
		}
		byStatus[p.Status] = append(byStatus[p.Status], code)
	}
	pages := text(operation, "x-pages")
	for _, code := range d.codes() { // in the order of their statuses
		status := d.problems[code].Status
		if codes := byStatus[status]; codes != nil {
			paged := pages == "always" || pages == "limited" && status == 429
			responses = append(responses, yaml.MapItem{
				Key: strconv.Itoa(status), Value: d.errorResponse(status, codes, paged),
			})
			delete(byStatus, status)
		}
	}
	return with(without(operation, "x-errors", "x-pages"), "responses", responses), nil
}

// headersOf are the headers that errors of a status have, besides the common one.
var headersOf = map[int]yaml.MapItem{
	401: {Key: "WWW-Authenticate", Value: reference("headers", "Challenge")},
	426: {Key: "Upgrade", Value: reference("headers", "Upgrade")},
	429: {Key: "Retry-After", Value: reference("headers", "RetryAfter")},
	503: {Key: "Retry-After", Value: reference("headers", "RetryAfter")},
}

// errorResponse is the response of a status with any of these codes, as a page too if
// paged.
func (d *Document) errorResponse(status int, codes []string, paged bool) tree {
	var enum []any
	var examples tree
	description := ""
	for i, code := range codes {
		if i > 0 {
			description += ", "
		}
		description += "`" + code + "`"
		enum = append(enum, code)
		examples = append(examples, yaml.MapItem{Key: code, Value: reference("examples", code)})
	}
	schema := append(reference("schemas", "Problem"), yaml.MapItem{
		Key: "properties", Value: tree{{Key: "code", Value: tree{{Key: "enum", Value: enum}}}},
	})
	content := tree{
		{
			Key:   "application/problem+json",
			Value: tree{{Key: "schema", Value: schema}, {Key: "examples", Value: examples}},
		},
	}
	if paged {
		content = append(content, yaml.MapItem{
			Key:   "text/html",
			Value: tree{{Key: "schema", Value: tree{{Key: "type", Value: "string"}}}},
		})
	}
	response := withRequestID(tree{{Key: "description", Value: description}})
	if header, ok := headersOf[status]; ok {
		response = with(response, "headers", append(members(response, "headers"), header))
	}
	return append(response, yaml.MapItem{Key: "content", Value: content})
}
