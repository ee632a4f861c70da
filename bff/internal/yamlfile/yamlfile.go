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

// Read decodes the one document of raw into v; an empty one leaves v as it is. Numbers and
// the like become the text that the file has: to YAML, 010 is eight, 0x10 sixteen and 1_000
// a thousand. plain refuses anchors, tags, merges, null and blocks of text, so that what is
// read is what a person sees.
//
// Errors name the line, and quote no value: a setting may name a file of secrets by mistake.
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

	return unquoted(yaml.NodeToValue(file.Docs[0].Body, v))
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

// asWritten makes text of what YAML would read as numbers and the like.
type asWritten struct {
	plain bool
	err   *error // the first node that is not plain
}

// Visit implements ast.Visitor. It changes a node before those inside it are visited.
func (w asWritten) Visit(node ast.Node) ast.Visitor {
	switch n := node.(type) {
	case *ast.MappingValueNode:
		if key, ok := w.text(n.Key).(ast.MapKeyNode); ok {
			n.Key = key
		}
		n.Value = w.text(n.Value)
	case *ast.SequenceNode:
		for i := range n.Values {
			n.Values[i] = w.text(n.Values[i])
		}
	case *ast.AnchorNode:
		w.refuse(n)
		n.Value = w.text(n.Value)
	case *ast.AliasNode, *ast.TagNode, *ast.MergeKeyNode, *ast.NullNode, *ast.LiteralNode:
		w.refuse(n)
	}

	return w
}

func (w asWritten) refuse(node ast.Node) {
	if w.plain && *w.err == nil {
		*w.err = fmt.Errorf("line %d: must be a plain value", Line(node))
	}
}

func (w asWritten) text(node ast.Node) ast.Node {
	switch n := node.(type) {
	case *ast.TagNode: // !!binary and the like
		if !w.plain {
			return w.text(n.Value)
		}
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return ast.String(node.GetToken())
	}
	return node
}
