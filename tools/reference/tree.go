package reference

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml"
)

// node is a tree, a []any, or a scalar.
type node = any

// tree is an object whose members keep the order of the file.
type tree = yaml.MapSlice

// at returns the value at a path of names, nil = none.
func at(n node, path ...string) node {
	for _, name := range path {
		t, _ := n.(tree)
		i := index(t, name)
		if i < 0 {
			return nil
		}
		n = t[i].Value
	}
	return n
}

// text is at for strings, "" = none.
func text(n node, path ...string) string {
	s, _ := at(n, path...).(string)
	return s
}

// members is at for objects, nil = none.
func members(n node, path ...string) tree {
	t, _ := at(n, path...).(tree)
	return t
}

// list is at for lists, nil = none.
func list(n node, path ...string) []any {
	l, _ := at(n, path...).([]any)
	return l
}

// texts is list for strings.
func texts(n node, path ...string) (all []string) {
	for _, v := range list(n, path...) {
		all = append(all, fmt.Sprint(v))
	}
	return all
}

func index(t tree, name string) int {
	return slices.IndexFunc(t, func(m yaml.MapItem) bool { return m.Key == name })
}

// with sets one member of t.
func with(t tree, name string, value node) tree {
	if i := index(t, name); i >= 0 {
		t[i].Value = value
		return t
	}
	return append(t, yaml.MapItem{Key: name, Value: value})
}

// resolve follows references in root, like "#/components/schemas/Session".
func resolve(root tree, n node) node {
	for ref := text(n, "$ref"); ref != ""; ref = text(n, "$ref") {
		n = at(root, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
	}
	return n
}

// pretty is n as JSON in the order of the file; its lines but the first begin with indent.
func pretty(n node, indent string) string {
	text, err := json.Marshal(n, json.WithMarshalers(json.MarshalToFunc(writeTree)),
		jsontext.WithIndentPrefix(indent), jsontext.WithIndent("  "))
	if err != nil {
		panic(fmt.Sprintf("encoding %T: %v", n, err)) // it was read from YAML
	}
	return string(text)
}

func writeTree(to *jsontext.Encoder, t tree) error {
	err := to.WriteToken(jsontext.BeginObject)
	for _, m := range t {
		err = errors.Join(err, to.WriteToken(jsontext.String(fmt.Sprint(m.Key))),
			json.MarshalEncode(to, m.Value))
	}
	return errors.Join(err, to.WriteToken(jsontext.EndObject))
}
