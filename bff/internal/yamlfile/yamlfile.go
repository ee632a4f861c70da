// Package yamlfile reads the YAML files that operators write.
package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Read decodes the one document of raw into v, a pointer to a struct with yaml tags; an empty
// document leaves v as it is, and a member that v does not have is an error. Numbers and the like
// become the text that the file has: to YAML, 010 is eight, 0x10 sixteen and 1_000 a thousand. So
// the members of v are strings, or types that read text. plain refuses anchors, tags, merges, null
// and blocks of text, so that what is read is what a person sees.
//
// Errors name the member or the line, and quote no value: a setting may name a file of secrets by
// mistake. What is wrong with a member is an *[Error].
func Read(raw []byte, v any, plain bool) error {
	if bytes.HasPrefix(raw, []byte{0xff, 0xfe}) || bytes.HasPrefix(raw, []byte{0xfe, 0xff}) {
		return errors.New("the file is UTF-16: save it as UTF-8")
	}

	raw = bytes.TrimPrefix(raw, []byte("\ufeff")) // some editors put this mark before the text

	file, err := parser.ParseBytes(raw, 0)
	if err != nil {
		return unquoted(err)
	}
	if len(file.Docs) > 1 {
		return fmt.Errorf("the file has %d documents; only one is allowed", len(file.Docs))
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return nil
	}

	w := asWritten{plain: plain, err: new(error)}
	ast.Walk(w, file.Docs[0].Body)
	if *w.err != nil {
		return *w.err
	}
	return Decode(file.Docs[0].Body, v)
}

// Decode decodes node into v as [Read] does. It is for the UnmarshalYAML methods of records in
// plain files: aliases need the whole file.
func Decode(node ast.Node, v any) error {
	// The parser has refused members that are written twice. What is twice only after a merge is
	// the merged one's replacement.
	err := yaml.NodeToValue(node, v, yaml.DisallowUnknownField(), yaml.AllowDuplicateMapKey())
	return located(err, node)
}

// Text returns the text of a scalar, as the file has it. Errors are an *[Error].
func Text(node ast.Node) (string, error) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, nil
	case *ast.LiteralNode:
		return n.Value.Value, nil
	}
	return "", Errorf(node, "must be text")
}

// Line returns the line of node from 1, zero if it is not known.
func Line(node ast.Node) int {
	if node == nil || node.GetToken() == nil || node.GetToken().Position == nil {
		return 0
	}
	return node.GetToken().Position.Line
}

// unquoted returns an error of the YAML package as its line and its reason, without what
// it quotes of the file. Others, and nil, stay as they are.
func unquoted(err error) error {
	quoting, ok := errors.AsType[yaml.Error](err)
	if !ok {
		return err
	}

	reason, _, _ := strings.Cut(quoting.GetMessage(), "\n")
	if !strings.HasPrefix(reason, "mapping key ") { // that one is there twice; names are no values
		reason = quoted.ReplaceAllString(reason, "…")
	}

	t := quoting.GetToken()
	if t != nil && t.Position != nil {
		return fmt.Errorf("line %d: %s", t.Position.Line, reason)
	}

	return errors.New(reason)
}

var quoted = regexp.MustCompile(`".*"`)
