package token

import (
	"fmt"

	"coinslot/bff/internal/yamlfile"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
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

// UnmarshalYAML implements yaml.NodeUnmarshaler: an entry has texts and lists of texts.
func (e *entry) UnmarshalYAML(node ast.Node) error {
	var members map[string]any
	if err := yaml.NodeToValue(node, &members); err != nil {
		return err
	}
	*e = entry{line: yamlfile.Line(node), texts: map[string]string{}, lists: map[string][]string{}}
	for name, value := range members {
		switch v := value.(type) {
		case string:
			e.texts[name] = v
			continue
		case []any:
			if list, ok := texts(v); ok {
				e.lists[name] = list
				continue
			}
		}
		return fmt.Errorf("line %d: %.40q must be a plain value, or a list of such", e.line, name)
	}
	return nil
}

func texts(values []any) ([]string, bool) {
	var list []string
	for _, value := range values {
		text, ok := value.(string)
		if !ok {
			return nil, false
		}
		list = append(list, text)
	}
	return list, true
}
