// Package stylesheet joins the parts of the stylesheets.
package stylesheet

import (
	"bytes"
	"fmt"
	"io/fs"
)

// Checkout is the checkout's stylesheet, After what an order's first page does not show: that
// page is small. Phone is the part of After that a phone's pay screen shows at once.
const (
	Checkout = "checkout.css"
	After    = "after.css"
	Phone    = "phone.css"
)

// Parts are the patterns of each stylesheet's parts, by its name, in a folder like static.
var Parts = map[string][]string{
	Checkout:      {"css/*.css"},
	After:         {"after/phone.css", "after/after.css"},
	Phone:         {"after/phone.css"},
	"print.css":   {"after/print.css"}, // a receipt on paper
	"console.css": {"css/1-tokens.css", "console/*.css"},
	"docs.css":    {"css/1-tokens.css", "manual.css", "docs.css"},
	"doctor.css":  {"css/1-tokens.css", "manual.css", "doctor.css"},
	// on top of the checkout's
	"playground.css": {"playground.css"},
	"wallets.css":    {"wallets.css"},
}

// Join returns stylesheets in a row: their parts, those of a pattern sorted by name. Errors: one
// cannot be read, or a pattern matches none (fs.ErrNotExist).
func Join(files fs.FS, names ...string) ([]byte, error) {
	var whole bytes.Buffer
	var patterns []string
	for _, name := range names {
		patterns = append(patterns, Parts[name]...)
	}
	for _, pattern := range patterns {
		found, err := fs.Glob(files, pattern)
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("finding %s, a part of %s: %w", pattern, names, fs.ErrNotExist)
		}
		for _, file := range found {
			part, err := fs.ReadFile(files, file)
			if err != nil {
				return nil, fmt.Errorf("reading a part of %s: %w", names, err)
			}
			whole.Write(part)
		}
	}
	return whole.Bytes(), nil
}
