package yamlfile

import (
	"fmt"

	"github.com/goccy/go-yaml/ast"
)

// asWritten makes text of what YAML would read as numbers and the like.
type asWritten struct {
	plain bool
	err   *error // the first node that is refused
}

// Visit implements ast.Visitor. It changes a node before those inside it are visited.
func (v asWritten) Visit(node ast.Node) ast.Visitor {
	switch n := node.(type) {
	case *ast.MappingNode:
		n.Values = splitMerges(n.Values)
	case *ast.MappingValueNode:
		n.Key = v.name(n.Key)
		n.Value = v.text(n.Value)
	case *ast.SequenceNode:
		for i := range n.Values {
			n.Values[i] = v.text(n.Values[i])
		}
	case *ast.AnchorNode:
		v.refuse(n)
		n.Value = v.text(n.Value)
	case *ast.AliasNode, *ast.TagNode, *ast.MergeKeyNode, *ast.NullNode, *ast.LiteralNode:
		v.refuse(n)
	}
	return v
}

func (v asWritten) refuse(node ast.Node) {
	if v.plain {
		v.fail(node, "must be a plain value")
	}
}

func (v asWritten) fail(node ast.Node, reason string) {
	if *v.err == nil {
		*v.err = fmt.Errorf("line %d: %s", Line(node), reason)
	}
}

func (v asWritten) text(node ast.Node) ast.Node {
	switch n := node.(type) {
	case *ast.TagNode: // !!binary and the like
		if !v.plain {
			return v.text(n.Value)
		}
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return asText(node)
	}
	return node
}

// name returns the key of a member. Of a struct whose mapping has a key that is no text, the
// YAML package ignores all members.
func (v asWritten) name(key ast.MapKeyNode) ast.MapKeyNode {
	switch n := v.text(key).(type) {
	case *ast.StringNode:
		return n
	case *ast.NullNode:
		return asText(n)
	case *ast.MergeKeyNode:
		return n
	}
	v.fail(key, "the name of a member must be text")
	return key
}

func asText(node ast.Node) *ast.StringNode {
	text := ast.String(node.GetToken())
	text.SetPath(node.GetPath())
	return text
}

// splitMerges makes a merge of several mappings, which the YAML package does not decode into
// structs, several merges.
func splitMerges(members []*ast.MappingValueNode) []*ast.MappingValueNode {
	var split []*ast.MappingValueNode
	for _, member := range members {
		list, ok := member.Value.(*ast.SequenceNode)
		if !ok || !member.Key.IsMergeKey() {
			split = append(split, member)
			continue
		}
		for _, merged := range list.Values {
			split = append(split, ast.MappingValue(member.Start, member.Key, merged))
		}
	}
	return split
}
