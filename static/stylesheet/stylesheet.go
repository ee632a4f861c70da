// Package stylesheet puts the checkout's style sheet together, and the console's.
package stylesheet

import (
	"bytes"
	"fmt"
	"io/fs"
)

// Checkout returns checkout.css: the files css/*.css of a folder like static, in the
// order of their names. Errors: one cannot be read, or there is none (fs.ErrNotExist).
func Checkout(files fs.FS) ([]byte, error) { return joined(files, "checkout.css", "css/*.css") }

// Console returns console.css, of the operator's pages: the checkout's variables,
// and the files console/*.css behind them. Errors: as of Of.
func Console(files fs.FS) ([]byte, error) {
	return joined(files, "console.css", "css/1-tokens.css", "console/*.css")
}

// joined returns the files that the patterns name, each of which names some.
func joined(files fs.FS, what string, patterns ...string) ([]byte, error) {
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
