// Package stylesheet joins the parts of the stylesheets.
package stylesheet

import (
	"bytes"
	"fmt"
	"io/fs"
)

// Checkout is the name of the checkout's stylesheet.
const Checkout = "checkout.css"

// Parts are the patterns of each stylesheet's parts, by its name, in a folder like static.
var Parts = map[string][]string{
	Checkout:      {"css/*.css"},
	"console.css": {"css/1-tokens.css", "console/*.css"},
	"docs.css":    {"css/1-tokens.css", "manual.css", "docs.css"},
	"doctor.css":  {"css/1-tokens.css", "manual.css", "doctor.css"},
	// on top of the checkout's
	"playground.css": {"playground.css"},
}

// Join returns a stylesheet: its parts, those of a pattern sorted by name. Errors: one cannot be
// read, or a pattern matches none (fs.ErrNotExist).
func Join(files fs.FS, name string) ([]byte, error) {
	var whole bytes.Buffer
	for _, pattern := range Parts[name] {
		found, err := fs.Glob(files, pattern)
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("finding %s, a part of %s: %w", pattern, name, fs.ErrNotExist)
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
