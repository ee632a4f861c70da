package token

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// entry is one mapping of a list of the file. Values are text as the file has
// it: to YAML, an address in hexadecimal is a number.
type entry struct {
	line   int
	texts  map[string]string
	lists  map[string][]string
	labels [2]string // "token", and what says which
}

// fail returns a problem of the entry in words.
func (e entry) fail(format string, args ...any) error {
	name := e.labels[0]
	if e.labels[1] != "" {
		name += " " + e.labels[1]
	}
	return fmt.Errorf("line %d: %s: %w", e.line, name, fmt.Errorf(format, args...))
}

// Unquoted returns an error of the YAML package as its line and its reason, without
// what it quotes of the file: a setting may name a file of secrets by mistake.
// Others, and nil, stay as they are.
func Unquoted(err error) error {
	quoting, ok := errors.AsType[yaml.Error](err)
	if !ok {
		return err
	}
	reason, _, _ := strings.Cut(quoting.GetMessage(), "\n")
	if !strings.HasPrefix(reason, "mapping key ") { // that one is there twice; names are no values
		reason = quoted.ReplaceAllString(reason, "…")
	}
	if t := quoting.GetToken(); t != nil && t.Position != nil {
		return fmt.Errorf("line %d: %s", t.Position.Line, reason)
	}
	return errors.New(reason)
}

var quoted = regexp.MustCompile(`".*"`)

// readLists reads a YAML document that is a mapping of the named lists, each of
// mappings of plain texts and lists of texts. Anchors, tags, merges and blocks
// of text are refused: what is read is what a person sees. Errors name the line.
func readLists(raw []byte, names ...string) (map[string][]entry, error) {
	file, err := parser.ParseBytes(raw, 0)
	if err != nil {
		return nil, Unquoted(err)
	}
	lists := map[string][]entry{}
	if len(file.Docs) > 1 {
		return nil, fmt.Errorf("the file holds %d documents; one is read", len(file.Docs))
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return lists, nil
	}
	return lists, eachMember(file.Docs[0].Body, func(name string, value ast.Node) error {
		if _, twice := lists[name]; twice {
			return at(value, "%q is there twice", name)
		}
		for _, known := range names {
			if name == known {
				lists[name], err = readEntries(value)
				return err
			}
		}
		return at(value, "%.40q is not a member of the file", name)
	})
}

func readEntries(node ast.Node) ([]entry, error) {
	list, ok := node.(*ast.SequenceNode)
	if !ok {
		return nil, at(node, "must be a list")
	}
	entries := make([]entry, 0, len(list.Values))
	for _, item := range list.Values {
		e, err := readEntry(item)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func readEntry(node ast.Node) (entry, error) {
	e := entry{line: lineOf(node), texts: map[string]string{}, lists: map[string][]string{}}
	return e, eachMember(node, func(name string, value ast.Node) error {
		_, text := e.texts[name]
		_, list := e.lists[name]
		if text || list {
			return at(value, "%q is there twice", name)
		}
		if items, ok := value.(*ast.SequenceNode); ok {
			for _, item := range items.Values {
				text, err := written(item)
				if err != nil {
					return err
				}
				e.lists[name] = append(e.lists[name], text)
			}
			return nil
		}
		text2, err := written(value)
		e.texts[name] = text2
		return err
	})
}

// eachMember calls fn for each member of a mapping until one fails.
func eachMember(node ast.Node, fn func(name string, value ast.Node) error) error {
	var members []*ast.MappingValueNode
	switch n := node.(type) {
	case *ast.MappingNode:
		members = n.Values
	case *ast.MappingValueNode:
		members = []*ast.MappingValueNode{n}
	default:
		return at(node, "must be members, like \"name: value\"")
	}
	for _, m := range members {
		name, err := written(m.Key)
		if err != nil {
			return err
		}
		if m.Value == nil {
			return at(m.Key, "%.40q has no value", name)
		}
		if err := fn(name, m.Value); err != nil {
			return err
		}
	}
	return nil
}

// written returns a plain value as the file has it.
func written(node ast.Node) (string, error) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return node.GetToken().Value, nil
	}
	return "", at(node, "must be a plain value")
}

// at returns a problem at the line of node.
func at(node ast.Node, format string, args ...any) error {
	problem := fmt.Errorf(format, args...)
	if line := lineOf(node); line > 0 {
		return fmt.Errorf("line %d: %w", line, problem)
	}
	return problem
}

// lineOf returns the line of node from 1, zero if it is not known.
func lineOf(node ast.Node) int {
	if node == nil || node.GetToken() == nil || node.GetToken().Position == nil {
		return 0
	}
	return node.GetToken().Position.Line
}
