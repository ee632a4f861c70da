// Package stylesheet joins the parts of the checkout's and the console's stylesheets.
package stylesheet

import (
	"bytes"
	"fmt"
	"io/fs"
)

// Checkout returns checkout.css: the files css/*.css of a folder like static, sorted by name.
// Errors: one cannot be read, or there is none (fs.ErrNotExist).
func Checkout(files fs.FS) ([]byte, error) { return join(files, "checkout.css", "css/*.css") }

// Console returns console.css: the checkout's variables and the files console/*.css. Errors: as
// Checkout.
func Console(files fs.FS) ([]byte, error) {
	return join(files, "console.css", "css/1-tokens.css", "console/*.css")
}

// join returns the files that match the patterns. Each pattern must match.
func join(files fs.FS, what string, patterns ...string) ([]byte, error) {
	var whole bytes.Buffer
	for _, pattern := range patterns {
		names, err := fs.Glob(files, pattern)
		if err != nil {
			return nil, fmt.Errorf("listing the parts of %s: %w", what, err)
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("reading the parts of %s: %w", what, fs.ErrNotExist)
		}
		for _, name := range names {
			part, err := fs.ReadFile(files, name)
			if err != nil {
				return nil, fmt.Errorf("reading a part of %s: %w", what, err)
			}
			whole.Write(part)
		}
	}
	return whole.Bytes(), nil
}
