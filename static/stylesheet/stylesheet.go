// Package stylesheet joins the parts of the stylesheets. Each begins with the checkout's variables.
package stylesheet

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"slices"
)

// Checkout is the name of the checkout's stylesheet.
const Checkout = "checkout.css"

const tokens = "css/1-tokens.css"

// parts are the patterns of each stylesheet's parts in a folder like static.
var parts = map[string][]string{
	Checkout:      {"css/*.css"},
	"console.css": {tokens, "console/*.css"},
	"docs.css":    {tokens, "manual.css", "docs.css"},
	"doctor.css":  {tokens, "manual.css", "doctor.css"},
}

// Names returns the names of all stylesheets.
func Names() []string { return slices.Sorted(maps.Keys(parts)) }

// Join returns a stylesheet: its parts, those of a pattern sorted by name. Errors: one cannot be
// read, or a pattern matches none (fs.ErrNotExist).
func Join(files fs.FS, name string) ([]byte, error) {
	var whole bytes.Buffer
	for _, pattern := range parts[name] {
		found, err := fs.Glob(files, pattern)
		if err != nil {
			return nil, fmt.Errorf("listing the parts of %s: %w", name, err)
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("reading %s, a part of %s: %w", pattern, name, fs.ErrNotExist)
		}
		for _, file := range found {
			part, err := fs.ReadFile(files, file)
			if err != nil {
				return nil, fmt.Errorf("reading a part of %s: %w", name, err)
			}
			whole.Write(part)
		}
	}
	return whole.Bytes(), nil
}
