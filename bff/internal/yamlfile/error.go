package yamlfile

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// Error is a member that is unknown, or whose value cannot be read.
type Error struct {
	Member string // from the top of the file: "items.tip.open.minimum", "tokens[3].symbol"
	Line   int    // where its value is
	Reason string
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d: %s: %s", e.Line, e.Member, e.Reason)
}

// Errorf returns an error of a node for UnmarshalYAML methods. The reason quotes no value.
func Errorf(node ast.Node, format string, args ...any) *Error {
	return &Error{
		Member: memberOf(node),
		Line:   Line(node),
		Reason: fmt.Sprintf(format, args...),
	}
}

// located returns an error of decoding top in the file's words: the member that it is about, and
// what that must be. An error of the whole file is one of its line.
func located(err error, top ast.Node) error {
	fault, ok := errors.AsType[yaml.Error](err)
	if !ok {
		return err
	}
	node := nodeOf(fault.GetToken(), top)
	if node == nil || memberOf(node) == "" {
		return unquoted(err)
	}

	switch fault := fault.(type) {
	case *yaml.UnknownFieldError:
		return Errorf(node, "unknown member")
	case *yaml.TypeError:
		return Errorf(node, "must be text")
	case *yaml.UnexpectedNodeTypeError:
		if fault.Expected == ast.SequenceType {
			return Errorf(node, "must be a list")
		}
		return Errorf(node, "must be a mapping")
	}
	return unquoted(err)
}

// memberOf returns the member that node is, or is in; "" for the whole file. Names are cut, and
// escaped if they have control characters: they may be anything.
func memberOf(node ast.Node) string {
	const most = 200
	path := strings.TrimPrefix(strings.TrimPrefix(node.GetPath(), "$"), ".")
	if len(path) > most {
		path = path[:most] + "…"
	}
	escaped := strconv.Quote(path)
	return escaped[1 : len(escaped)-1]
}

// nodeOf returns the outermost node of a token, nil if there is none.
func nodeOf(tk *token.Token, top ast.Node) ast.Node {
	if tk == nil {
		return nil
	}
	s := &search{token: tk}
	ast.Walk(s, top)
	return s.found
}

// search is the ast.Visitor that looks for the node of a token.
type search struct {
	token *token.Token
	found ast.Node
}

// Visit implements ast.Visitor.
func (s *search) Visit(node ast.Node) ast.Visitor {
	if s.found != nil {
		return nil
	}
	if node.GetToken() == s.token {
		s.found = node
	}
	return s
}
